#!/usr/bin/env bash
# Installs the built program and its files below DESTDIR (none) and PREFIX (/usr/local).
set -euo pipefail
cd "$(dirname "$0")/../.."

prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}
program=${PROGRAM:-.build/release/pairspot}
# Debian's systemd reads packages' units from /lib.
units=$root$prefix/lib/systemd/system
[[ $prefix != /usr ]] || units=$root/lib/systemd/system
share=$root$prefix/share

main() {
  if [[ ! -x $program ]]; then
    echo "build it first: deploy/scripts/build.sh" >&2
    exit 1
  fi
  install_program
  install_manual
  install_completions
  install_units
  # A package does this in its own way.
  if [[ -z $root && -d /run/systemd/system ]]; then
    systemd-sysusers pairspot.conf
    systemd-tmpfiles --create pairspot.conf
    systemctl daemon-reload
    echo "Installed. Next: pairspot setup"
  fi
}

install_program() {
  install_executable "$program-pictures" "$root$prefix/libexec/pairspot/pairspot-pictures"
  install_executable "$program" "$root$prefix/bin/pairspot"
  rm -rf "$share/pairspot"
  install -d "$share/pairspot/deploy"
  cp -r --no-preserve=all templates public "$share/pairspot/"
  cp -r --no-preserve=all deploy/nginx deploy/monitoring "$share/pairspot/deploy/"
}

# Renamed, since a running program cannot be written to.
install_executable() {
  install -D -m 755 "$1" "$2.new"
  mv "$2.new" "$2"
}

install_manual() {
  install -d "$share/man/man1" "$share/man/man5"
  deploy/scripts/make-manual.py "$program" "$share/man"
}

install_completions() {
  local bash=$share/bash-completion/completions/pairspot
  local zsh=$share/zsh/vendor-completions/_pairspot
  local fish=$share/fish/vendor_completions.d/pairspot.fish
  install -d "$(dirname "$bash")" "$(dirname "$zsh")" "$(dirname "$fish")"
  "$program" --generate-completion-script bash | sed '1{/^#!/d}' >"$bash"
  "$program" --generate-completion-script zsh >"$zsh"
  "$program" --generate-completion-script fish >"$fish"
  chmod 644 "$bash" "$zsh" "$fish"
}

install_units() {
  local unit
  install -d "$units"
  for unit in deploy/systemd/*.{service,timer}; do
    sed "s#/usr/local/#$prefix/#" "$unit" >"$units/$(basename "$unit")"
    chmod 644 "$units/$(basename "$unit")"
  done
  install -D -m 644 deploy/systemd/pairspot.sysusers "$root$prefix/lib/sysusers.d/pairspot.conf"
  install -D -m 644 deploy/systemd/pairspot.tmpfiles "$root$prefix/lib/tmpfiles.d/pairspot.conf"
}

main
