#!/usr/bin/env bash
# Checks the format and style of all sources: Swift, shell, Python, templates, scripts and styles.
# Runs all linters, even after one has failed.
set -euo pipefail
cd "$(dirname "$0")/../.."

status=0

main() {
  lint swift format lint --strict --parallel --recursive Sources Tests Package.swift
  mapfile -t shell < <(find deploy cgi-bin .ci -type f -exec grep -lE '^#!.*sh$' {} +)
  lint shellcheck "${shell[@]}"
  lint .build/venv/bin/ruff check --quiet --no-cache
  lint deploy/scripts/lint-templates.py
  lint deploy/scripts/lint-examples.py
  if [[ -x deploy/scripts/lint-web.sh ]]; then lint deploy/scripts/lint-web.sh; fi
  exit $status
}

lint() {
  "$@" || status=1
}

deploy/scripts/packages.sh lint
deploy/scripts/venv.sh
main
