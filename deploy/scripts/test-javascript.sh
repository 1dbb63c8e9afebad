#!/usr/bin/env bash
# Runs the unit tests of the browser's scripts in Node.js and ends with "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/../.."

output=$(node --test --test-reporter=tap Tests/JavaScript/*.test.js) && status=0 || status=$?
count() { sed -n "s/^# $1 //p" <<<"$output"; }

if ((status)); then
  grep -v '^ok' <<<"$output"
fi
echo "JavaScript: $(count pass) passed, $(count fail) failed"
exit "$status"
