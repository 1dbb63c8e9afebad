#!/usr/bin/env bash
# Builds the debug program and the Swift tests. All test commands use this script: with other flags
# SwiftPM would compile everything again. Warnings are errors. Builds without debug information,
# which is faster (for a debugger run `swift build` by hand).
set -euo pipefail
cd "$(dirname "$0")/../.."

PAIRSPOT_STRICT=1 exec swift build --build-tests -debug-info-format none -Xswiftc -use-ld=lld "$@"
