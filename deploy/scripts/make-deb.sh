#!/usr/bin/env bash
# Makes the Debian package .build/pairspot_VERSION_ARCHITECTURE.deb of the built release program.
# Needs debhelper.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=.build/deb
PROGRAM=$(realpath "${PROGRAM:-.build/release/pairspot}")
# 0.1.0-dev of a commit becomes 0.1.0~dev+20260131120000.1234abcd, which sorts by time.
number=$("$PROGRAM" --version | cut -d " " -f 1)
commit=$(git log -1 --format=%cd.%h --date=format-local:%Y%m%d%H%M%S --abbrev=8)
version=${VERSION:-${number/-/\~}+$commit}

rm -rf $work .build/pairspot_*.deb
mkdir -p $work
cp -r deploy/debian $work/debian
cat >$work/debian/changelog <<END
pairspot ($version) bookworm; urgency=medium

  * See /usr/share/doc/pairspot/CHANGELOG.md.gz.

 -- The PairSpot authors <maintainers@pairspot.invalid>  $(git log -1 --format=%cD)
END
export CHECKOUT=$PWD PROGRAM DEB_BUILD_OPTIONS=noautodbgsym
(cd $work && dpkg-buildpackage --build=binary --no-sign --no-check-builddeps) >.build/deb.log 2>&1 ||
  { tail -40 .build/deb.log >&2; exit 1; }
rm -f .build/pairspot_*.{buildinfo,changes}
ls .build/pairspot_*.deb
