#!/usr/bin/env bash
# Checks the format and style of all Swift sources.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift format lint --strict --parallel --recursive Sources Tests Package.swift
