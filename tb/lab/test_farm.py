# SPDX-License-Identifier: Apache-2.0
"""`platter-lab sweep --on` and `optimise --on`: Dask workers on this machine, and a Slurm of one
node, which this test starts and ends. The model's executable is in the variable PLATTER."""

import contextlib
import io
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import polars as pl
from platter_lab import LabError, cli
from platter_lab.executable import ROOT
from platter_lab.runs import farm
from platter_lab.runs.job import digest_of

PLATTER = Path(os.environ["PLATTER"])
PLAN = f"""
format = 1
scenario = "{ROOT / "models/configs/scenarios/mixed_media.toml"}"
seeds = 8
[set]
engine = "firmware"
sim.warmup_s = 0
sim.measure_s = MEASURE
[[axis]]
key = "policy"
values = ["SPTF", "FCFS"]
[[metric]]
name = "mean"
path = "classes.discrete.response_ms.mean"
"""
_measures = iter(range(31, 200))


def until(what, limit_s=30.0):
    """What is true in the end, or nothing."""
    end = time.monotonic() + limit_s
    while not (found := what()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Farms(unittest.TestCase):
    """A plan whose runs have a length that no other test's have,
    so that its simulators are known by it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="platter-farm-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.measure = f"sim.measure_s={next(_measures)}"
        self.plan = self.folder / "plan.toml"
        self.plan.write_text(PLAN.replace("MEASURE", self.measure.rpartition("=")[2]))

    def begin(self, *command, **options):
        """A process that is ended with the test."""
        with (self.folder / "err").open("a") as err:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=err, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def dask(self, workers, *, settings=None, before=()):
        """The address of a scheduler, and its workers."""
        number = port()
        environment = {**os.environ, **(settings or {})}
        scheduler = self.begin(
            sys.executable,
            "-m",
            "distributed.cli.dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            str(number),
            "--no-dashboard",
            "--no-show",
            env=environment,
        )
        self.scheduler = scheduler
        found = [
            self.begin(
                *before,
                sys.executable,
                "-m",
                "distributed.cli.dask_worker",
                f"tcp://127.0.0.1:{number}",
                "--nthreads",
                "1",
                "--no-nanny",
                "--host",
                "127.0.0.1",
                "--no-dashboard",
                "--local-directory",
                str(self.folder / "scratch"),
                env=environment,
            )
            for _ in range(workers)
        ]
        return f"dask://127.0.0.1:{number}", found

    def executable(self, script):
        """Python that calls the model's executable in the end,
        with its arguments in sys.argv[1:]."""
        path = self.folder / "platter"
        path.write_text(
            f"#!{sys.executable} -IS\nimport os, sys, time\nPLATTER = {str(PLATTER)!r}\n"
            f"FOLDER = {str(self.folder)!r}\nRUNS = sys.argv[1] == 'run'\n"
            "def seed(*some): return RUNS and any(f'sim.seed={one}' in sys.argv for one in some)\n"
            f"{script}\nos.execv(PLATTER, [PLATTER, *sys.argv[1:]])\n"
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def words(self, platter, *options, kept="kept", output="out.parquet"):
        return [
            "sweep",
            str(self.plan),
            "--platter",
            str(platter),
            "--cache",
            str(self.folder / kept),
            "-o",
            str(self.folder / output),
            *options,
        ]

    def sweep(self, *options, platter=PLATTER, **places):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(self.words(platter, *options, **places))
        return code, out.getvalue(), err.getvalue()

    def background(self, *options, platter=PLATTER, **places):
        return subprocess.Popen(
            [sys.executable, "-m", "platter_lab.cli", *self.words(platter, *options, **places)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def kept(self, folder="kept"):
        return sorted((self.folder / folder).glob("??/*.json"))

    def simulators(self, word=""):
        """With that word in their command; by their process, the parent's."""
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                command = (process / "cmdline").read_bytes()
                # Not setpriv, which becomes the simulator when its parent's death will end it.
                if b"/setpriv\0" in b"/" + command:
                    continue
                if self.measure.encode() in command and word.encode() in command:
                    found[int(process.name)] = int(
                        (process / "stat").read_text().rpartition(")")[2].split()[1]
                    )
        return found

    def expect_as_here(self, slow):
        """The farm's table is, byte by byte, that of a sweep here; the simulators are gone."""
        self.assertEqual(
            self.sweep("--jobs", "8", platter=slow, kept="here", output="here.parquet")[0], 0
        )
        self.assertEqual(
            (self.folder / "out.parquet").read_bytes(), (self.folder / "here.parquet").read_bytes()
        )
        frame = pl.read_parquet(self.folder / "out.parquet")
        self.assertEqual(
            (frame.height, frame.select("policy", "seed").unique().height, set(frame["status"])),
            (16, 16, {"good"}),
        )
        self.assertEqual(
            [file.name for file in self.kept()], [file.name for file in self.kept("here")]
        )
        self.assertEqual(
            [file.read_text()[:9] for file in self.kept() if not file.read_text().endswith("}")], []
        )
        self.assertTrue(until(lambda: not self.simulators(), 5))
        self.assertEqual(list((self.folder / "kept").glob(".seen-*")), [])


class OnDask(Farms):
    SLOW = "if seed(1, 3, 5): time.sleep(1)"

    def test_a_search_on_workers_finds_what_it_finds_here(self):
        place, _ = self.dask(2)
        space = self.folder / "space.toml"
        space.write_text(
            f'format = 1\nscenario = "{ROOT / "models/configs/scenarios/mixed_media.toml"}"\n'
            "seeds = 2\ntrials = 8\nsearch = { batch = 4, population = 4 }\n"
            'set = { engine = "firmware", sim.warmup_s = 0, sim.measure_s = 3 }\n'
            '[[parameter]]\nkey = "drive.queue.depth"\n'
            "range = { from = 8, to = 64 }\n"
            '[[objective]]\npath = "classes.discrete.response_ms.mean"\n'
        )
        tables = []
        for on in (place, "local"):
            name = on.partition(":")[0]
            words = [
                "optimise",
                str(space),
                "--platter",
                str(PLATTER),
                "--on",
                on,
                "--cache",
                str(self.folder / f"{name}-runs"),
                "--journal",
                str(self.folder / f"{name}.journal"),
                "-o",
                str(self.folder / f"{name}.parquet"),
            ]
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(cli.main(words), 0)
            tables.append((self.folder / f"{name}.parquet").read_bytes())
        self.assertEqual(tables[0], tables[1])
        self.assertEqual(
            pl.read_parquet(self.folder / "dask.parquet")["status"].to_list(), ["good"] * 8
        )

    def test_a_worker_that_is_killed_loses_nothing_and_leaves_no_simulator(self):
        slow = self.executable(self.SLOW)
        place, workers = self.dask(3)
        sweep = self.background("--on", place, platter=slow)
        self.assertTrue(until(lambda: len(self.kept()) >= 3))
        victim = workers[0]
        simulator = until(
            lambda: next(
                (one for one, parent in self.simulators().items() if parent == victim.pid), None
            )
        )
        self.assertTrue(simulator)
        os.kill(simulator, signal.SIGSTOP)  # so that it cannot end of itself
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        self.assertTrue(
            until(lambda: simulator not in self.simulators(), 2),
            "the simulator of the lost worker is there still",
        )
        self.assertLess(len(self.kept()), 16, "nothing was left to do")
        err = sweep.communicate(timeout=60)[1]
        self.assertEqual(sweep.returncode, 0, err)
        self.expect_as_here(slow)

    def test_an_interrupted_sweep_leaves_no_simulator_and_goes_on_later(self):
        slow = self.executable(
            "import pathlib\nif seed(6): "
            f"time.sleep(0 if pathlib.Path({str(self.folder / 'quick')!r}).exists() else 1000)"
        )
        place, workers = self.dask(2)
        for number, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130)):
            with self.subTest(signal=number):
                sweep = self.background("--on", place, platter=slow)
                self.assertTrue(
                    until(lambda: len(self.kept()) >= 3 and self.simulators("sim.seed=6"))
                )
                sweep.send_signal(number)
                err = sweep.communicate(timeout=20)[1]
                self.assertEqual(sweep.returncode, code, err)
                self.assertTrue(until(lambda: not self.simulators(), 3))
                self.assertFalse((self.folder / "out.parquet").exists())
        (self.folder / "quick").touch()
        self.assertEqual([worker.poll() for worker in workers], [None, None])
        self.assertEqual(self.sweep("--on", place, platter=slow)[0], 0)
        self.expect_as_here(slow)

    def test_runs_that_fail_hang_or_end_their_workers_are_listed_and_the_others_go_on(self):
        broken = self.executable(
            "import pathlib\nif seed(2) and 'policy=SPTF' in sys.argv: sys.exit('it is broken')\n"
            "if seed(3) and 'policy=SPTF' in sys.argv: time.sleep(1000)\n"
            "if seed(4) and 'policy=SPTF' in sys.argv: os.kill(os.getppid(), 9)\n"
            "if seed(5) and not pathlib.Path(FOLDER, 'once').exists():\n"
            "  pathlib.Path(FOLDER, 'once').touch(); os.kill(os.getpid(), 9)"
        )
        # A worker holds no run but the one that it carries out,
        # so that no other one counts as lost with it.
        place, workers = self.dask(
            4,
            settings={
                "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
                "DASK_DISTRIBUTED__SCHEDULER__WORKER_SATURATION": "1.0",
            },
        )
        code, out, err = self.sweep("--on", place, "--limit", "4", platter=broken)
        self.assertEqual(code, 1, err)
        self.assertIn("16 runs, 3 failed", out)
        rows = (
            pl.read_parquet(self.folder / "out.parquet")
            .filter(status="failed")
            .select("policy", "seed", "message")
            .rows()
        )
        self.assertEqual([row[:2] for row in rows], [("SPTF", 2), ("SPTF", 3), ("SPTF", 4)])
        for row, message in zip(
            rows,
            ("it is broken", "took longer than 4 s", "2 workers ended while they carried this out"),
            strict=True,
        ):
            self.assertIn(message, row[2])
        self.assertEqual(sum(worker.poll() is None for worker in workers), 2)

    def test_a_farm_that_goes_away_ends_the_sweep(self):
        slow = self.executable("if seed(3): time.sleep(1000)")
        place, workers = self.dask(1)
        sweep = self.background("--on", place, "--wait", "2", platter=slow)
        self.assertTrue(until(lambda: len(self.kept()) >= 2))
        workers[0].kill()
        err = sweep.communicate(timeout=20)[1]
        self.assertEqual(sweep.returncode, 1)
        self.assertIn("no worker is left; the runs that finished are kept", err)
        code, _, err = self.sweep("--on", place, "--wait", "1")
        self.assertEqual(code, 1)
        self.assertIn(
            "no worker within 1 s. The scheduler is there and has no worker; "
            "expected `dask worker tcp://127.0.0.1",
            err,
        )
        sweep = self.background("--on", place, platter=slow)
        self.assertTrue(
            until(lambda: any((self.folder / "kept").glob(".seen-*"))),
            "the sweep has found the scheduler",
        )
        self.scheduler.kill()
        err = sweep.communicate(timeout=20)[1]
        self.assertEqual(sweep.returncode, 1)
        self.assertIn("is gone", err)

    def test_workers_that_see_something_else_are_refused_before_anything_runs(self):
        (self.folder / "bin").mkdir()
        (self.folder / "other").mkdir()
        elsewhere = self.folder / "bin" / "platter"
        shutil.copy(PLATTER, elsewhere)
        hide = [
            "unshare",
            "--mount",
            "sh",
            "-c",
            (
                f"mount -t tmpfs none {self.folder / 'bin'} && mount -t tmpfs none "
                f'{self.folder / "other"} && exec "$@"'
            ),
            "sh",
        ]
        if subprocess.run([*hide, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no mounts of its own for a worker here (needs root)")
        place, _ = self.dask(1, before=hide)
        code, _, err = self.sweep("--on", place, kept="other/kept")
        self.assertEqual(code, 2, err)
        self.assertIn(
            f"{self.folder}/other/kept: a worker on {socket.gethostname()} does not see", err
        )
        code, _, err = self.sweep("--on", place, platter=elsewhere)
        self.assertEqual(code, 2, err)
        self.assertIn(
            f"{elsewhere}: No such file or directory; expected a file that can be read, "
            "the executable, under the same name on all workers",
            err,
        )
        self.assertEqual(self.kept() + self.kept("other/kept"), [])

    def test_a_worker_looks_for_folder_and_executable(self):
        token = self.folder / "token"
        self.assertIn(
            f"{self.folder}: a worker", farm.unlike(farm.Shared(PLATTER, digest_of(PLATTER), token))
        )
        token.touch()
        self.assertEqual(farm.unlike(farm.Shared(PLATTER, digest_of(PLATTER), token)), "")
        self.assertIn("another content", farm.unlike(farm.Shared(PLATTER, "0", token)))
        self.assertIn("No such file", farm.unlike(farm.Shared(self.folder / "none", "0", token)))
        self.assertIn(
            "found platter_lab",
            farm.unlike(farm.Shared(PLATTER, digest_of(PLATTER), token, "0.0.1")),
        )

    def test_other_versions_are_refused(self):
        def one(dask, python):
            return {"packages": {"distributed": dask, "python": python}}

        farm.expect_same_versions(
            {
                "client": one("1", "3.11.2.final.0"),
                "scheduler": one("1", "3.11.7.final.0"),
                "workers": {"a": one("1", "3.11.2.final.0")},
            }
        )
        with self.assertRaisesRegex(LabError, "the scheduler: found Dask 2, expected 1"):
            farm.expect_same_versions(
                {"client": one("1", "3.11.2"), "scheduler": one("2", "3.11.2"), "workers": {}}
            )
        with self.assertRaisesRegex(LabError, "worker a: found Python 3.13, expected 3.11"):
            farm.expect_same_versions(
                {
                    "client": one("1", "3.11.2"),
                    "scheduler": one("1", "3.11.2"),
                    "workers": {"a": one("1", "3.13.2")},
                }
            )

    def test_what_is_missing_is_said_at_once(self):
        (self.folder / "empty").mkdir()
        begin = time.monotonic()
        for options, message, change in (
            (
                ("--on", f"dask://127.0.0.1:{port()}"),
                "no Dask scheduler answers",
                contextlib.nullcontext(),
            ),
            (
                ("--on", "slurm"),
                "found no sbatch on this machine",
                mock.patch.dict(os.environ, PATH=str(self.folder / "empty")),
            ),
            (
                ("--on", "dask://127.0.0.1:1"),
                "install it with: scripts/setup farm",
                mock.patch("importlib.util.find_spec", lambda name: None),
            ),
            (
                ("--on", "dask://here"),
                "expected local, dask://HOST:PORT or slurm",
                contextlib.nullcontext(),
            ),
            (("--on", "moon"), "--on: found moon", contextlib.nullcontext()),
            (("--slurm", "account=me"), "expected --on slurm", contextlib.nullcontext()),
            (("--wait", "0"), "--wait: found 0.0", contextlib.nullcontext()),
        ):
            with self.subTest(message=message), change:
                code, _, err = self.sweep(*options)
                self.assertEqual(code, 2, err)
                self.assertIn(message, err)
        self.assertLess(time.monotonic() - begin, 15)
        self.assertEqual(self.kept(), [])

    def test_what_answers_and_is_no_scheduler_is_said(self):
        def listen(answer):
            """The address of a server that hands each connection to `answer`."""
            listener = socket.create_server(("127.0.0.1", 0))
            self.addCleanup(listener.close)

            def serve():
                with contextlib.suppress(OSError):
                    while True:
                        connection, _ = listener.accept()
                        threading.Thread(target=answer, args=(connection,), daemon=True).start()

            threading.Thread(target=serve, daemon=True).start()
            return f"dask://127.0.0.1:{listener.getsockname()[1]}"

        def web(connection):
            with connection, contextlib.suppress(OSError):
                if connection.recv(1000).startswith(b"GET "):
                    connection.sendall(b"HTTP/1.1 200 OK\r\nServer: TornadoServer/6.5\r\n\r\n")

        def shell(connection):
            connection.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n")
            connection.recv(1000)

        def half(connection):  # begins as Dask does
            connection.sendall((20).to_bytes(8, "little"))
            connection.recv(1000)
            time.sleep(60)

        with mock.patch.object(farm, "_CONNECT_S", 1.0):
            for answer, message in (
                (
                    web,
                    (
                        r"a web server answers \(HTTP/1.1 200 OK\), "
                        r"such as the dashboard of a scheduler"
                    ),
                ),
                (shell, "not a Dask scheduler and answers b'SSH-2.0"),
                (lambda connection: time.sleep(60), "no Dask scheduler answers"),
                (half, "no Dask scheduler answers"),
            ):
                with self.subTest(message=message):
                    begin = time.monotonic()
                    code, _, err = self.sweep("--on", listen(answer))
                    self.assertEqual(code, 2, err)
                    self.assertRegex(err, message)
                    self.assertIn("as `dask scheduler` prints it", err)
                    self.assertLess(time.monotonic() - begin, 10)
        number = port()
        address, _ = self.dask(0)
        self.begin(
            sys.executable,
            "-m",
            "distributed.cli.dask_worker",
            address.replace("dask", "tcp"),
            "--no-nanny",
            "--host",
            "127.0.0.1",
            "--worker-port",
            str(number),
            "--no-dashboard",
            "--local-directory",
            str(self.folder / "scratch"),
        )
        self.assertTrue(
            until(
                lambda: (
                    "found a Dask Worker, which is not a scheduler"
                    in self.sweep("--on", f"dask://127.0.0.1:{number}")[2]
                )
            )
        )
        self.assertEqual(self.kept(), [])

    def test_options_of_slurm_are_dasks(self):
        known = ("queue", "walltime", "cores", "job_extra_directives")
        self.assertEqual(
            farm.slurm_options(
                [
                    "partition=short",
                    "walltime=00:10:00",
                    "cores=4",
                    'job-extra-directives=["--exclusive"]',
                ],
                known,
            ),
            {
                "queue": "short",
                "walltime": "00:10:00",
                "cores": 4,
                "job_extra_directives": ["--exclusive"],
            },
        )
        for wrong in ("qeue=short", "cores"):
            with self.assertRaisesRegex(
                LabError,
                "expected KEY=VALUE with one of cores, job_extra_directives, queue, walltime",
            ):
                farm.slurm_options([wrong], known)


@unittest.skipUnless(os.geteuid() == 0, "Slurm's daemons need root")
@unittest.skipUnless(
    all(map(shutil.which, ("slurmctld", "slurmd", "munged", "sbatch"))),
    "no Slurm here: scripts/setup slurm",
)
class OnSlurm(Farms):
    """One node with four processors, on the loopback alone, with its files in the test's folder."""

    def setUp(self):
        super().setUp()
        node, key = socket.gethostname().split(".")[0], self.folder / "munge.key"
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        lines = [
            "ClusterName=lab",
            f"SlurmctldHost={node}(127.0.0.1)",
            f"SlurmctldPort={port()}",
            f"SlurmdPort={port()}",
            "SlurmUser=root",
            "AuthType=auth/munge",
            f"AuthInfo=socket={self.folder}/munge.socket",
            "CommunicationParameters=NoCtldInAddrAny,NoInAddrAny",
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "JobAcctGatherType=jobacct_gather/none",
            "MpiDefault=none",
            "ReturnToService=2",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_Core",
            "SlurmdParameters=config_overrides",
            "KillWait=5",
            *(
                f"{what}={self.folder}/{where}"
                for what, where in (
                    ("StateSaveLocation", "state"),
                    ("SlurmdSpoolDir", "spool"),
                    ("SlurmctldPidFile", "ctld.pid"),
                    ("SlurmdPidFile", "d.pid"),
                )
            ),
            f"NodeName={node} NodeAddr=127.0.0.1 CPUs=4 RealMemory=2000 State=UNKNOWN",
            f"PartitionName=short Nodes={node} Default=YES MaxTime=60 State=UP",
        ]
        conf = self.folder / "slurm.conf"
        conf.write_text("\n".join(lines) + "\n")
        version = subprocess.run(
            ["slurmd", "-V"], capture_output=True, text=True, check=True
        ).stdout.split()[-1]
        if version >= "24.05":
            (self.folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
        change = mock.patch.dict(os.environ, SLURM_CONF=str(conf))
        change.start()
        self.addCleanup(change.stop)
        self.begin(
            "munged",
            "--foreground",
            "--force",
            f"--socket={self.folder}/munge.socket",
            f"--key-file={key}",
            f"--pid-file={self.folder}/munge.pid",
            f"--log-file={self.folder}/munge.log",
            f"--seed-file={self.folder}/munge.seed",
            "--num-threads=1",
        )
        self.assertTrue(until((self.folder / "munge.socket").exists), "no munged")
        self.begin("slurmctld", "-D", "-f", str(conf))
        self.begin("slurmd", "-D", "-f", str(conf))
        self.assertTrue(
            until(lambda: "idle" in self.call("sinfo", "--noheader", "--format=%T")),
            (self.folder / "err").read_text()[-3000:],
        )
        self.addCleanup(lambda: until(lambda: not self.jobs(), 20))
        self.addCleanup(lambda: self.call("scancel", "--user=root"))

    @staticmethod
    def call(*command):
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    def jobs(self):
        return self.call("squeue", "--noheader", "--states=running", "--format=%i").split()

    def on(self, *options):
        return ("--on", "slurm", "--slurm", "interface=lo", "--slurm", "memory=200MB", *options)

    def test_a_job_that_is_cancelled_is_replaced_and_loses_nothing(self):
        slow = self.executable("if RUNS: time.sleep(2)")
        sweep = self.background(
            *self.on("--jobs", "2", "--slurm", "partition=short", "--slurm", "walltime=00:10:00"),
            platter=slow,
        )
        self.assertTrue(
            until(lambda: len(self.kept()) >= 3 and len(self.jobs()) == 2, 60),
            (self.folder / "err").read_text()[-3000:],
        )
        lost = self.jobs()[0]
        self.call("scancel", lost)
        self.assertTrue(
            until(lambda: len(set(self.jobs()) - {lost}) == 2, 20), "the job is not replaced"
        )
        self.assertLess(len(self.kept()), 16)
        err = sweep.communicate(timeout=90)[1]
        self.assertEqual(sweep.returncode, 0, err)
        self.expect_as_here(slow)
        self.assertTrue(until(lambda: not self.jobs(), 20), "jobs are left")

    def test_what_slurm_refuses_or_cannot_start_is_said_in_its_words(self):
        code, _, err = self.sweep(*self.on("--slurm", "partition=nowhere"))
        self.assertEqual(code, 2, err)
        self.assertIn("sbatch refuses the job", err)
        self.assertIn("nvalid partition", err)
        code, _, err = self.sweep(*self.on("--slurm", "python=/nowhere/python"))
        self.assertEqual(code, 1, err)
        self.assertIn("slurm: no worker within", err)
        self.assertIn("/nowhere/python: No such file", err)
        self.assertRegex(err, r"/kept/slurm/.*\.err:")
        self.call("sbatch", "--ntasks=4", "--output=/dev/null", "--wrap=sleep 100")
        self.assertTrue(until(self.jobs))
        code, _, err = self.sweep(*self.on("--wait", "3"))
        self.assertEqual(code, 1, err)
        self.assertRegex(err, r"squeue: job \d+ PENDING")
        self.assertIn("no job has begun", err)
        self.assertEqual(self.kept(), [])


if __name__ == "__main__":
    unittest.main()
