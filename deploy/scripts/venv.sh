#!/usr/bin/env bash
# Creates .build/venv with the Python packages of tests and lint. Installs packages only after a
# change of their list.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=.build/venv
list=Tests/EndToEnd/requirements.txt

[[ -x $venv/bin/python ]] || python3 -m venv $venv
sum=$(sha256sum $list)
if [[ "$(cat $venv/requirements.sum 2>/dev/null)" != "$sum" ]]; then
  $venv/bin/python -m pip install --quiet --disable-pip-version-check -r $list
  echo "$sum" >$venv/requirements.sum
fi
