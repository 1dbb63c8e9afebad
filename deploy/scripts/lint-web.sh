#!/usr/bin/env bash
# Checks scripts and stylesheets with Biome, by the rules of .biome.json.
# `.build/venv/bin/biome format --config-path=.biome.json --write` formats scripts.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [[ "$(uname -m)" != x86_64 ]]; then
  echo "Scripts and stylesheets are not checked: there is no Biome for this machine on PyPI."
  exit 0
fi
biome=.build/venv/bin/biome
if [[ ! -x $biome ]]; then
  echo "$biome is missing; .build/venv/bin/pip install -r Tests/EndToEnd/requirements.txt" >&2
  exit 1
fi
$biome check --config-path=.biome.json --error-on-warnings
