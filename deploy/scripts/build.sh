#!/usr/bin/env bash
# Builds the release program; says little when there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [[ -x .build/release/pairspot ]]; then
  swift build -c release --product pairspot --quiet
else
  echo "Building PairSpot; the first time takes some minutes."
  swift build -c release --product pairspot
fi
