# SPDX-License-Identifier: Apache-2.0
"""Programs in simulated time (`platter exec`): their figures are those of the request log.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import csv
import ctypes
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PLATTER = os.environ["PLATTER"]
SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
BENCHMARK = SOURCE / "tb/clients/read_times.c"
DRIVE = 'format = 1\ndrive = "cheetah9lp"\npolicy = "FCFS"\n'
BYTES = 9_174_214_144  # of this drive
CLOCK_PS = 50_000  # the default of --clock-cost


class ExecCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="platter-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "disk.toml").write_text(DRIVE)

    def call(self, *program, options=(), code=0, scenario="disk.toml"):
        """Returns the standard output and the standard error."""
        done = subprocess.run(
            [PLATTER, "exec", scenario, *options, "--", *program],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def logged(self, *program, options=(), code=0):
        """Returns the standard output, and the requests of the log."""
        out, err = self.call(
            *program, options=("--quiet", "--requests", "log.csv", *options), code=code
        )
        self.said = err
        with (self.folder / "log.csv").open() as log:
            return out, [
                {k: int(v) if v.isdigit() else v for k, v in row.items()}
                for row in csv.DictReader(log)
            ]

    def python(self, text, **how):
        return self.logged(sys.executable, "-c", "import os\n" + text, **how)

    def compile(self, name, *options, source=None):
        text = BENCHMARK if source is None else self.folder / f"{name}.c"
        if source is not None:
            text.write_text(source)
        subprocess.run(["cc", "-O2", *options, "-o", self.folder / name, text], check=True)
        return f"./{name}"


# Reads and writes of several lengths. It reads no clock, so its first request comes at the time 0.
MIXED = r"""
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>
static char data[65536];
int main(void) {
  const int lengths[] = {512, 4096, 65536};
  const int disk = open("/dev/pl0", O_RDWR);
  uint64_t x = 88172645463325252u;
  for (int i = 0; i < 300; ++i) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    const int bytes = lengths[x % 3];
    const off_t offset = (off_t)(x >> 8) % 15000000 * 512;
    if ((x >> 40) % 3 == 0)
      pwrite(disk, data, bytes, offset < 0 ? -offset : offset);
    else
      pread(disk, data, bytes, offset < 0 ? -offset : offset);
    if (PAUSES) usleep(1 + (x >> 30) % 20000);
  }
  return 0;
}
"""


def response(row):
    return row["completed_ps"] - row["issued_ps"]


class Own(ExecCase):
    """A benchmark of our own."""

    def test_every_time_is_that_of_the_log(self):
        program = self.compile("read_times")
        out, log = self.logged(program, "/dev/pl0", "200", "8192")
        reads = [[int(word) for word in line.split()] for line in out.splitlines()]
        self.assertEqual(len(reads), 200)
        self.assertEqual(len(log), 200)
        for (offset, begin, took), row in zip(reads, log, strict=True):
            self.assertEqual((row["offset_bytes"], row["length_bytes"]), (offset, 8192))
            self.assertEqual(row["issued_ps"] // 1000, begin + CLOCK_PS // 1000)
            self.assertLessEqual(abs(took - (response(row) + CLOCK_PS) / 1000), 1)

    def test_two_runs_give_the_same_bytes(self):
        program = self.compile("read_times")
        script = f"{program} /dev/pl0 50 4096; date; echo text > /dev/pl0; head -c 4 /dev/pl0"
        first = self.logged("sh", "-c", script)
        log = (self.folder / "log.csv").read_bytes()
        self.assertEqual(self.logged("sh", "-c", script), first)
        self.assertEqual((self.folder / "log.csv").read_bytes(), log)
        self.assertIn("2026\ntext", first[0])
        # Nor does it matter who watches.
        watched = self.logged(
            "sh", "-c", script, options=("--waves", "w.fst", "--timeline", "t.json")
        )
        self.assertEqual(watched[0], first[0])
        self.assertEqual((self.folder / "log.csv").read_bytes(), log)
        self.assertGreater((self.folder / "w.fst").stat().st_size, 1000)

    def test_its_requests_take_as_long_as_in_a_run(self):
        # With no pause the program is a closed load of one request; with pauses it is an open one.
        for pauses, pace in ((0, "closed"), (1, "open")):
            with self.subTest(pace=pace):
                program = self.compile(pace, "-w", f"-DPAUSES={pauses}", source=MIXED)
                _, log = self.logged(program)
                trace = ""
                for row in log:
                    place = f"{row['offset_bytes'] // 512} {row['length_bytes'] // 512}"
                    trace += f"{row['issued_ps']} 0 {place} {int(row['op'] == 'R')}\n"
                (self.folder / "trace").write_text(trace)
                keys = {
                    "sim.warmup_s": 0,
                    "sim.measure_s": 0,
                    "workload.pace": pace,
                    "workload.discrete.source": "trace",
                    "workload.discrete.trace": self.folder / "trace",
                    "workload.discrete.trace_format": "disksim-ascii",
                    "workload.discrete.trace_time_unit": "ps",
                }
                words = [
                    word for key, value in keys.items() for word in ("--set", f"{key}={value}")
                ]
                command = [PLATTER, "run", "disk.toml", "--quiet", "--requests", "run.csv", *words]
                subprocess.run(command, cwd=self.folder, check=True, timeout=120)
                with (self.folder / "run.csv").open() as file:
                    run = [row["completed_ps"] for row in csv.DictReader(file)]
                self.assertEqual(len(run), 300)
                self.assertEqual([str(row["completed_ps"]) for row in log], run)

    def test_the_cost_of_a_clock(self):
        program = self.compile("read_times")
        sums = []
        for cost in (1000, 3000):
            out, log = self.logged(
                program, "/dev/pl0", "20", "4096", options=("--clock-cost", str(cost))
            )
            took = sum(int(line.split()[2]) for line in out.splitlines())
            sums.append(took - sum(map(response, log)) / 1000)
        self.assertAlmostEqual(sums[0], 20 * 1000, delta=20)
        self.assertAlmostEqual(sums[1], 20 * 3000, delta=20)

    def test_a_loop_over_the_clock_ends(self):
        out, _ = self.python(
            "import time\nfrom time import monotonic as now\nbegin = now()\nn = 0\n"
            "while now() < begin + 1e-4: n += 1\nprint(n)"
        )
        self.assertAlmostEqual(int(out), 2000, delta=2)

    def test_20000_reads_a_second(self):
        program = self.compile("read_times")
        begin = time.monotonic()
        self.call(program, "/dev/pl0", "20000", "4096", "sum", options=("--quiet",))
        # The promise is one second. This allows for a busy machine and for sanitizers.
        self.assertLess(time.monotonic() - begin, 20)


class Calls(ExecCase):
    """What single calls do."""

    def test_ends_of_the_device(self):
        out, log = self.python(
            f"""
fd = os.open("/dev/pl0", os.O_RDWR)
print(os.lseek(fd, 0, os.SEEK_END) == {BYTES}, os.read(fd, 10))
try: os.write(fd, b"x")
except OSError as error: print(error.strerror)
print(os.lseek(fd, -3, os.SEEK_END) == {BYTES} - 3, os.write(fd, b"12345"))
print(os.pread(fd, 100, {BYTES} - 4))
try: os.lseek(fd, 1, os.SEEK_END)
except OSError as error: print(error.strerror)
"""
        )
        self.assertEqual(
            out.splitlines(),
            ["True b''", "No space left on device", "True 3", "b'\\x00123'", "Invalid argument"],
        )
        # The three bytes are read, changed and written as a block.
        self.assertEqual("".join(row["op"] for row in log), "RWR")
        self.assertEqual({row["length_bytes"] for row in log}, {512})

    def test_parts_of_blocks_and_long_calls(self):
        out, log = self.python(
            """
fd = os.open("/dev/pl0", os.O_RDWR)
os.pwrite(fd, b"a" * 2048, 0)
os.pwrite(fd, b"b" * 1024, 500)
print(os.pread(fd, 2048, 0) == b"a" * 500 + b"b" * 1024 + b"a" * 524)
data = bytes(range(256)) * 20000
print(os.pwrite(fd, data, 700), os.pread(fd, len(data), 700) == data)
os.lseek(fd, 4096, 0)
print(os.readv(fd, [bytearray(100), bytearray(412)]), os.lseek(os.dup(fd), 0, 1))
"""
        )
        self.assertEqual(out.splitlines(), ["True", "5120000 True", "512 4608"])
        self.assertEqual("".join(row["op"] for row in log)[:5], "WRRWR")
        self.assertLessEqual(max(row["length_bytes"] for row in log), 1280 << 10)
        # A call of several requests issues them together.
        times = [row["issued_ps"] for row in log]
        self.assertLess(len(set(times)), len(times))

    def test_direct_calls_are_aligned(self):
        out, _ = self.python(
            """
import fcntl, mmap
fd = os.open("/dev/pl0", os.O_RDONLY | os.O_DIRECT)
data = mmap.mmap(-1, 4096)
print(os.preadv(fd, [data], 512))
view = memoryview(data)
for buffer, offset in ((data, 100), (view[8:520], 0), (view[:100], 0)):
    try: print(os.preadv(fd, [buffer], offset))
    except OSError as error: print(error.strerror)
fcntl.fcntl(fd, fcntl.F_SETFL, 0)
print(os.preadv(fd, [data], 100))
try: os.write(fd, b"x")
except OSError as error: print(error.strerror)
"""
        )
        self.assertEqual(
            out.splitlines(), ["4096", *["Invalid argument"] * 3, "4096", "Bad file descriptor"]
        )

    def test_durable_writes(self):
        """On a drive with a write cache a plain write is short, and one with O_DSYNC is not."""
        _, log = self.python(
            """
fd = os.open("/dev/pl0", os.O_RDWR)
os.pwrite(fd, bytes(4096), 1 << 30)
os.fsync(fd)
fd = os.open("/dev/pl0", os.O_RDWR | os.O_DSYNC)
os.pwrite(fd, bytes(4096), 2 << 30)
""",
            options=(
                "--set",
                "drive.cache.write_back=append",
                "--set",
                "drive.cache.write_segments=4",
            ),
        )
        self.assertEqual([row["length_bytes"] for row in log], [4096, 0, 4096])  # 0: a flush
        plain, flush, durable = map(response, log)
        self.assertLess(plain, 2_000_000_000)
        self.assertGreater(flush, 2_000_000_000)
        self.assertGreater(durable, 2_000_000_000)

    def test_facts(self):
        out, _ = self.python(
            """
import fcntl, stat, struct
fd = os.open("/dev/pl0", os.O_RDONLY)
for facts in (os.fstat(fd), os.stat("/dev/pl0"), os.lstat("/dev/../dev//pl0")):
    print(stat.S_ISBLK(facts.st_mode), facts.st_size)
for request, form in zip((0x80081272, 0x1260, 0x1268, 0x127b, 0x1278), "QLiII"):
    print(*struct.unpack(form, fcntl.ioctl(fd, request, bytes(struct.calcsize(form)))))
fcntl.ioctl(fd, 0x1261)
os.chdir("/dev")
print(os.path.exists("pl0"), os.path.exists("pl1"), os.path.realpath("pl0"))
"""
        )
        self.assertEqual(
            out.splitlines(),
            ["True 0"] * 3
            + [str(BYTES), str(BYTES // 512), "512", "512", "512", "True False /dev/pl0"],
        )
        (self.folder / "disk.toml").write_text(DRIVE.replace("cheetah9lp", "wd22tb"))
        out, _ = self.call("/sbin/blockdev", "--getss", "--getpbsz", "/dev/pl0")
        self.assertEqual(out, "512\n4096\n")

    def test_fortified_forms_are_taken(self):
        library = pathlib.Path(PLATTER).parent / "libplatter_exec.so"
        listed = subprocess.check_output(["nm", "-D", "--defined-only", library], text=True)
        taken = {line.split()[-1] for line in listed.splitlines()}
        libc = ctypes.CDLL(None)
        forms = {f"__{name}_{form}" for name in taken for form in ("chk", "2")}
        forms = {form for form in forms if hasattr(libc, form)}
        self.assertGreater(len(forms), 10)
        self.assertEqual(forms - taken, set())

    def test_sleeps_take_no_real_time(self):
        begin = time.monotonic()
        out, _ = self.python(
            "import time, select\nbegin = time.time()\ntime.sleep(3600)\n"
            "select.select([], [], [], 60)\nprint(begin, time.time() - begin)"
        )
        self.assertLess(time.monotonic() - begin, 60)
        began, took = map(float, out.split())
        self.assertAlmostEqual(began, 1_767_225_600, delta=1)
        self.assertAlmostEqual(took, 3660, places=3)

    def test_descriptors_of_child_processes(self):
        script = """
exec 5<>/dev/pl0
printf '%512s' one >&5
printf '%512s' two | dd bs=512 status=none >&5
head -c 1024 < /dev/pl0 | tr -d ' '; echo
bash -c 'echo three > /dev/pl0'
read -r word < /dev/pl0; echo "$word"
head -c 100 /dev/pl0 | wc -c
"""
        out, _ = self.call("bash", "-c", script, options=("--quiet",))
        self.assertEqual(out.split(), ["onetwo", "three", "100"])

    def test_programs_that_a_program_starts(self):
        """They get its descriptors, and it keeps its own. (Python starts them with vfork.)"""
        out, _ = self.python(
            """
import subprocess
fd = os.open("/dev/pl0", os.O_RDWR)
os.write(fd, b"abcdef")
os.lseek(fd, 0, 0)
print(subprocess.run(["head", "-c", "3"], stdin=fd, capture_output=True).stdout)
print(os.lseek(fd, 0, 1), os.read(fd, 3))
"""
        )
        self.assertEqual(out, "b'abc'\n3 b'def'\n")

    def test_other_names_of_a_descriptor(self):
        script = """
echo text > /dev/pl0
head -c 4 /dev/stdin < /dev/pl0; echo
exec 3< /dev/pl0
head -c 4 /dev/fd/3; head -c 4 /proc/self/fd/3; echo; stat -L -c %F /dev/fd/3
head -c 4 /dev/./fd/3; head -c 4 /proc/$$/fd/3; (cd /dev/fd && head -c 4 3); echo
ln -s /dev/pl0 disk; ln -s disk link; head -c 4 link; echo
ln -s self self; cat self 2>/dev/null; echo $?
"""
        out, _ = self.call("sh", "-c", script, options=("--quiet",))
        self.assertEqual(
            out.splitlines(),
            ["text", "texttext", "block special file", "texttexttext", "text", "1"],
        )

    def test_the_parent_of_vfork_waits(self):
        program = self.compile(
            "vfork",
            source="""#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
int main(void) {
  int ends[2], bytes = 0;
  if (pipe(ends) != 0) return 1;
  if (vfork() == 0) {
    for (volatile long i = 0; i < 30000000; ++i) {}
    _exit(write(ends[1], "done", 4) != 4);
  }
  ioctl(ends[0], FIONREAD, &bytes);
  printf("%d\\n", bytes);
}
""",
        )
        self.assertEqual(self.call(program, options=("--quiet",))[0], "4\n")

    def test_appending_begins_at_the_position(self):
        """A block device ignores O_APPEND."""
        script = "echo one > /dev/pl0; echo two >> /dev/pl0; head -c 4 /dev/pl0"
        self.assertEqual(self.call("sh", "-c", script, options=("--quiet",))[0], "two\n")

    def test_waits_with_a_timeout(self):
        """For locks and signals: their time passes in simulation, too."""
        out, _ = self.python(
            """
import ctypes, signal, threading, time
lock = threading.Lock()
lock.acquire()
library = ctypes.CDLL(None)
mutex = ctypes.create_string_buffer(64)
condition = ctypes.create_string_buffer(64)
readers = ctypes.create_string_buffer(64)
library.pthread_rwlock_rdlock(readers)
library.pthread_mutex_lock(mutex)
def until(clock):
    nanoseconds = time.clock_gettime_ns(clock) + 20_000_000
    return (ctypes.c_long * 2)(*divmod(nanoseconds, 10**9))
for wait in (
    lambda: lock.acquire(timeout=0.02),
    lambda: signal.sigtimedwait([signal.SIGUSR1], 0.02),
    lambda: library.pthread_mutex_timedlock(mutex, until(time.CLOCK_REALTIME)),
    lambda: library.pthread_cond_clockwait(
        condition, mutex, time.CLOCK_MONOTONIC, until(time.CLOCK_MONOTONIC)
    ),
    lambda: library.pthread_rwlock_timedwrlock(readers, until(time.CLOCK_REALTIME)),
):
    begin = time.monotonic()
    wait()
    print(f"{time.monotonic() - begin:.4f}")
"""
        )
        self.assertEqual(out, "0.0200\n" * 5)

    def test_streams(self):
        program = self.compile(
            "streams",
            "-D_FORTIFY_SOURCE=2",
            "-D_GNU_SOURCE",
            "-Wno-unused-result",
            source="""#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
int main(void) {
  char text[8] = "";
  FILE* disk = fopen("/dev/pl0", "r+");
  fputs("abcdef", disk);
  rewind(disk);
  fgets(text, 4, disk);
  printf("%s %ld %d\\n", text, ftell(disk), fileno(disk) > 2);
  fclose(disk);
  disk = fopen("/dev/pl0", "a");
  printf("%d\\n", fputs("x", disk) >= 0 && fflush(disk) == EOF);
  fclose(disk);
  freopen("/dev/pl0", "r", stdin);
  printf("%c\\n", getchar());
  fputs("ABCD", stderr);
  const int fd = open("/dev/pl0", O_RDWR), out = dup(1);
  lseek(fd, 4, SEEK_SET);
  fflush(stdout), close(1), dup(fd), puts("EFG"), fclose(stdout);
  const int none = open("/dev/null", O_WRONLY);
  fclose(stdin), dup2(none, 0);
  pread(fd, text, 7, 0);
  const int nowhere = lseek(fd, 0, SEEK_DATA);
  dup2(fd, 0), close_range(0, 0, 0), open("/proc/version", O_RDONLY);
  dprintf(out, "%s %d %d %d %c\\n", text, none, ioctl(fd, FIOCLEX), nowhere, getchar());
  return 0;
}
""",
        )
        out, _ = self.call("sh", "-c", f"{program} 2> /dev/pl0", options=("--quiet",))
        self.assertEqual(out, "abc 3 1\n1\na\nABCDEFG 1 0 -1 L\n")

    def test_a_second_thread_is_refused(self):
        out, _ = self.python(
            "import threading\ntry: threading.Thread(target=print).start()\n"
            "except RuntimeError as error: print(error)\nprint(os.cpu_count())"
        )
        self.assertEqual(out, "can't start new thread\n1\n")
        self.assertIn("one thread only", self.said)


class Endings(ExecCase):
    def test_exit_codes(self):
        for script, code in (("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143), ("", 0)):
            with self.subTest(script):
                self.call("sh", "-c", script, code=code)

    def test_only_the_program_has_the_standard_output(self):
        out, err = self.call("echo", "hello", options=("--result", "result.json"))
        self.assertEqual(out, "hello\n")
        self.assertIn("result.json", err)
        self.assertTrue((self.folder / "result.json").exists())
        self.assertEqual(self.call("true", options=("--quiet",)), ("", ""))

    def test_contents_survive_in_a_disk_file(self):
        disk = ("--quiet", "--disk", "disk.img")
        self.call("sh", "-c", "echo words > /dev/pl0; sleep 1", options=disk)
        self.assertEqual(self.call("head", "-c", "5", "/dev/pl0", options=disk)[0], "words")
        (self.folder / "image").write_bytes(b"image" + bytes(507))
        image = ("--quiet", "--image", "image")
        self.assertEqual(self.call("head", "-c", "5", "/dev/pl0", options=image)[0], "image")

    def test_the_drive_side_is_killed(self):
        text = """
import os, signal
fd = os.open("/dev/pl0", os.O_RDONLY)
os.kill(os.getppid(), signal.SIGKILL)
for _ in range(2):
    try: print(os.pread(fd, 512, 0))
    except OSError as error: print(error.strerror)
"""
        done = subprocess.run(
            [PLATTER, "exec", "disk.toml", "--", sys.executable, "-c", text],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.assertEqual(done.returncode, -signal.SIGKILL)
        self.assertEqual(done.stdout, "Input/output error\n" * 2)
        self.assertEqual(done.stderr.count("has ended"), 1)

    def test_signals_are_passed_on(self):
        process = subprocess.Popen(
            [PLATTER, "exec", "disk.toml", "--quiet", "--requests", "log.csv", "--", "sh", "-c",
             "trap 'echo bye; exit 5' TERM; while :; do head -c 9 /dev/pl0; echo; done"],
            cwd=self.folder, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        process.stdout.readline()
        process.terminate()
        self.assertTrue(process.communicate(timeout=60)[0].endswith("bye\n"))
        self.assertEqual(process.returncode, 5)
        self.assertTrue((self.folder / "log.csv").exists())

    def test_blocked_signals_are_inherited(self):
        """The end of the program is noticed all the same."""
        text = (
            "import os, signal, sys\n"
            "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD, signal.SIGUSR1])\n"
            "os.execv(sys.argv[1], sys.argv[1:])"
        )
        program = [
            PLATTER,
            "exec",
            "disk.toml",
            "--quiet",
            "--",
            "grep",
            "Blk",
            "/proc/self/status",
        ]
        process = subprocess.Popen(
            [sys.executable, "-c", text, *program],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.kill)
        out, _ = process.communicate(timeout=60)
        blocked = int(out.split()[1], 16)
        self.assertEqual(blocked, 1 << signal.SIGCHLD - 1 | 1 << signal.SIGUSR1 - 1)

    def test_errors_of_the_drive(self):
        (self.folder / "disk.toml").write_text(
            DRIVE + '[[fault]]\nkind = "unreadable"\nblock = 80\nblocks = 1\n'
        )
        out, log = self.python(
            "fd = os.open('/dev/pl0', os.O_RDONLY)\nprint(len(os.pread(fd, 4096, 0)))\n"
            "try: os.pread(fd, 4096, 40960)\nexcept OSError as error: print(error.strerror)"
        )
        self.assertEqual(out, "4096\nInput/output error\n")
        self.assertEqual([row["status"] for row in log], ["good", "a sector cannot be read"])


class BadInput(ExecCase):
    def refused(self, *program, says, options=(), **how):
        out, err = self.call(*program, options=("--requests", "l.csv", *options), code=2, **how)
        self.assertIn(says, err)
        self.assertEqual(out, "")
        self.assertFalse((self.folder / "l.csv").exists())

    def test_programs(self):
        source = "int main(void) { return 0; }"
        static = self.compile("static", "-static", source=source)
        script = self.folder / "script"
        script.write_text("echo x\n")
        script.chmod(0o755)
        through = self.folder / "through"
        through.write_text(f"#!{self.folder / 'static'}\n")
        through.chmod(0o755)
        secure = self.folder / self.compile("secure", source=source)
        secure.chmod(0o4755)
        for program, says in (
            ("no_such_program", "no such program"),
            ("./none", "No such file"),
            ("/", "no regular file"),
            ("./disk.toml", "must not be executed"),
            (static, "static program"),
            ("./through", "static program"),
            ("./script", "#!"),
            ("./secure", "set-uid"),
        ):
            with self.subTest(program):
                self.refused(program, says=says)

    def test_options(self):
        for options, says in (
            (("--device", "pl0"), "absolute"),
            (("--device", "/dev/../x"), "without /../"),
            (("--device", "/dev/null"), "no file"),
            (("--clock-cost", "0"), "--clock-cost"),
            (("--disk", "a", "--image", "b"), "--image"),
            (("--set", "host.kind=array"), "host.kind"),
            (("--set", "drive.geometry.sector_bytes=520"), "power of two"),
        ):
            with self.subTest(options):
                self.refused("true", options=options, says=says)
        self.refused(says="PROGRAM")
        self.refused("true", scenario="none.toml", says="none.toml")


class Programs(ExecCase):
    """Programs of others."""

    def test_dd(self):
        _, log = self.logged(
            "dd", "if=/dev/pl0", "of=/dev/null", "bs=64k", "count=20", "iflag=direct"
        )
        self.assertEqual([row["offset_bytes"] for row in log], list(range(0, 20 << 16, 1 << 16)))
        seconds = float(re.search(r"copied, ([\d.e-]+) s", self.said)[1])
        measured = log[-1]["completed_ps"] - log[0]["issued_ps"]
        self.assertAlmostEqual(seconds, measured * 1e-12, delta=1e-6)

    def test_ioping(self):
        out, log = self.logged("ioping", "-B", "-D", "-c", "21", "-i", "0", "/dev/pl0")
        count, total, _, _, least, mean, most, _, *_ = map(int, out.split())
        self.assertEqual(count, 20)
        times = [response(row) / 1000 for row in log[-20:]]  # the first one warms up
        for said, logged in (
            (total, sum(times)),
            (least, min(times)),
            (mean, sum(times) / 20),
            (most, max(times)),
        ):
            self.assertAlmostEqual(said, logged, delta=1000 * (20 if said == total else 1))

    def test_badblocks(self):
        (self.folder / "disk.toml").write_text(
            DRIVE + '[[fault]]\nkind = "unreadable"\nblock = 800\nblocks = 1\n'
        )
        out, log = self.logged("/sbin/badblocks", "-b", "4096", "/dev/pl0", "400")
        self.assertEqual(out, "100\n")
        self.assertIn("a sector cannot be read", {row["status"] for row in log})
        self.assertEqual(max(r["offset_bytes"] + r["length_bytes"] for r in log), 401 * 4096)

    def test_a_file_system(self):
        (self.folder / "file").write_bytes(os.urandom(100_000))
        script = """
set -e
/sbin/mkfs.ext2 -q -F /dev/pl0 4000
/sbin/debugfs -w -R "write file copy" /dev/pl0
/sbin/debugfs -R "dump copy copied" /dev/pl0
cmp file copied
/sbin/e2fsck -f -n /dev/pl0
"""
        out, _ = self.call("sh", "-c", script, options=("--quiet",))
        self.assertIn("12/", out)


if __name__ == "__main__":
    unittest.main()
