#!/bin/sh
# The first program of a guest with systemd. It mounts an overlay: the host's file system, over it
# the installed files (the test's folder "root"), and over that memory, so that everything written
# is gone when the guest ends. Then it starts systemd, with the agent as a service.
#
# Of the host's units only the dependencies of the clock's service are started, without slow ones
# that the bench does not need (temporary files alone take 11 s).
set -e
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null || true  # the kernel may have done it
mount -t configfs configfs /sys/kernel/config
mount -t tmpfs tmpfs /run -o mode=755
mkdir /run/test /run/tmp
mount -t hostfs hostfs /run/test -o "$BENCH_FOLDER"
mount -t tmpfs tmpfs /mnt -o size=512m
[ ! -b /dev/ubda ] || mknod /run/disk b 98 0  # a mount of /dev/ubda would wait for udev
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay /mnt/root \
    -o lowerdir=/run/test/root:/,upperdir=/mnt/upper,workdir=/mnt/work
rm -f /mnt/root/.dockerenv  # with it systemd would assume a container
printf 'Hardware\t: BCM2835\nRevision\t: c03115\nModel\t\t: Raspberry Pi 4 Model B Rev 1.5\n' \
    >/run/cpuinfo
mount --bind /run/cpuinfo /proc/cpuinfo

units=/mnt/root/etc/systemd/system
rm -rf "$units"/*.wants
for unit in /lib/systemd/system/sysinit.target.wants/* /lib/systemd/system/*-udev*; do
    case $unit in
        *journald.service | *sysusers.service) ;;
        *) ln -sf /dev/null "$units/${unit##*/}" ;;
    esac
done
for unit in dbus.socket timers.target systemd-remount-fs.service getty.target \
    proc-sys-fs-binfmt_misc.mount systemd-journald-audit.socket; do
    ln -sf /dev/null "$units/$unit"
done
rm -rf /mnt/root/etc/fstab /mnt/root/etc/systemd/system-generators
mkdir /mnt/root/etc/systemd/system-generators
for generator in /lib/systemd/system-generators/*; do
    [ "${generator##*/}" != systemd-run-generator ] || continue  # of systemd.run= on the command line
    ln -s /dev/null "/mnt/root/etc/systemd/system-generators/${generator##*/}"
done
cat >"$units/bench-agent.service" <<UNIT
[Unit]
DefaultDependencies=no
[Service]
Environment="PYTHONPATH=$PYTHONPATH" "PYTHONPYCACHEPREFIX=$PYTHONPYCACHEPREFIX"
Environment=HOME=/run TMPDIR=/run/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin
WorkingDirectory=/run
ExecStart=$BENCH_PYTHON -S -m lab.bench.guest.agent
StandardOutput=append:/run/test/agent.txt
StandardError=inherit
UNIT
cat >"$units/bench.target" <<UNIT
[Unit]
Wants=bench-agent.service
# systemd forgets a unit that has ended and that no other unit refers to.
After=gammonclock.service
UNIT
ln -s bench.target "$units/default.target"
exec switch_root /mnt/root /lib/systemd/systemd
