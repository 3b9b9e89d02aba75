# shellcheck shell=bash
# What install-pi, rollback-pi, prepare-card and uninstall-pi share: paths, messages, releases.
#
#   ROOT=DIR    install in the directory DIR only: nothing outside it is changed, nothing is started
#   FORCE=1     go on although a match is under way
set -euo pipefail
umask 022

root=${ROOT:-}
root=${root%/}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
units=$source/systemd

# A directory for each release, and two links: `current`, and `previous`, the one before it.
opt=/opt/gammonclock
added=$opt/added # what install-pi added: a line "directory PATH" or "package NAME"
boot=/boot/firmware
logs=/var/lib/gammonclock
room_link=/var/lib/gammonclock-link # the login of a room and what waits for it
networks=/etc/NetworkManager/system-connections
room_files='gammonclock-room*' # the file that joins a room, in $boot, and its Wi-Fi, in $networks
command=/usr/local/bin/gammonclock
wants=/etc/systemd/system/multi-user.target.wants
enabled=(
    gammonclock.service gammonclock-room.service gammonclock-link.service gammonclock-card.service
)
begin='# gammonclock: begin'
end='# gammonclock: end'
files=( # from this directory, and to where
    "gammonclock.service /etc/systemd/system/gammonclock.service"
    "gammonclock-room.service /etc/systemd/system/gammonclock-room.service"
    "gammonclock-link.service /etc/systemd/system/gammonclock-link.service"
    "gammonclock-card.service /etc/systemd/system/gammonclock-card.service"
    "sysusers.d.conf /etc/sysusers.d/gammonclock.conf"
    "tmpfiles.d.conf /etc/tmpfiles.d/gammonclock.conf"
    "modules-load.d.conf /etc/modules-load.d/gammonclock.conf"
    "sudoers /etc/sudoers.d/gammonclock"
    "sleep.d.conf /etc/systemd/sleep.conf.d/gammonclock.conf"
    "wifi.conf /etc/NetworkManager/conf.d/gammonclock.conf"
)
gone=( # what 1.0.0 installed and later releases do not have
    /usr/local/share/man/man1/gammonclock.1
    /usr/local/share/bash-completion/completions/gammonclock
)
kept=("${files[@]%% *}" imports take-settings name-card) # what a release keeps, from this directory
changed=() reboot='' new='' previous=''

fail() { printf 'gammonclock: %s\n' "$@" >&2; exit 1; }
did() { changed+=("$1"); printf '  %s\n' "$1"; }
control() { systemctl ${root:+--root="$root"} "$@"; }
live() { [[ -z $root ]]; }
there() { ${root:+chroot "$root"} "$@"; }
apt() { there apt-get --quiet=2 --yes "$@"; }
stop_units() { ! live || systemctl --quiet stop "${enabled[@]}"; }

need_root() { # for what, and the script
    ! live || [[ $EUID == 0 ]] || fail "$1 needs root; nothing was changed. Run: sudo make $2"
}

put() {
    cmp -s "$1" "$root$2" && return
    directory "$(dirname "$2")"
    cp "$1" "$root$2.new" # without its mode, which the FAT boot partition cannot keep
    [[ $2 != /etc/sudoers.d/* ]] || chmod 0440 "$root$2.new" # or sudo complains
    sync "$root$2.new"
    mv "$root$2.new" "$root$2"
    did "wrote $2"
}

# Note for uninstall-pi what is added. Noted first, it is not forgotten if the power fails.
record() { grep -qsxF "$1" "$root$added" || echo "$1" >>"$root$added"; }

directory() { # make it, and its parents
    [[ -d $root$1 ]] && return
    directory "$(dirname "$1")"
    [[ $1 == "$opt" ]] || record "directory $1"
    mkdir "$root$1"
}

remove_all() {
    local folder=$1
    shift
    [[ ! -d $folder ]] || find "$folder" "$@" -delete -print | sed "s,^$root,  removed ,"
}

# Remove the login and the Wi-Fi of a room, and a file of a room that waits to be taken.
leave_room() {
    remove_all "$root$room_link" -mindepth 1
    remove_all "$root$boot" -maxdepth 1 -iname "$room_files"
    remove_all "$root$networks" -name "$room_files"
}

# --- releases -------------------------------------------------------------------------------------

linked() { readlink "$root$opt/$1" || true; }

link() {
    ln -sfn "$2" "$root$opt/$1.new"
    mv -T "$root$opt/$1.new" "$root$opt/$1"
}

# Print the match that an update would interrupt; nothing if there is none, or no clock to ask.
match_under_way() {
    local clock=$root$opt/current/bin/gammonclock folder
    [[ -x $clock ]] || return 0
    folder=$("$clock" check-config "$root$boot/gammonclock.toml" 2>/dev/null | sed -n 's/^log\.directory  *//p')
    "$clock" logs "$root${folder:-$logs}" --under-way 2>/dev/null || true
}

refuse_during_match() {
    local match
    [[ -z ${FORCE:-} ]] || return 0
    match=$(match_under_way)
    [[ -z $match ]] || fail "a match is under way: $match. Nothing was changed." \
        "Wait until it is over. To interrupt it: sudo make $1 FORCE=1"
}

# A release keeps the units that belong to it, so that going back restores them too.
put_units() {
    local file
    for file in "${files[@]}"; do
        [[ ! -f $root$opt/$1/units/${file%% *} ]] || put "$root$opt/$1/units/${file%% *}" "${file#* }"
    done
}

# Import what the units of a release start, and what only they need; each release says what that is.
starts() {
    local modules=clock.apps.appliance_start list=$root$opt/$1/units/imports
    [[ ! -f $list ]] || modules=$(paste -sd , "$list")
    (cd / && "$root$opt/$1/bin/python" -c "import $modules")
}

# Use a release from now on, with its units; fails if the clock does not start with it.
use() {
    link current "$1"
    put_units "$1"
    live || return 0
    systemctl daemon-reload
    systemctl restart gammonclock.service
}
