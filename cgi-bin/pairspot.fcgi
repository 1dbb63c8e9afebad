#!/bin/sh
here=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd) && export PAIRSPOT_SHARE="${PAIRSPOT_SHARE:-$here}" PATH="$PATH:$here/.build/release"
exec pairspot handlers
