# SPDX-License-Identifier: Apache-2.0
"""What the guest does: shell scripts for busybox. Each part of their output begins with a line
`== NAME`."""

from collections.abc import Iterable, Sequence

SCSI_PACKAGES = ("sg3-utils", "sdparm")
SCSI_PROGRAMS = (
    "sdparm",
    "sg_inq",
    "sg_logs",
    "sg_luns",
    "sg_modes",
    "sg_opcodes",
    "sg_persist",
    "sg_readcap",
    "sg_reassign",
    "sg_requests",
    "sg_reset",
    "sg_start",
    "sg_sync",
    "sg_turs",
    "sg_verify",
    "sg_vpd",
    "sg_write_same",
)

_BEGIN = """#!/bin/sh
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin:/usr/sbin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; \
mount -t debugfs debug /sys/kernel/debug
dmesg -n 1
. /modules/load 2>/tmp/modules
for i in $(seq 600); do [ -b /dev/sda ] && break; sleep 0.1; done
part() { echo; echo "== $1"; }
must() { "$@" || echo "FAILED: $*"; }
"""

_END = """
part complaints
dmesg -r | grep -E '^<[0-4]>' | grep -E -i 'ata|ahci|sd |scsi|ext4|xfs|btrfs|i/o|blk' | \
grep -v 'Power-on or device reset occurred' | sed 's/^<[0-9]*>//'
part end
poweroff -f
"""

_DISK = """
part dmesg
dmesg | grep -E 'ahci|ata1|sd 0|scsi 0'
part queue
cat /sys/block/sda/device/queue_depth
for range in /sys/block/sda/queue/independent_access_ranges/*; do
  [ -e $range/sector ] && echo "range ${range##*/}: $(cat $range/sector) $(cat $range/nr_sectors)"
done
part hdparm
hdparm -I /dev/sda
part smartctl
smartctl -x /dev/sda
"""

_SCSI = """
sg=/dev/$(ls /sys/block/sda/device/scsi_generic)
part dmesg
dmesg | grep -E 'sd [0-9]|scsi [0-9]|\\[sda\\]'
part queue
cat /sys/block/sda/device/queue_depth
for range in /sys/block/sda/queue/independent_access_ranges/*; do
  [ -e $range/sector ] && echo "range ${range##*/}: $(cat $range/sector) $(cat $range/nr_sectors)"
done
part inquiry
must sg_inq $sg
for page in sv sn di bl bdc lbpv; do must sg_vpd --page=$page $sg; done
part capacity
must sg_readcap --long $sg; must sg_turs $sg; must sg_luns $sg
part pages
must sg_modes --all $sg; must sg_logs --all $sg; must sg_opcodes $sg
part sdparm
sdparm --all /dev/sda; echo "exit code $?"  # not 0: no mode page can be saved
must sdparm --clear=WCE /dev/sda; sdparm --get=WCE /dev/sda; echo "exit code $?"
must sdparm --set=WCE /dev/sda
part reservations
must sg_persist --out --register --param-sark=abc $sg
must sg_persist --out --reserve --param-rk=abc --prout-type=1 $sg
must sg_persist --in --read-full-status $sg
must sg_persist --out --clear --param-rk=abc $sg
part media
must sg_verify --count=64 $sg; must sg_sync $sg; must sg_requests $sg
must sg_write_same --lba=64 --num=64 --in=/dev/zero --xferlen=512 $sg
must sg_reassign --grown $sg; must sg_start --stop $sg; must sg_start --start $sg
must sg_reset --device $sg
part smartctl
smartctl -d scsi -x /dev/sda
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
--rwmixread=70 --bs=4k --iodepth={depth} \\
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


def everything(fio_size: str = "16m", scsi: bool = False) -> str:
    """Shows the disk, uses it with ext4, and verifies with fio and blktrace. `scsi`: it is a SCSI
    disk."""
    return _BEGIN + (_SCSI if scsi else _DISK) + _EXT4.replace("{fio_size}", fio_size) + _END


def load(commands: int, depth: int = 32) -> str:
    """Random reads and writes at a depth, so many."""
    text = _LOAD.replace("{commands}", str(commands)).replace("{depth}", str(depth))
    return _BEGIN + text + _END


def file_systems() -> str:
    """A run with each of three file systems, and its check."""
    return (
        _BEGIN
        + _OTHERS.format(name="ext4", mkfs="mkfs.ext4 -q -F", fsck="e2fsck -f -n")
        + _OTHERS.format(name="xfs", mkfs="mkfs.xfs -q -f", fsck="xfs_repair -n")
        + _OTHERS.format(name="btrfs", mkfs="mkfs.btrfs -q -f", fsck="btrfs check")
        + _END
    )


# --- a stream and random reads ---------------------------------------------------------------

_STARVATION = """
part case{number}
echo {scheduler} > /sys/block/sda/queue/scheduler
{settings}
must grep -q '\\[{scheduler}\\]' /sys/block/sda/queue/scheduler
fio --output=/tmp/fio --output-format=json --filename=/dev/sda --direct=1 --ioengine=libaio \
--time_based --runtime={seconds} \
--name=stream --rw=read --bs=1m --size=20% {stream} \
--name=random --rw=randread --bs=4k --size=100% --norandommap --iodepth=1 {random} \
>/dev/null || echo "FAILED: fio"
cat /tmp/fio
"""


def starvation(cases: Iterable[tuple[str, str, str, str]], seconds: int) -> str:
    """A stream and random reads for so many seconds, once for each case: the scheduler, commands
    before it, and options of fio for both jobs."""
    return (
        _BEGIN
        + 'echo_to() { echo "$1" > "$2"; }\n'
        + "".join(
            _STARVATION.format(
                number=number,
                scheduler=scheduler,
                settings=settings,
                seconds=seconds,
                stream=stream,
                random=random,
            )
            for number, (scheduler, settings, stream, random) in enumerate(cases)
        )
        + _END
    )


# --- faults ----------------------------------------------------------------------------------

# `host NAME` waits until the host has made the faults of that name. Blocks of 4 KiB are read and
# written without a cache.
_FAULTS = """
for disk in /dev/sd?; do
  case $(readlink -f /sys/block/${disk#/dev/}) in
  */ata1/*) a=$disk ;;
  */ata2/*) b=$disk ;;
  */ata3/*) c=$disk ;;
  esac
done
host() { echo "HOST $1"; read line; }
direct() { said=$(dd bs=4k count=1 "$@" 2>&1) || echo "failed, $said"; }
get() { direct if=$1 of=/dev/null skip=$2 iflag=direct; }
put() { direct if=/dev/zero of=$1 seek=$2 oflag=direct conv=fsync; }
raw() { smartctl -A $1 | awk -v id=$2 -v name=$3 '$1 == id { print name, $10 }'; }
test_short() {
  smartctl -t short $1 > /dev/null
  for i in $(seq 100); do
    smartctl -c $1 | grep -q 'Self-test routine in progress' || break
    sleep 0.5
  done
}
news() { dmesg -c | grep -E "$1"; }
idle() { while [ "$(cat /sys/block/md0/md/sync_action)" != idle ]; do sleep 0.1; done; }
export MDADM_NO_UDEV=1; mkdir -p /run/mdadm
dmesg -c > /dev/null

part medium
yes "some data" | dd of=$b bs=64k count=2 seek=624 iflag=fullblock oflag=direct 2>/dev/null
before() { dd if=$b bs=4k skip=9984 count=16 2>/dev/null | md5sum; }
good=$(before); echo 3 > /proc/sys/vm/drop_caches
host medium
# Read ahead in pieces, of which one reaches into the bad block.
[ "$(before)" = "$good" ] && echo "data before block 10000 good"
for block in 9998 9999 10000 10001 10002; do echo "block $block: $(get $b $block)"; done
raw $b 197 pending; raw $b 187 uncorrectable
news 'ata|sd |res '
put $b 10000; echo "written, block 10000: $(get $b 10000)"
raw $b 197 pending
part reallocated
host permanent
echo "block 20000: $(get $b 20000)"; put $b 20000; echo "written, block 20000: $(get $b 20000)"
raw $b 5 reallocated; raw $b 197 pending
dmesg -c > /dev/null

part lost
echo 3 > /sys/block/${b#/dev/}/device/timeout
host lost
begin=$(cut -d ' ' -f 1 /proc/uptime)
echo "block 30000: $(get $b 30000)"
echo "from $begin to $(cut -d ' ' -f 1 /proc/uptime)"
raw $b 188 timeouts
news 'ata|sd |res '
for block in 30000 30001; do echo "again, block $block: $(get $b $block)"; done

part ageing
host ageing
for block in 40000 40001 40002 40003; do echo "block $block: $(get $a $block)"; done
must smartctl -l scterc,70,70 $a
smartctl -l scterc $a
test_short $a
smartctl -x $a
part failing
host failing
echo "block 50000: $(get $b 50000)"
test_short $b
smartctl -x $b
part errors
smartctl -l error $b
dmesg -c > /dev/null

part mirror
yes | mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --metadata=1.2 --bitmap=none \
  --data-offset=1024 --size=16384 --assume-clean $a $b || echo "FAILED: mdadm --create"
dd if=/dev/urandom of=/tmp/data bs=64k count=256 2>/dev/null
must dd if=/tmp/data of=/dev/md0 bs=64k oflag=direct 2>/dev/null
sum() { dd if=/dev/md0 bs=64k iflag=direct 2>/dev/null | md5sum; }
data=$(md5sum < /tmp/data)
host mirror
echo check > /sys/block/md0/md/sync_action; idle
echo "mismatches $(cat /sys/block/md0/md/mismatch_cnt)"
raw $b 197 pending
news 'md|sd |res '
echo check > /sys/block/md0/md/sync_action; idle
echo "second scrub: mismatches $(cat /sys/block/md0/md/mismatch_cnt), \
errors $(dmesg -c | grep -c 'error')"
[ "$(sum)" = "$data" ] && echo "data good" || echo "FAILED: other data"
part replaced
host broken
must mdadm /dev/md0 --add $c
must mdadm /dev/md0 --replace $b --with $c
sleep 0.3; idle
must mdadm /dev/md0 --remove $b
news 'md'
[ "$(sum)" = "$data" ] && echo "data good" || echo "FAILED: other data"
mdadm --detail /dev/md0 | grep -E 'State :|/dev/sd' | sed "s#$a#A#; s#$b#B#; s#$c#C#"
part end
poweroff -f
"""


def faults() -> str:
    """Reads and writes faulty blocks of the first two drives; a mirror of both; a third drive in
    the place of the second. The kernel's names of the drives come in any order."""
    return _BEGIN.replace("/dev/sda ]", "/dev/sdc ]") + _FAULTS


# --- losses of power -------------------------------------------------------------------------

# Makes a file system and ages it: of files of many sizes every second one is removed.
_AGED = """
part drive
cat /sys/block/sda/queue/write_cache
part made
must {mkfs} && must mount -t {name} /dev/sda /mnt
cd /mnt; mkdir new moved slot noise old
of() {{ yes "platter $1" | head -c $((512 * (1 + $1 * 7 % 40) + $1 % 512)); }}
i=0; while [ $i -lt 40 ]; do i=$((i + 1)); of $i > old/$i; done; sync
i=0; while [ $i -lt 40 ]; do i=$((i + 2)); rm old/$i; done; sync
"""

# Each number is one promise. A file is new, or moved to its name, or takes the place of an older
# one, or a line is appended; what is not synchronised is noise. The number is acknowledged when
# fsync() has returned for the file, and for the folder that has its name.
_FILES = """
part work
n=0
while :; do
  n=$((n + 1))
  case $((n % 4)) in
  1) of $n > new/$n; sync new/$n new ;;
  2) of $n > moved/tmp; sync moved/tmp; mv moved/tmp moved/$n; sync moved ;;
  3) yes "line $n" | head -n $((n % 60 + 1)) >> log; sync log . ;;
  0) of $n > slot/tmp; sync slot/tmp; mv slot/tmp slot/$((n / 4 % 8)); sync slot ;;
  esac
  echo "ACK $n"
  of $((n + 1000000)) > noise/$((n % 24)); [ $((n % 5)) = 0 ] && rm -f noise/$((n * 3 % 24))
done
"""

# Each number is one transaction in three tables. An answered COMMIT is durable in both modes:
# "extra" also synchronises the folder after the rollback journal is removed.
_DATABASE = """
part work
transactions() {{
  echo "PRAGMA journal_mode={journal}; PRAGMA synchronous={synchronous};"
  echo "PRAGMA wal_autocheckpoint=40; PRAGMA cache_size=50;"
  echo "CREATE TABLE t(n INTEGER PRIMARY KEY, v TEXT); CREATE INDEX i ON t(v);"
  echo "CREATE TABLE u(id INTEGER PRIMARY KEY, m INTEGER); CREATE TABLE last(n INTEGER);"
  echo "INSERT INTO last VALUES(0); WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1"
  echo "FROM k WHERE i < 49) INSERT INTO u SELECT i, (i - 50) * (i > 0) FROM k; SELECT 'ACK 0';"
  n=0
  while :; do
    n=$((n + 1))
    echo "BEGIN; INSERT INTO t VALUES($n, printf('%0*d', 200 + $n * 37 % 3000, $n));"
    echo "UPDATE u SET m = $n WHERE id = $n % 50; UPDATE last SET n = $n;"
    echo "COMMIT; SELECT 'ACK $n';"
  done
}}
transactions | sqlite3 -batch db
"""

_JUDGE = """
part judge
for d in /sys/block/vd*; do read serial < $d/serial; eval "disk_$serial=/dev/${{d##*/}}"; done
while read cut serial lines bytes; do
  echo "CUT $cut"
  eval "disk=\\$disk_$serial"
  if mount -t {name} $disk /mnt; then
    cd /mnt
{checks}
    cd /
    umount /mnt || echo "BAD umount"
  else
    echo "BAD mount: $(dmesg | tail -n 2)"
  fi
  {fsck} $disk > /tmp/fsck 2>&1 || {{ echo "BAD {fsck}: exit code $?"; tail -n 5 /tmp/fsck; }}
  {after}
  echo "DONE $cut"
done < /cuts
part end
poweroff -f
"""

_JUDGE_FILES = """
    head -n $lines /expected > /tmp/expected
    md5sum -c /tmp/expected 2>&1 | grep -v ': OK$' | sed 's/^/BAD /'
    md5sum slot/[0-7]
    echo "LOG $(head -c $bytes log 2>/dev/null | md5sum)"
"""

_JUDGE_DATABASE = """
    sqlite3 -batch db "PRAGMA integrity_check" 2>&1 | sed 's/^/INTEGRITY /'
    sqlite3 -batch db "SELECT 'LAST '||n||' '||(SELECT count(*) FROM t)||' '||
      (SELECT ifnull(max(n), 0) FROM t) FROM last;
      SELECT 'WRONG '||((SELECT count(*) FROM t WHERE v IS NOT
        printf('%0*d', 200 + n * 37 % 3000, n)) + (SELECT count(*) FROM u WHERE m IS NOT
        (SELECT n FROM last) - ((((SELECT n FROM last) - id) % 50 + 50) % 50)))" 2>&1
"""

# The first process of a guest without modules of its own disk.
_BEGIN_JUDGE = _BEGIN.replace("[ -b /dev/sda ]", "[ -b /dev/vda ]")


class PowerKind:
    """What is used while the power fails: a file system, or a database on one."""

    def __init__(
        self, name: str, file_system: str, mkfs: str, fsck: str, after: str = "", journal: str = ""
    ) -> None:
        """`after`: a command after each image. `journal`: of the database; none if empty."""
        self.name = name
        self.file_system = file_system
        self.database = bool(journal)
        self._mkfs, self._fsck, self._after, self._journal = mkfs, fsck, after, journal

    def modules(self) -> tuple[str, ...]:
        return ("crc32c_generic", self.file_system, "ahci", "sd_mod", "virtio_blk", "virtio_pci")

    def programs(self) -> tuple[str, ...]:
        return {
            "ext4": ("usr/sbin/mkfs.ext4", "usr/sbin/e2fsck"),
            "xfs": ("usr/sbin/mkfs.xfs", "usr/sbin/xfs_repair"),
            "btrfs": ("usr/sbin/mkfs.btrfs", "usr/bin/btrfs"),
        }[self.file_system]

    def work(self, synchronous: str = "extra") -> str:
        """Acknowledges number after number, without an end."""
        aged = _AGED.format(mkfs=self._mkfs, name=self.file_system)
        if not self.database:
            return _BEGIN + aged + _FILES
        return _BEGIN + aged + _DATABASE.format(journal=self._journal, synchronous=synchronous)

    def judge(self) -> str:
        """Checks image after image, by the lines of /cuts."""
        return _BEGIN_JUDGE + _JUDGE.format(
            name=self.file_system,
            checks=_JUDGE_DATABASE if self.database else _JUDGE_FILES,
            fsck=self._fsck,
            after=self._after,
        )


_EXT4_MKFS = "mkfs.ext4 -q -F /dev/sda 256M"
POWER_KINDS = {
    kind.name: kind
    for kind in (
        PowerKind("ext4", "ext4", _EXT4_MKFS, "e2fsck -f -n"),
        PowerKind("xfs", "xfs", "mkfs.xfs -q -f -d size=320m /dev/sda", "xfs_repair -n"),
        PowerKind(
            "btrfs",
            "btrfs",
            "mkfs.btrfs -q -f -b 320m /dev/sda",
            "btrfs check",
            # The images have the same identity; the kernel must forget the last one.
            "btrfs device scan --forget",
        ),
        PowerKind("sqlite-wal", "ext4", _EXT4_MKFS, "e2fsck -f -n", journal="wal"),
        PowerKind("sqlite-journal", "ext4", _EXT4_MKFS, "e2fsck -f -n", journal="delete"),
    )
}


# --- zones -----------------------------------------------------------------------------------

# The drive and the referee, as disks and as nodes of the driver sg.
_ZONES = """
for disk in /sys/block/sd?; do
  read model < $disk/device/model
  case $model in scsi_debug*|TCMU*) referee=${{disk##*/}} ;; *) drive=${{disk##*/}} ;; esac
done
sg() {{ echo /dev/$(ls /sys/block/$1/device/scsi_generic); }}
part disks
for disk in $referee $drive; do
  cd /sys/block/$disk
  echo "$disk: $(cat device/model | tr -d ' '), $(cat queue/zoned), $(cat queue/nr_zones) zones \
of $(cat queue/chunk_sectors) sectors, $(cat queue/max_open_zones) open, \
$(cat queue/physical_block_size)-byte physical blocks"
done
cd /
part commands
must /bin/zone_commands $(sg $referee) $(sg $drive) {seed} {commands} {without}
"""

# The pointer of a zone is written by blkzone, fio and zonefs, and read again by each.
_ZONED_PROGRAMS = """
part blkzone
d=/dev/$drive
must blkzone reset $d
must blkzone open --offset 8192 --length 2048 $d
must dd if=/dev/zero of=$d bs=64k count=2 seek=64 oflag=direct 2>/dev/null
must blkzone report --offset 8192 --count 2 $d
must blkzone close --offset 8192 --length 2048 $d
must blkzone finish --offset 10240 --length 2048 $d
must blkzone report --offset 8192 --count 2 $d
dd if=/dev/zero of=$d bs=64k count=1 seek=64 oflag=direct 2>/tmp/refused && \
echo "FAILED: a write behind the pointer" || echo "refused: $(tail -n 1 /tmp/refused)"
dmesg -c > /tmp/refusals
must blkzone reset $d
echo "zones that are not empty: $(blkzone report $d | grep -c -v -E 'em\\)|nw\\)')"
part fio
must fio --name=zoned --filename=$d --direct=1 --ioengine=libaio --zonemode=zbd --rw=randwrite \
--bs=4k --iodepth=16 --eta=never --max_open_zones=8 --offset=4m --size=32m --io_size={fio_mib}m \
--verify=crc32c --verify_fatal=1 --do_verify=1 --randrepeat=1 --output=/tmp/fio
grep -E 'err=|issued rwts' /tmp/fio
must blkzone reset $d
part zonefs
must mkfs.zonefs -f $d && must mount -t zonefs $d /mnt
ls /mnt; echo "$(ls /mnt/cnv | wc -l) conventional, $(ls /mnt/seq | wc -l) sequential"
dd if=/dev/urandom of=/tmp/data bs=64k count=16 2>/dev/null
must dd if=/tmp/data of=/mnt/seq/3 bs=64k oflag=direct,append conv=notrunc 2>/dev/null
must dd if=/tmp/data of=/mnt/seq/4 bs=64k count=3 oflag=direct,append conv=notrunc 2>/dev/null
stat -c '%n %s' /mnt/seq/3 /mnt/seq/4
must umount /mnt; must mount -t zonefs $d /mnt
stat -c '%n %s' /mnt/seq/3 /mnt/seq/4
[ "$(md5sum < /mnt/seq/3)" = "$(md5sum < /tmp/data)" ] && echo "read what was written" || \
echo "FAILED: other data"
must truncate -s 0 /mnt/seq/3; stat -c '%n %s' /mnt/seq/3
must umount /mnt
"""


# The kernel's target hands the commands of a disk of its own to the program. configfs tells it so.
_TCMU_RUNNER = """
mkdir -p /run/dbus /run/lock /var/log; ln -s /run /var/run
mount -t configfs configfs /sys/kernel/config
echo /bin/true > /proc/sys/kernel/modprobe  # all modules are loaded
must dbus-daemon --config-file=/etc/dbus.conf --nopidfile --fork
tcmu-runner --handler-path /usr/lib/x86_64-linux-gnu/tcmu-runner --tcmu-log-dir /tmp \
>/tmp/runner 2>&1 &
for i in $(seq 600); do grep -q 'is registered' /tmp/tcmu-runner.log 2>/dev/null && break; \
sleep 0.1; done
sleep 1
target=/sys/kernel/config/target; disk=$target/core/user_0/zones
must mkdir -p $disk; wwn=naa.500140500000000
for key in dev_config={config} dev_size={size} hw_block_size=512 hw_max_sectors=65535; do
  echo -n $key > $disk/control || echo "FAILED: $key"
done
echo 1 > $disk/enable || echo "FAILED: no answer of tcmu-runner"
port=$target/loopback/${{wwn}}1/tpgt_1
must mkdir -p $port/lun/lun_0; echo ${{wwn}}2 > $port/nexus
must ln -s $disk $port/lun/lun_0/zones
"""


def tcmu_runner(config: str, size: int) -> str:
    """Gives the guest a disk of so many bytes whose commands `tcmu-runner` carries out."""
    return _TCMU_RUNNER.format(config=config, size=size)


def zones(
    commands: int, seed: int, set_up: str = "", without: str = "", programs: bool = True
) -> str:
    """Random commands to the drive and to the referee, which `set_up` makes. `without`: an
    operation that is left out. `programs`: then programs for zoned drives, which need host-managed
    ones."""
    both = "[ $(ls -d /sys/block/sd? 2>/dev/null | wc -l) -ge 2 ] && break"
    begin = _BEGIN.replace("[ -b /dev/sda ] && break", both)
    if set_up:  # before it waits for the disks
        begin = begin.replace(
            "for i in", f'must() {{ "$@" || echo "FAILED: $*"; }}\n{set_up}for i in'
        )
    more = _ZONED_PROGRAMS.replace("{fio_mib}", "6") if programs else ""
    return begin + _ZONES.format(seed=seed, commands=commands, without=without) + more + _END


# --- open-iscsi ------------------------------------------------------------------------------

# The target names itself by the host's name of the server, for which the guest has the address.
_OPEN_ISCSI = """
mkdir -p /run/lock/iscsi /var/lib/iscsi
ip link set lo up; ip addr add 10.0.2.15/24 dev eth0; ip link set eth0 up
iscsid -f -c /etc/iscsi/iscsid.conf >/tmp/iscsid 2>&1 &
for i in $(seq 600); do iscsiadm -m session >/tmp/session 2>&1; [ $? = 21 ] && break; \
sleep 0.1; done
node() {{ must iscsiadm -m node -T {target} -p {portal} "$@"; }}
appears() {{ for i in $(seq 600); do [ -b /dev/sda ] && return; sleep 0.1; done; \
echo "FAILED: no disk"; }}
gone() {{ for i in $(seq 600); do [ -b /dev/sda ] || return; sleep 0.1; done; \
echo "FAILED: the disk stays"; }}
part discovery
must iscsiadm -m discovery -t sendtargets -p {portal}
node -o update -n node.session.queue_depth -v {depth}
node -o update -n node.session.cmds_max -v {window}
part login
node --login; appears
must iscsiadm -m session -P 3
echo "$(cat /sys/block/sda/device/vendor) $(cat /sys/block/sda/device/model), \
$(cat /sys/block/sda/size) sectors, queue depth $(cat /sys/block/sda/device/queue_depth), \
rotational $(cat /sys/block/sda/queue/rotational), fua $(cat /sys/block/sda/queue/fua)"
part fio
verify() {{ must fio --filename=/dev/sda --size={fio_size} --direct=1 --ioengine=libaio --bs=4k \
--verify=crc32c --verify_fatal=1 --randrepeat=1 --eta=never --iodepth=64 --output=/tmp/fio "$@"; \
grep -E 'err=|issued rwts|IO depths' /tmp/fio; }}
verify --name=verify --rw=randwrite
part logout
node --logout; gone
[ -b /dev/sda ] || echo "no disk"
part again
node -o update -n node.conn[0].iscsi.HeaderDigest -v CRC32C
node -o update -n node.conn[0].iscsi.DataDigest -v CRC32C
node --login; appears
iscsiadm -m session -P 2 | grep Digest
verify --name=verify --rw=randwrite --verify_only
verify --name=digests --rw=randrw --offset=1g
node --logout; gone
"""


def open_iscsi(portal: str, target: str, depth: int, fio_size: str) -> str:
    """Linux logs in to a target by open-iscsi, verifies with fio, logs out and in again."""
    text = _OPEN_ISCSI.format(
        portal=portal, target=target, depth=depth, window=2 * depth, fio_size=fio_size
    )
    begin = _BEGIN.replace("[ -b /dev/sda ] && break", "[ -e /sys/class/net/eth0 ] && break")
    return begin + text + _END.replace("ata|ahci", "ata|ahci|iscsi|connection")


# --- actuators -------------------------------------------------------------------------------

_ACTUATORS = """
disks=$(cd /sys/block; ls -d sd?)
sg() {{ echo /dev/$(ls /sys/block/$1/device/scsi_generic); }}
part disks
for disk in $disks; do
  cd /sys/block/$disk
  ranges=$(ls -d queue/independent_access_ranges/* 2>/dev/null)
  echo "$disk: $(cat device/model), $(cat size) sectors, rotational $(cat queue/rotational), \
$(echo $ranges | wc -w) ranges, queue depth $(cat device/queue_depth)"
  for range in $ranges; do echo "  range ${{range##*/}}: $(cat $range/sector) \
$(cat $range/nr_sectors)"; done
done
cd /
part pages
for disk in $disks; do
  echo "$disk:"
  must sg_inq $(sg $disk)
  for page in sv di bdc; do must sg_vpd --page=$page $(sg $disk); done
  sg_vpd --page=cpr $(sg $disk) 2>&1  # of one disk with two ranges only
done
part fio
# One job for each half, at the same time, so that both actuators work.
for half in {halves}; do
  jobs="$jobs --name=${{half%:*}}_${{half#*:}} --filename=/dev/${{half%:*}} \
--offset=$((${{half#*:}} * 512))"
done
must fio --size={fio_size} --direct=1 --ioengine=libaio --rw=randwrite --bs=4k --iodepth=16 \
--verify=crc32c --verify_fatal=1 --randrepeat=1 --eta=never --output=/tmp/fio $jobs
grep -E 'err=|issued rwts' /tmp/fio
part data
# The first and the last 4 KiB of each half: all are written before one is read.
places=$(for half in {halves}; do for sector in 0 $(({half} - 8)); do \
echo ${{half%:*}}:$(((${{half#*:}} + sector) / 8)); done; done)
for place in $places; do
  dd if=/dev/urandom of=/tmp/$place bs=4k count=1 2>/dev/null
  must dd if=/tmp/$place of=/dev/${{place%:*}} bs=4k count=1 seek=${{place#*:}} oflag=direct \
2>/dev/null
done
for place in $places; do
  if dd if=/dev/${{place%:*}} bs=4k count=1 skip=${{place#*:}} iflag=direct 2>/dev/null | \
cmp -s - /tmp/$place; then echo "$place: read what was written"; else echo "FAILED: $place"; fi
done
"""


def actuators(halves: Sequence[tuple[str, int]], half: int, fio_size: str) -> str:
    """Shows disks of a drive with two actuators, then writes and reads. `halves`: disk and first
    sector of the share of each actuator, which has `half` sectors."""
    last = halves[-1][0]
    return (
        _BEGIN.replace("[ -b /dev/sda ] && break", f"[ -b /dev/{last} ] && break")
        + _ACTUATORS.format(
            halves=" ".join(f"{disk}:{sector}" for disk, sector in halves),
            half=half,
            fio_size=fio_size,
        )
        + _END
    )
