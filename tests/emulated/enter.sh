#!/bin/sh
# Runs a command in a directory tree, as root of a Raspberry Pi without a network:
#   unshare --mount --net sh enter.sh TREE COMMAND...
# Files cannot be created in the kernel's own /proc, so this mounts a tmpfs there with the name of a
# Pi's model and links to everything else.
set -e
tree=$1
shift
mount --rbind /dev "$tree/dev"
mkdir -p "$tree/run/proc"
mount -t proc proc "$tree/run/proc"
mount -t tmpfs tmpfs "$tree/proc"
for each in "$tree"/run/proc/*; do ln -s "/run/proc/${each##*/}" "$tree/proc/"; done
mkdir "$tree/proc/device-tree"
printf 'Raspberry Pi Zero 2 W Rev 1.0\0' >"$tree/proc/device-tree/model"
# The processor is a Pi Zero 2 W's. QEMU's own has pointer authentication, which takes so long to
# emulate that programs of Trixie seem to hang.
exec env --ignore-environment QEMU_CPU=cortex-a53 HOME=/root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin \
    chroot "$tree" "$@"
