#!/bin/sh
# Runs a command that finds the model name of a Raspberry Pi in /proc. Files cannot be created in
# the kernel's own /proc, so this mounts a tmpfs with that name and links to everything else.
# Use a mount namespace: `unshare --mount sh as_pi.sh COMMAND`.
set -e
mkdir -p /run/proc
mount --rbind /proc /run/proc
mount -t tmpfs tmpfs /proc
ln -s /run/proc/* /proc/
mkdir /proc/device-tree
printf 'Raspberry Pi 4 Model B Rev 1.5\0' >/proc/device-tree/model
exec "$@"
