#!/usr/bin/env bash
# Runs the tests and ends with a line of how many passed and failed.
#   test.sh           all tests but the long ones
#   test.sh --quick   lint, and the fast Swift tests: before each commit
#   test.sh --long    the tests that take many minutes
# The output of each step is kept in .build/logs; its end is shown when the step fails.
set -euo pipefail
cd "$(dirname "$0")/../.."

logs=.build/logs
venv=.build/venv
passed=0
failed=0
skipped=0
last_step=ok
# One more than the cores: many tests wait, for intended pauses and for killed processes.
# `loadgroup` distributes single tests, regardless of their files.
at_once=(-n "$(($(nproc) + 1))" --dist loadgroup)

# Test targets that a quick run omits: those of pages, and those that wait for programs and disks.
slow_targets='^(App|Backup|Database|FastCGI|Images|Jobs|PhotoMetadata|Processes)Tests\.'

main() {
  local what=${1:-}
  mkdir -p $logs
  rm -f $logs/*.xml
  if [[ $what == --quick ]]; then
    test_sources
    build_tests
    run_tests "Swift tests" swift --skip "$slow_targets"
    close
  fi
  if [[ $what == --long ]]; then
    deploy/scripts/packages.sh long
  else
    deploy/scripts/packages.sh test
  fi
  test_sources
  build_tests
  # The tests wait a lot, the compiler doesn't.
  rm -f $logs/build-release.status
  build_release &
  run_tests "Swift tests" swift
  must "Build for release, begun beside the Swift tests" build-wait.log wait_for_release
  step "Broken photos, with the address sanitizer" fuzz.log deploy/scripts/fuzz.sh 10000
  if [[ $what == --long ]]; then
    TEST_DATABASE=postgresql \
      run_tests "Swift tests on PostgreSQL" swift-postgresql --filter '^AppTests\.'
    TEST_REPEAT_WRITES=1 run_tests "Swift tests with each write twice" swift-repeated \
      --filter '^AppTests\.'
    test_in_browsers "End-to-end tests that take minutes" pytest long 3 "${at_once[@]}"
    TEST_DATABASE=postgresql test_in_browsers "End-to-end tests on PostgreSQL" \
      pytest-postgresql "not (long or alone or timed)" 3 "${at_once[@]}"
    test_in_browsers "End-to-end tests that count seconds" pytest-alone timed 1
  else
    test_in_browsers "End-to-end tests" pytest "not (long or alone or timed)" 3 "${at_once[@]}"
    test_in_browsers "End-to-end tests that need the machine" pytest-alone alone 1
    warn_of_costs
  fi
  close
}

test_sources() {
  deploy/scripts/packages.sh lint
  must "Python packages" python.log deploy/scripts/venv.sh
  step "Lint" lint.log deploy/scripts/lint.sh
  if [[ -x deploy/scripts/test-javascript.sh ]]; then
    step "JavaScript tests" javascript.log deploy/scripts/test-javascript.sh
  fi
  check "Tests of scripts" scripts.log $venv/bin/python -m pytest Tests/Scripts -q \
    -p no:cacheprovider --junitxml $logs/scripts.xml
  count_tests scripts.xml
}

build_tests() {
  must "Build for Swift tests" build-tests.log deploy/scripts/build-tests.sh
}

# Takes the title, the name of the log and result files, and options of Swift Testing. Without
# `swift test`, which would wait for a running build.
run_tests() {
  local name=$1 file=$2
  shift 2
  # A test that hangs fails the whole step.
  check "$name" "$file.log" timeout --kill-after=30 40m \
    .build/debug/PairSpotPackageTests.xctest --testing-library swift-testing \
    --xunit-output "$logs/$file.xml" "$@"
  count_tests "$file.xml"
}

# Writes its exit code to a file: its waiter is no parent of it.
build_release() {
  local status=0
  deploy/scripts/build.sh >$logs/build-release.log 2>&1 </dev/null || status=$?
  echo $status >$logs/build-release.status
}

# shellcheck disable=SC2317  # called by must
wait_for_release() {
  while [[ ! -s $logs/build-release.status ]]; do sleep 1; done
  cat "$logs/build-release.log"
  return "$(cat "$logs/build-release.status")"
}

# Takes the title, the name of the log and result files, pytest's expression of markers, how many
# tests may be retried (in CI, see conftest.py), and further options.
test_in_browsers() {
  local name=$1 file=$2 markers=$3 tries=$4 limit=()
  shift 4
  # CI ends the whole run after 90 minutes; interrupted before, this step names what failed.
  if [[ $markers == not* ]]; then
    limit=(timeout --signal=INT --kill-after=60 50m)
    set -- --timeout 600 "$@"
  fi
  check "$name" "$file.log" "${limit[@]}" $venv/bin/python -m pytest Tests/EndToEnd -m "$markers" -q \
    --max-suite-reruns "$tries" --durations 40 --junitxml "$logs/$file.xml" "$@"
  name_second_tries "$file.log"
  count_tests "$file.xml"
}

# Prints a warning for each page that takes more instructions than Tests/Bench/instructions.json
# says. It fails no run, since other processors and libraries count differently.
warn_of_costs() {
  check "Instructions of pages" instructions.log $venv/bin/python Tests/Bench/instructions.py
  grep -a 'warning:' $logs/instructions.log || true
}

# Runs a step that counts as one test.
step() {
  check "$@"
  if [[ $last_step == ok ]]; then add 1 0 0; else add 0 1 0; fi
}

# Runs a step that the later ones need; ends the run if it fails.
must() {
  check "$@"
  if [[ $last_step == failed ]]; then
    add 0 1 0
    close
  fi
}

# Runs a step and stores its result in last_step; on failure shows the end of its output.
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

# Prints the browser tests that were retried, with their first failure.
name_second_tries() {
  grep -a '^tried again: ' "$logs/$1" || true
}

# Counts the tests in the JUnit file of the previous step. A step that fails without a failed test,
# as after a crash, counts as one failure.
count_tests() {
  local good bad ignored
  read -r good bad ignored <<<"$(deploy/scripts/count-tests.py "$logs/$1")"
  if ((bad == 0)) && [[ $last_step == failed ]]; then bad=1; fi
  add "$good" "$bad" "$ignored"
}

add() {
  passed=$((passed + $1))
  failed=$((failed + $2))
  skipped=$((skipped + $3))
}

# Prints the totals on a line of their own and exits; the exit code is 1 if a test failed.
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
