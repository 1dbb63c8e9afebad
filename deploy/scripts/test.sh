#!/usr/bin/env bash
# Runs the tests and closes with a line that says how many passed and failed.
#   test.sh           everything but the long ones
#   test.sh --long    those that take many minutes
# What each step prints is kept in .build/logs; its end is shown when the step fails.
set -euo pipefail
cd "$(dirname "$0")/../.."

logs=.build/logs
venv=.build/venv
passed=0
failed=0
skipped=0
last_step=ok

main() {
  local browser_tests="not long"
  if [[ "${1:-}" == --long ]]; then
    browser_tests="long"
  fi
  mkdir -p $logs
  deploy/scripts/packages.sh test

  must "Python packages" python.log prepare_python
  check "Lint" lint.log deploy/scripts/lint.sh
  if [[ $last_step == failed ]]; then add 0 1 0; fi
  must "Build for Swift tests" build-tests.log env PAIRSPOT_STRICT=1 swift build --build-tests
  check "Swift tests" swift-test.log env PAIRSPOT_STRICT=1 swift test --skip-build
  count_swift_tests
  check "Broken photos, with the address sanitizer" fuzz.log deploy/scripts/fuzz.sh 10000
  if [[ $last_step == ok ]]; then add 1 0 0; else add 0 1 0; fi
  must "Build for release" build-release.log deploy/scripts/build.sh
  rm -f $logs/pytest.xml $logs/pytest-timed.xml
  # One more than cores: many of them wait, for pauses that are meant and for what was killed.
  # `loadgroup` hands out one test at a time, whichever file it is of.
  check "End-to-end tests" pytest.log $venv/bin/python -m pytest Tests/EndToEnd \
    -m "$browser_tests and not timed" -q -n "$(($(nproc) + 1))" --dist loadgroup \
    --max-suite-reruns 3 --durations 40 --junitxml $logs/pytest.xml
  name_second_tries pytest.log
  count_end_to_end_tests pytest.xml "${1:-}"
  if [[ "${1:-}" != --long ]]; then
    # Six browsers at once, or a page within a second, with nothing else on the machine.
    check "End-to-end tests that count seconds" pytest-timed.log $venv/bin/python -m pytest \
      Tests/EndToEnd -m timed -q --max-suite-reruns 1 --junitxml $logs/pytest-timed.xml
    name_second_tries pytest-timed.log
    count_end_to_end_tests pytest-timed.xml
  fi
  close
}

# Installs the Python packages again only when their list changed.
prepare_python() {
  local sum
  sum=$(sha256sum Tests/EndToEnd/requirements.txt)
  [[ -x $venv/bin/python ]] || python3 -m venv $venv
  if [[ "$(cat $venv/requirements.sum 2>/dev/null)" != "$sum" ]]; then
    $venv/bin/python -m pip install --quiet --disable-pip-version-check \
      -r Tests/EndToEnd/requirements.txt
    echo "$sum" >$venv/requirements.sum
  fi
}

# Runs a step without which the rest makes no sense.
must() {
  check "$@"
  if [[ $last_step == failed ]]; then
    add 0 1 0
    close
  fi
}

# Runs a step and remembers how it went; on failure shows the end of what it printed.
check() {
  local name=$1 log=$logs/$2 start=$SECONDS status
  shift 2
  printf '%s … ' "$name"
  set +e
  (
    set -e
    "$@"
  ) >"$log" 2>&1
  status=$?
  set -e
  if ((status == 0)); then
    last_step=ok
    echo "ok ($((SECONDS - start)) s)"
  else
    last_step=failed
    echo "FAILED ($((SECONDS - start)) s), see $log"
    show_failure "$log"
  fi
}

show_failure() {
  grep -aE '(error:|recorded an issue|^FAILED |^ERROR )' "$1" | sort -u | head -n 60 || true
  echo "  …"
  tail -n 60 "$1"
}

# Reads Swift Testing's lines: 'Test "…" failed after 0.1 seconds', and the summary
# 'Test run with 12 tests in 3 suites failed after …'.
count_swift_tests() {
  local log=$logs/swift-test.log run bad ignored
  run=$({ grep -aoE 'Test run with [0-9]+ tests?' $log || true; } | awk '{ n += $4 } END { print n + 0 }')
  bad=$({ grep -aE '^[^A-Za-z]*Test .* failed after [0-9.]+ seconds' $log || true; } |
    grep -cvE 'Test run with' || true)
  ignored=$(grep -acE '^[^A-Za-z]*Test .* skipped(\.|:|$)' $log || true)
  # A crash, or no test at all, leaves no failed test behind, but is a failure.
  if ((bad == 0)) && { [[ $last_step == failed ]] || ((run == 0)); }; then
    add 0 1 0
  fi
  run=$((run - bad - ignored))
  add $((run > 0 ? run : 0)) "$bad" "$ignored"
}

# Browser tests that were tried again, with what went wrong at first: somebody should look why.
name_second_tries() {
  grep -a '^tried again: ' "$logs/$1" || true
}

# Reads one of pytest's JUnit files.
count_end_to_end_tests() {
  local counts
  counts=$($venv/bin/python - "$logs/$1" <<'PYTHON'
import sys
import xml.etree.ElementTree as tree

try:
    suites = list(tree.parse(sys.argv[1]).getroot().iter("testsuite"))
except (OSError, tree.ParseError):
    suites = []
total, failures, errors, skipped = (
    sum(int(suite.get(name, 0)) for suite in suites)
    for name in ("tests", "failures", "errors", "skipped")
)
bad = failures + errors
print(max(0, total - bad - skipped), bad, skipped)
PYTHON
  )
  local good bad ignored
  read -r good bad ignored <<<"$counts"
  # pytest also fails when it finds no test, which is right but for the long ones.
  if [[ $last_step == failed ]] && ((bad == 0)) && ! [[ "${2:-}" == --long && $good == 0 ]]; then
    bad=1
  fi
  add "$good" "$bad" "$ignored"
}

add() {
  passed=$((passed + $1))
  failed=$((failed + $2))
  skipped=$((skipped + $3))
}

# The closing line, alone on its line, and the exit code.
close() {
  if ((passed == 0 && failed == 0)); then failed=1; fi
  echo
  if ((skipped)); then
    echo "$passed passed, $failed failed, $skipped skipped"
  else
    echo "$passed passed, $failed failed"
  fi
  exit $((failed > 0))
}

main "$@"
