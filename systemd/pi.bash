# shellcheck shell=bash
# What install-pi and uninstall-pi share: paths, and functions for messages and commands.
#
#   ROOT=DIR    install in the directory DIR only: nothing outside it is changed, nothing is started
set -euo pipefail
umask 022

root=${ROOT:-}
root=${root%/}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
units=$source/systemd

opt=/opt/gammonclock        # a directory for each release, and `current`, a link to one of them
added=$opt/added            # what install-pi added: a line "directory PATH" or "package NAME"
boot=/boot/firmware
logs=/var/lib/gammonclock
command=/usr/local/bin/gammonclock
wants=/etc/systemd/system/multi-user.target.wants
enabled=(gammonclock.service gammonclock-room.service gammonclock-link.service)
begin='# gammonclock: begin'
end='# gammonclock: end'
files=(                     # from this directory, and to where
    "gammonclock.service /etc/systemd/system/gammonclock.service"
    "gammonclock-room.service /etc/systemd/system/gammonclock-room.service"
    "gammonclock-link.service /etc/systemd/system/gammonclock-link.service"
    "sysusers.d.conf /etc/sysusers.d/gammonclock.conf"
    "tmpfiles.d.conf /etc/tmpfiles.d/gammonclock.conf"
    "modules-load.d.conf /etc/modules-load.d/gammonclock.conf"
    "sleep.d.conf /etc/systemd/sleep.conf.d/gammonclock.conf"
)
changed=() reboot='' new='' previous=''

fail() { printf 'gammonclock: %s\n' "$@" >&2; exit 1; }
did() { changed+=("$1"); printf '  %s\n' "$1"; }
control() { systemctl ${root:+--root="$root"} "$@"; }
live() { [[ -z $root ]]; }
there() { ${root:+chroot "$root"} "$@"; }
apt() { there apt-get --quiet=2 --yes "$@"; }
