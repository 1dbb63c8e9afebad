#!/usr/bin/env bash
# Measures beside other programs and prints the table of ratios, into .build/bench too; never fails on a
# figure. What to measure may be named: bench.sh feed check-in. See Tests/Bench/bench.py.
#   USERS=2000 POSTS=100000   how much the feed has
#   ROUNDS=5 SECONDS=5        how often and how long each is measured; 1 and 1 to try
#   LARGEST=1000000           how large the rows about growth become; 100000 with one round
#   MEMBERS=2000,5000         how many hold a live stream, where open files allow
# All of it takes some 30 minutes on two quiet processors, besides building: 10 of them are growth's, of
# which 4 make its worlds, and some 6 wait for a quiet machine. The load before each row is told.
# What was found is kept by hand in Tests/Bench/RESULTS.md.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Bash counts its own seconds under this name: what was asked for stands in the environment alone.
seconds=$(printenv SECONDS || echo 5)
deploy/scripts/packages.sh bench
deploy/scripts/build.sh
swift build -c release --product photo-story-tool --static-swift-stdlib --quiet
test -x .build/bench/bin/python || python3 -m venv .build/bench
.build/bench/bin/python -m pip install --quiet --requirement Tests/Bench/fastapi/requirements.txt
exec env SECONDS="$seconds" python3 Tests/Bench/bench.py "$@" </dev/null
