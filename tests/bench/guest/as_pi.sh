#!/bin/sh
# Runs a command for which /proc has the name that a Raspberry Pi's firmware gives it. Nobody can
# make a file in the kernel's own /proc, so this one is in memory, and all but the name leads there.
# To be run in a mount namespace of its own: `unshare --mount sh as_pi.sh COMMAND`.
set -e
mkdir -p /run/proc
mount --rbind /proc /run/proc
mount -t tmpfs tmpfs /proc
ln -s /run/proc/* /proc/
mkdir /proc/device-tree
printf 'Raspberry Pi 4 Model B Rev 1.5\0' >/proc/device-tree/model
exec "$@"
