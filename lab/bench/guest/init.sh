#!/bin/sh
# The first program of the guest: mounts what the clock needs, with a Raspberry Pi's /proc/cpuinfo,
# and starts the agent.
#
# The root is the host's own file system, read-only. Only these can be written: /run, which is in
# memory, the test's folder ($BENCH_FOLDER, at /run/test) and what the agent mounts. /tmp stays the
# host's, because the clock's environment may be there.
set -e
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null || true  # the kernel may have done it
mount -t configfs configfs /sys/kernel/config
mount -t tmpfs tmpfs /run
mkdir /run/test /run/log /run/tmp
mount -t hostfs hostfs /run/test -o "$BENCH_FOLDER"
printf 'Hardware\t: BCM2835\nRevision\t: c03115\nModel\t\t: Raspberry Pi 4 Model B Rev 1.5\n' \
    >/run/cpuinfo
mount --bind /run/cpuinfo /proc/cpuinfo
cd /run
export HOME=/run TMPDIR=/run/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin
exec "$BENCH_PYTHON" -S -m lab.bench.guest.agent
