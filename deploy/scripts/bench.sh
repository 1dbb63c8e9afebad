#!/usr/bin/env bash
# Measures beside other programs and prints ratios; never fails on a figure.
#   POSTS=100000, how many posts the feed has; PEOPLE=1000000, how many check in
# What was found is kept by hand in Tests/Bench/RESULTS.md.
set -euo pipefail
cd "$(dirname "$0")/../.."

deploy/scripts/packages.sh bench
deploy/scripts/build.sh

echo "== Feed page"
python3 Tests/Bench/FeedPage/feed_page.py </dev/null
echo "== Templates"
swift run -c release --quiet template-bench
echo "== Pictures"
python3 Tests/Bench/Pictures/pictures.py </dev/null
echo "== Check-in scan"
python3 Tests/Bench/CheckInScan/check_in_scan.py </dev/null
echo "== Workouts"
test -x .build/bench/bin/python || python3 -m venv .build/bench
.build/bench/bin/pip install --quiet --requirement Tests/Bench/fastapi/requirements.txt
FASTAPI=.build/bench/bin/python python3 Tests/Bench/Workouts/uploads.py </dev/null
python3 Tests/Bench/Workouts/history.py </dev/null
echo "== Stories"
swift build -c release --product photo-story-tool --static-swift-stdlib --quiet
python3 Tests/Bench/Stories/stories.py </dev/null
echo "== Live members"
python3 Tests/Bench/LiveMembers/live_members.py </dev/null
