#!/usr/bin/env bash
# Tests the module PhotoMetadata with mutated photos, built with the address sanitizer (which checks
# Swift's memory and copies by C libraries, but not single reads in C: see `--valgrind`).
#   fuzz.sh [ROUNDS [SEED]]     1,000,000 by default, on all cores; the same seed makes the same files
#   fuzz.sh --valgrind [ROUNDS [SEED]]    without the sanitizer, under valgrind; 2,000 by default
# Keeps a failing file, named by seed and round, so that the round can be repeated.
set -euo pipefail
cd "$(dirname "$0")/../.."

scratch=.build/asan
options=(--sanitize=address --scratch-path "$scratch")
watch=(env "ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}:hard_rss_limit_mb=2048")
rounds=1000000
if [[ "${1:-}" == --valgrind ]]; then
  shift
  scratch=.build/valgrind
  options=(--scratch-path "$scratch")
  watch=(valgrind --quiet --error-exitcode=99 --leak-check=no)
  rounds=2000
fi
rounds=${1:-$rounds}
seed=${2:-1}
program=$scratch/release/photo-fuzz

swift build -c release "${options[@]}" --product photo-fuzz --quiet

work=$(mktemp -d "$([[ -w /dev/shm ]] && echo /dev/shm || echo "${TMPDIR:-/tmp}")/photo-fuzz.XXXXXX")
trap 'rm -rf "$work"' EXIT
jobs=$(nproc)
share=$(((rounds + jobs - 1) / jobs))
workers=()
for ((job = 0; job < jobs; job++)); do
  mkdir "$work/$job"
  nice "${watch[@]}" $program "$work/$job" "$seed" $((job * share)) $share \
    >"$work/$job/log" 2>&1 </dev/null &
  workers+=($!)
done

failed=0
for ((job = 0; job < jobs; job++)); do
  status=0
  wait "${workers[job]}" || status=$?
  cat "$work/$job/log"
  if ((status)); then
    failed=1
    round=$(cat "$work/$job/round" 2>/dev/null || echo $((job * share)))
    kept=.build/fuzz/$seed-$round
    mkdir -p .build/fuzz
    cp "$work/$job/photo" "$kept" 2>/dev/null || true
    # 142 is SIGALRM: the round hung.
    echo "error: ended with $status in round $round; its file is kept: $kept"
    echo "again: mkdir -p /tmp/f && $program /tmp/f $seed $round 1"
  fi
done
exit $failed
