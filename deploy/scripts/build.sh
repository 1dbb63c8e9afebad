#!/usr/bin/env bash
# Builds the release program; says little when there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Swift's own libraries go into the program: it runs where no toolchain is, and a little faster.
build=(swift build -c release --product pairspot --static-swift-stdlib)

if [[ -x .build/release/pairspot ]]; then
  "${build[@]}" --quiet
else
  echo "Building PairSpot; the first time takes some minutes."
  "${build[@]}"
fi
# What `pairspot --version` tells besides the number.
git describe --always --dirty --exclude '*' >.build/release/pairspot.commit 2>/dev/null ||
  rm -f .build/release/pairspot.commit
