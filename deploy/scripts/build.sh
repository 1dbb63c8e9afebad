#!/usr/bin/env bash
# Builds the release programs; prints little when there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Links Swift's libraries statically: the program runs without a toolchain, and a little faster.
build=(swift build -c release --static-swift-stdlib)

if [[ -x .build/release/pairspot ]]; then
  build+=(--quiet)
else
  echo "Building PairSpot; the first time takes some minutes."
fi
for program in pairspot pairspot-pictures; do
  "${build[@]}" --product $program
done
# The commit, which `pairspot --version` prints after the number.
git describe --always --dirty --exclude '*' >.build/release/pairspot.commit 2>/dev/null ||
  rm -f .build/release/pairspot.commit
