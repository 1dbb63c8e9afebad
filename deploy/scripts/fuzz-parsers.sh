#!/usr/bin/env bash
# Runs every parser on inputs that libFuzzer makes of Tests/Fuzz/corpus, with the address sanitizer.
#   fuzz-parsers.sh MINUTES [TARGET…]   each of them for so long, as many at once as there are cores
# What ends a parser is kept in .build/fuzz/<target>; new inputs stay in .build/fuzz/corpus/<target>
# (`fuzz-parsers.sh --merge` takes those that reach more code into the repository).
set -euo pipefail
cd "$(dirname "$0")/../.."

scratch=.build/parser-fuzz
program=$PWD/$scratch/release/parser-fuzz
found=$PWD/.build/fuzz
corpus=$PWD/Tests/Fuzz/corpus
export ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no

main() {
  local minutes=${1:-1}
  shift || true
  build
  local targets=("$@")
  if ((${#targets[@]} == 0)); then mapfile -t targets < <("$program"); fi
  if [[ $minutes == --merge ]]; then
    for target in "${targets[@]}"; do merge "$target"; done
    return
  fi
  mkdir -p "$found"
  printf '%s\n' "${targets[@]}" |
    xargs -P "$(nproc)" -I TARGET "$0" --one TARGET "$((minutes * 60))" || true
  report "${targets[@]}"
}

build() {
  local runtime
  runtime=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/clang
  runtime=$(find "$runtime" -name "libclang_rt.fuzzer_no_main-$(uname -m).a" | head -n 1)
  PAIRSPOT_FUZZ=1 swift build -c release --scratch-path $scratch --product parser-fuzz --quiet \
    --sanitize=address -Xswiftc -enable-testing \
    -Xswiftc -sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp \
    -Xlinker "$runtime" -Xlinker -lstdc++
}

# One target for some seconds; its log ends with how many inputs it tried.
one() {
  local target=$1 seconds=$2
  mkdir -p "$found/corpus/$target" "$found/$target" "$corpus/$target"
  PAIRSPOT_FUZZ_TARGET=$target nice "$program" -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 -artifact_prefix="$found/$target/" \
    "$found/corpus/$target" "$corpus/$target" >"$found/$target.log" 2>&1 </dev/null ||
    echo "ended with $?" >>"$found/$target.log"
}

report() {
  local target failed=0
  for target in "$@"; do
    local log=$found/$target.log
    printf '%-14s %12s inputs, %6s edges\n' "$target" \
      "$(sed -n 's/^stat::number_of_executed_units: //p' "$log" | tail -n 1)" \
      "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)"
    if grep -q '^ended with' "$log"; then
      failed=1
      echo "error: $target: $(grep -m 1 -E 'ERROR|Fatal|SUMMARY|ALARM|Signal' "$log")"
      echo "again: PAIRSPOT_FUZZ_TARGET=$target $program FILE, for a file of $found/$target/"
    fi
  done
  return $failed
}

merge() {
  local target=$1
  [[ -d $found/corpus/$target ]] || return 0
  PAIRSPOT_FUZZ_TARGET=$target "$program" -merge=1 -max_len=4096 "$corpus/$target" \
    "$found/corpus/$target" 2>&1 | tail -n 1
}

if [[ "${1:-}" == --one ]]; then
  one "$2" "$3"
else
  main "$@"
fi
