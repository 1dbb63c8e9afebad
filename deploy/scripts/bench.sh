#!/usr/bin/env bash
# Compares PairSpot with other programs and prints the table of ratios, also into .build/bench. No
# result fails the run. Rows can be selected by name: bench.sh feed check-in. See
# Tests/Bench/bench.py.
#   USERS=2000 POSTS=100000   users and posts of the feed, and of the rows about PostgreSQL
#   ROUNDS=5 SECONDS=5        number and length of the rounds; 1 and 1 for trying out
#   LARGEST=1000000           largest number of posts in the rows about growth; 100000 with one round
#   KEPT=folder               where the instances of those rows stay for the next run
#   BUFFERS=1GB               shared memory of the PostgreSQL server in the rows about it
#   MEMBERS=2000,5000         numbers of live streams, if the limit of open files allows
# A full run takes some 50 minutes on two idle processors, besides building: 10 of them are for
# growth, 4 of which create its data, and some 6 wait for an idle machine. Prints the load before
# each row. Results are copied by hand to Tests/Bench/RESULTS.md.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Bash uses this name for its own timer: the requested value is in the environment only.
seconds=$(printenv SECONDS || echo 5)
deploy/scripts/packages.sh bench
deploy/scripts/build.sh
swift build -c release --product photo-story-tool --static-swift-stdlib --quiet
test -x .build/bench/bin/python || python3 -m venv .build/bench
.build/bench/bin/python -m pip install --quiet --requirement Tests/Bench/fastapi/requirements.txt
exec env SECONDS="$seconds" .build/bench/bin/python Tests/Bench/bench.py "$@" </dev/null
