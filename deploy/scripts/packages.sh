#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that are missing.
#   packages.sh run    packages for building and running (Debian 12, Ubuntu 24.04)
#   packages.sh deb    those, and packages for making a Debian package
#   packages.sh lint   those, and packages for `make lint`
#   packages.sh test   those, and packages for tests (Debian 12)
#   packages.sh long   those, and packages for the cluster and the virtual machine of `make test-long`
#   packages.sh bench  those of tests, and packages for benchmarks
# Uses sudo and the network only when a package is missing.
set -euo pipefail

run_packages=(
  ffmpeg
  nginx
  openssl
  pkg-config
  tzdata
  libarchive-dev
  libcrypt-dev
  libcurl4-openssl-dev
  libexif-dev
  libexpat1-dev
  libfcgi-dev
  libgd-dev
  libheif-dev
  libidn2-dev
  libnginx-mod-nchan
  libpq-dev
  libqrencode-dev
  libsqlite3-dev
  libssl-dev
  libsystemd-dev
  libturbojpeg0-dev
  libzbar-dev
  zlib1g-dev
)

deb_packages=(
  debhelper
  git
)

lint_packages=(
  nodejs
  python3
  python3-venv
  shellcheck
)

test_packages=(
  apache2
  chromium
  fonts-noto-cjk
  fonts-noto-color-emoji
  curl
  dehydrated
  exiv2
  golang-github-rwcarlsen-goexif-dev
  imagemagick
  libfaketime
  libimage-exiftool-perl
  libjpeg-turbo-progs
  librsvg2-bin
  lintian
  pebble
  nodejs
  pngcheck
  postgresql
  prometheus
  qrencode
  redis-server
  sqlite3
  strace
  systemd
  unzip
  valgrind
  wrk
  zbar-tools
)

long_packages=(
  e2fsprogs
  haproxy
  mmdebstrap
  openssh-client
  qemu-system-x86
)

bench_packages=(
  binutils
  gcc
  golang-github-mattn-go-sqlite3-dev
  golang-go
  libvips-tools
)

# Services that this run installs and that must not start.
hold_back=()

main() {
  local wanted=("${run_packages[@]}")
  case "${1:-}" in
    run) ;;
    deb) wanted+=("${deb_packages[@]}") ;;
    lint) wanted+=("${lint_packages[@]}") ;;
    test) wanted+=("${deb_packages[@]}" "${lint_packages[@]}" "${test_packages[@]}") ;;
    long)
      wanted+=("${deb_packages[@]}" "${lint_packages[@]}" "${test_packages[@]}" "${long_packages[@]}")
      ;;
    bench) wanted+=("${lint_packages[@]}" "${test_packages[@]}" "${bench_packages[@]}") ;;
    *) fail "usage: packages.sh run|deb|lint|test|long|bench" ;;
  esac
  command -v swift >/dev/null || fail "a Swift 6 toolchain is needed: https://www.swift.org/install"
  command -v dpkg-query >/dev/null || fail "Debian or Ubuntu is needed"

  local missing=()
  local package
  for package in "${wanted[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  if ((${#missing[@]})); then
    install_packages "${missing[@]}"
  fi
  # With nchan, nginx needs Debian's own folder for bodies, although another one is configured, and
  # can't create it without privileges.
  [[ -d /var/lib/nginx/body ]] || as_root mkdir -p /var/lib/nginx/body
}

is_installed() {
  [[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

install_packages() {
  echo "Installing: $*"
  hold_back=()
  [[ -x /usr/sbin/nginx ]] || hold_back+=(nginx)
  [[ -x /usr/sbin/apache2 ]] || hold_back+=(apache2)
  [[ -x /usr/bin/prometheus ]] || hold_back+=(prometheus)
  [[ -x /usr/bin/redis-server ]] || hold_back+=(redis-server)
  [[ -x /usr/sbin/haproxy ]] || hold_back+=(haproxy)
  compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || hold_back+=(postgresql)
  hold_back_services
  as_root apt-get -o DPkg::Lock::Timeout=300 -qq update
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 -qq install -y --no-install-recommends "$@" >/dev/null
}

# Newly installed services must not occupy ports, as nginx port 80: Debian asks this program whether
# a service may start at installation. Those that were installed before are not changed.
hold_back_services() {
  local policy=/usr/sbin/policy-rc.d
  ((${#hold_back[@]})) || return 0
  if [[ ! -e $policy ]]; then
    # shellcheck disable=SC2016  # $1 is for that program
    printf '#!/bin/sh\ncase "$1" in %s) exit 101 ;; esac\nexit 0\n' \
      "$(IFS='|' && echo "${hold_back[*]}")" | as_root tee $policy >/dev/null
    as_root chmod 755 $policy
    trap 'disable_services; as_root rm -f /usr/sbin/policy-rc.d' EXIT
  else
    trap disable_services EXIT
  fi
}

disable_services() {
  local service
  for service in "${hold_back[@]}"; do
    if command -v systemctl >/dev/null; then
      as_root systemctl disable "$service" >/dev/null 2>&1 || true
    elif command -v update-rc.d >/dev/null; then
      as_root update-rc.d "$service" disable >/dev/null 2>&1 || true
    fi
  done
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

fail() {
  echo "$1" >&2
  exit 1
}

main "$@"
