# SPDX-License-Identifier: Apache-2.0
"""What the guest does: shell scripts for busybox. Each part of their output begins with a line
`== NAME`."""

_BEGIN = """#!/bin/sh
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin:/usr/sbin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; \
mount -t debugfs debug /sys/kernel/debug
dmesg -n 1
. /modules/load 2>/tmp/modules
for i in $(seq 100); do [ -b /dev/sda ] && break; sleep 0.1; done
part() { echo; echo "== $1"; }
must() { "$@" || echo "FAILED: $*"; }
"""

_END = """
part complaints
dmesg -r | grep -E '^<[0-4]>' | grep -E -i 'ata|ahci|sd |scsi|ext4|xfs|btrfs|i/o|blk' | \
sed 's/^<[0-9]*>//'
part end
poweroff -f
"""

_DISK = """
part dmesg
dmesg | grep -E 'ahci|ata1|sd 0|scsi 0'
part queue
cat /sys/block/sda/device/queue_depth
part hdparm
hdparm -I /dev/sda
part smartctl
smartctl -x /dev/sda
"""

_EXT4 = """
part ext4
must mkfs.ext4 -q -F /dev/sda && must mount /dev/sda /mnt
must dd if=/dev/urandom of=/mnt/file bs=64k count=256 conv=fsync 2>/dev/null
for i in $(seq 20); do echo $i > /mnt/small$i; sync; done
a=$(md5sum < /mnt/file); must umount /mnt; must mount /dev/sda /mnt; b=$(md5sum < /mnt/file)
[ "$a" = "$b" ] && echo "read what was written: $a" || echo "FAILED: read $b, wrote $a"
must umount /mnt; must e2fsck -f -n /dev/sda; must mount /dev/sda /mnt
part blktrace
blktrace -d /dev/sda -D /tmp -o trace > /tmp/blktrace & sleep 0.5
fio --name=verify --filename=/mnt/fio --size={fio_size} --direct=1 --ioengine=libaio \
--rw=randwrite --bs=4k --iodepth=32 \\
  --verify=crc32c --verify_fatal=1 --randrepeat=1 --output=/tmp/fio --output-format=json \
>/dev/null || echo "FAILED: fio"
killall -INT blktrace; wait
blkparse -i trace -D /tmp -f '' | tail -n 24
part fio
cat /tmp/fio
must umount /mnt
part fsck
must e2fsck -f -n /dev/sda
"""

_OTHERS = """
part {name}
must {mkfs} /dev/sda && must mount -t {name} /dev/sda /mnt
must fio --name=files --directory=/mnt --nrfiles=50 --size=16m --rw=randwrite --bs=16k \
--iodepth=16 --ioengine=libaio --fsync=64 \\
  --verify=crc32c --verify_fatal=1 --randrepeat=1 --output=/tmp/fio && echo "verified"
must umount /mnt
must {fsck} /dev/sda && echo "clean"
"""

_LOAD = """
part load
echo none > /sys/block/sda/queue/scheduler
fio --name=load --filename=/dev/sda --size=1g --direct=1 --ioengine=libaio --rw=randrw \
--rwmixread=70 --bs=4k --iodepth=32 \\
  --iodepth_batch_submit=8 --iodepth_batch_complete_min=1 --norandommap --randrepeat=1 \
--number_ios={commands} --io_size=100g --output=/tmp/fio --output-format=json \
|| echo "FAILED: fio"
part fio
cat /tmp/fio
"""


_INSTALL = """
part install
printf 'n\\np\\n1\\n2048\\n+1G\\na\\n1\\nw\\n' | fdisk /dev/sda >/tmp/fdisk 2>&1; sleep 1; \
mdev -s 2>/dev/null
must mkfs.ext4 -q -F -O ^64bit,^metadata_csum,^orphan_file,^metadata_csum_seed /dev/sda1 \
&& must mount /dev/sda1 /mnt
mkdir -p /mnt/boot /mnt/bin /mnt/sbin /mnt/dev /mnt/proc /mnt/sys /mnt/tmp
cp /bin/busybox /mnt/bin/; ln -s busybox /mnt/bin/sh; cp /boot/* /mnt/boot/; \
cp /system /mnt/sbin/init; chmod 755 /mnt/sbin/init
must extlinux --install /mnt/boot
must umount /mnt
must dd if=/boot/mbr.bin of=/dev/sda bs=440 count=1 conv=notrunc 2>/dev/null
dd if=/dev/sda bs=1 skip=510 count=2 2>/dev/null | od -t x1 | head -1
"""

EXTLINUX = """SERIAL 0 115200
DEFAULT linux
LABEL linux
  KERNEL vmlinuz
  INITRD initrd.gz
  APPEND console=ttyS0 panic=-1 mitigations=off loglevel=4 from_disk
"""

# Of the system on the disk: its first process.
SYSTEM = """#!/bin/sh
echo; echo "== system"
echo "root: $(grep ' / ' /proc/mounts | tail -1)"
cat /proc/cmdline
ls /boot
dmesg -r | grep -E '^<[0-4]>' | grep -E -i 'ata|ahci|sd |ext4|i/o' | sed 's/^<[0-9]*>//'
echo; echo "== end"
poweroff -f
"""

# The initial file system of the system on the disk goes on there.
_SWITCH = """
if grep -q from_disk /proc/cmdline; then
  mdev -s 2>/dev/null
  mount /dev/sda1 /mnt && mount --move /dev /mnt/dev; mount --move /proc /mnt/proc; \
mount --move /sys /mnt/sys
  exec switch_root /mnt /sbin/init
fi
"""


def install() -> str:
    """Puts a system that starts by itself on the disk; or, from the disk, starts it."""
    return _BEGIN + _SWITCH + _INSTALL + _END


def everything(fio_size: str = "16m") -> str:
    """Shows the disk, uses it with ext4, and verifies with fio and blktrace."""
    return _BEGIN + _DISK + _EXT4.replace("{fio_size}", fio_size) + _END


def load(commands: int) -> str:
    """Random reads and writes at depth 32, so many."""
    return _BEGIN + _LOAD.replace("{commands}", str(commands)) + _END


def file_systems() -> str:
    """A run with each of three file systems, and its check."""
    return (
        _BEGIN
        + _OTHERS.format(name="ext4", mkfs="mkfs.ext4 -q -F", fsck="e2fsck -f -n")
        + _OTHERS.format(name="xfs", mkfs="mkfs.xfs -q -f", fsck="xfs_repair -n")
        + _OTHERS.format(name="btrfs", mkfs="mkfs.btrfs -q -f", fsck="btrfs check")
        + _END
    )
