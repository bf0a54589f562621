# SPDX-License-Identifier: Apache-2.0
"""`platter serve --nbd` with clients that nobody here wrote: fio, nbdinfo, nbdcopy, qemu-img. And
how the command begins and ends.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import csv
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
PLATTER = os.environ["PLATTER"]
SCENARIO = str(SOURCE / "models/configs/scenarios/guest_drive.toml")


class Served:
    """`platter serve` with a Unix socket."""

    def __init__(self, *options, scenario=SCENARIO, address=None):
        self._folder = tempfile.TemporaryDirectory(prefix="platter-")
        self.folder = pathlib.Path(self._folder.name)
        self.socket = str(self.folder / "socket")
        self.result = self.folder / "result.json"
        self.process = subprocess.Popen(
            [
                PLATTER,
                "serve",
                scenario,
                "--nbd",
                address or self.socket,
                "--result",
                str(self.result),
                *options,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.first = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self._folder.cleanup()

    def uri(self, name="disk"):
        return f"nbd+unix:///{name}?socket={self.socket}"

    def end(self, number=signal.SIGTERM):
        """Ends it by a signal; its result."""
        self.process.send_signal(number)
        self.said, self.complained = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, self.complained
        return json.loads(self.result.read_text())


def run(*command, **options):
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, **options
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def fio(uri, *options):
    text = run(
        "fio",
        "--name=job",
        "--ioengine=nbd",
        f"--uri={uri}",
        "--output-format=json",
        "--verify_state_save=0",
        *options,
    )
    return json.loads(text[text.index("{") :])["jobs"][0]


class Clients(unittest.TestCase):
    def test_fio_verifies_what_it_writes_in_lockstep_with_the_rtl(self):
        with Served("--pacing", "lockstep:31") as served:
            job = fio(
                served.uri(),
                "--rw=randwrite",
                "--bsrange=512-64k",
                "--bs_unaligned=0",
                "--size=256m",
                "--io_size=16m",
                "--iodepth=32",
                "--verify=crc32c",
                "--verify_fatal=1",
                "--randrepeat=1",
            )
            result = served.end()
        self.assertEqual(job["error"], 0)
        self.assertGreater(job["read"]["total_ios"], 300)
        self.assertEqual(result["scheduler"]["mismatches"], 0)
        self.assertGreater(result["scheduler"]["operations_compared"], 300)
        self.assertEqual(
            result["serving"]["commands"], sum(c["completed"] for c in result["classes"].values())
        )

    def test_the_window_is_the_declared_depth(self):
        with Served("--pacing", "lockstep:31", "--set", "engine=firmware") as served:
            fio(
                served.uri(),
                "--rw=randread",
                "--bs=4k",
                "--size=1g",
                "--iodepth=32",
                "--number_ios=4000",
                "--randrepeat=1",
            )
            result = served.end()
        self.assertGreater(result["serving"]["window"], 25, "31 on a quiet machine")
        self.assertEqual(result["serving"]["pacing"], "lockstep:31")

    def test_nbdinfo_says_what_is_offered(self):
        with Served("--pacing", "asap") as served:
            info = json.loads(run("nbdinfo", "--json", served.uri()))
            listed = json.loads(run("nbdinfo", "--list", "--json", served.uri("")))
            served.end()
        self.assertEqual((info["protocol"], info["structured"]), ("newstyle-fixed", True))
        export = info["exports"][0]
        self.assertEqual(export["export-size"], 17_918_387 * 512)
        sizes = [export[key] for key in export if key.startswith("block")]
        self.assertEqual(sizes, [512, 4096, 32 << 20])
        for flag in ("can_flush", "can_fua", "can_multi_conn", "is_rotational", "can_df"):
            self.assertTrue(export[flag], flag)
        for flag in ("can_trim", "can_zero", "is_read_only"):
            self.assertFalse(export[flag], flag)
        self.assertEqual([e["export-name"] for e in listed["exports"]], ["disk"])

    def test_copies_are_equal(self):
        with Served(
            "--pacing", "asap", "--set", "engine=firmware", "--set", "drive=barracuda"
        ) as served:
            there, back = served.folder / "there", served.folder / "back"
            size = json.loads(run("nbdinfo", "--json", served.uri()))["exports"][0]["export-size"]
            content = random.Random(1)
            with there.open("wb") as file:
                for _ in range(64):
                    file.write(content.randbytes(1 << 20))
                file.truncate(size)
            run(
                "qemu-img",
                "convert",
                "-n",
                "-f",
                "raw",
                "-O",
                "raw",
                "-S",
                "1M",
                "--target-is-zero",
                str(there),
                served.uri(),
            )
            self.assertIn(
                "Images are identical",
                run("qemu-img", "compare", "-f", "raw", "-F", "raw", str(there), served.uri()),
            )
            run("nbdcopy", served.uri(), str(back))
            run("cmp", str(there), str(back))
            served.end()

    def test_each_drive_of_an_array_is_an_export(self):
        with Served(
            "--pacing",
            "asap",
            "--set",
            "host.kind=array",
            "--set",
            "array.drives=3",
            "--set",
            "engine=firmware",
        ) as served:
            for i in range(3):
                job = fio(
                    served.uri(f"disk{i}"),
                    "--rw=randwrite",
                    "--bs=4k",
                    "--size=64m",
                    "--number_ios=200",
                    "--iodepth=8",
                    "--verify=crc32c",
                    f"--verify_pattern=0x1{i}",
                    "--verify_fatal=1",
                )
                self.assertEqual(job["error"], 0)
            served.end()

    def test_an_image_is_the_first_contents(self):
        with tempfile.NamedTemporaryFile() as image:
            image.write(random.Random(2).randbytes(3_000_001))
            image.flush()
            with Served("--pacing", "asap", "--image", image.name) as served:
                back = served.folder / "back"
                run(
                    "qemu-img",
                    "dd",
                    "-f",
                    "raw",
                    "-O",
                    "raw",
                    "bs=512",
                    "count=8192",
                    f"if={served.uri()}",
                    f"of={back}",
                )
                served.end()
                self.assertEqual(
                    back.read_bytes()[:3_000_001], pathlib.Path(image.name).read_bytes()
                )

    def test_over_tcp_on_the_loopback(self):
        with Served("--pacing", "asap", address="localhost:0") as served:
            uri = served.first.split(" at ")[1]
            self.assertEqual(
                json.loads(run("nbdinfo", "--json", uri))["exports"][0]["export-name"], "disk"
            )
            served.end()


class RealTime(unittest.TestCase):
    def test_real_time_is_what_fio_measures(self):
        # 5 % on a quiet machine. On a busy one each reply is late by what the machine's scheduler
        # takes, so the best of a few tries counts.
        late = []
        for _ in range(4):
            with Served("--set", "engine=firmware") as served:
                job = fio(
                    served.uri(),
                    "--rw=randread",
                    "--bs=4k",
                    "--size=1g",
                    "--iodepth=1",
                    "--time_based",
                    "--runtime=3",
                )
                result = served.end()
            self.assertIn("late_ms", result["serving"])
            late.append(
                job["read"]["lat_ns"]["mean"]
                / 1e6
                / result["classes"]["discrete"]["response_ms"]["mean"]
                - 1
            )
            self.assertGreater(late[-1], -0.05, "no reply comes before its simulated time")
            if late[-1] < 0.15:
                return
        self.fail(f"fio measures more than the simulated mean, by {late}")


class Endings(unittest.TestCase):
    def test_a_signal_ends_it_with_all_results(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with tempfile.TemporaryDirectory() as folder:
                log, waves = (
                    pathlib.Path(folder) / "requests.csv",
                    pathlib.Path(folder) / "waves.fst",
                )
                with Served(
                    "--pacing",
                    "asap",
                    "--requests",
                    str(log),
                    "--waves",
                    str(waves),
                    "--wave-to",
                    "1",
                ) as served:
                    fio(
                        served.uri(),
                        "--rw=randread",
                        "--bs=4k",
                        "--size=64m",
                        "--number_ios=100",
                        "--iodepth=4",
                    )
                    result = served.end(number)
                    with log.open() as file:
                        self.assertEqual(
                            len(list(csv.DictReader(file))), result["serving"]["commands"]
                        )
                    self.assertGreater(waves.stat().st_size, 1000)
                    self.assertFalse(pathlib.Path(served.socket).exists())

    def test_the_measured_time_begins_after_the_warm_up(self):
        def served(warmup_s):
            with tempfile.TemporaryDirectory() as folder:
                log = pathlib.Path(folder) / "requests.csv"
                with Served(
                    "--pacing",
                    "asap",
                    "--set",
                    "engine=firmware",
                    "--set",
                    f"sim.warmup_s={warmup_s}",
                    "--requests",
                    str(log),
                ) as served:
                    fio(
                        served.uri(),
                        "--rw=randread",
                        "--bs=4k",
                        "--size=64m",
                        "--number_ios=300",
                        "--iodepth=4",
                    )
                    result = served.end()
                with log.open() as file:
                    ends = [int(row["completed_ps"]) for row in csv.DictReader(file)]
            return result, ends, served.complained

        result, ends, complained = served(0.2)
        self.assertEqual(complained, "")
        begin = result["host"]["simulated_s"] - result["measured_s"]
        self.assertGreaterEqual(begin, 0.2)
        completions = sum(each["completions"] for each in result["classes"].values())
        self.assertEqual(completions, sum(end * 1e-12 > begin + 1e-12 for end in ends))
        self.assertTrue(0 < completions < len(ends))
        self.assertAlmostEqual(
            result["throughput"]["requests_per_s"], completions / result["measured_s"]
        )
        result, ends, complained = served(1000)
        self.assertIn("nothing was measured: serving ended after", complained)
        self.assertEqual(
            (
                result["measured_s"],
                result["classes"],
                result["utilisation"],
                result["throughput"]["requests_per_s"],
            ),
            (0, {}, None, None),
        )
        self.assertEqual(result["serving"]["commands"], len(ends))

    def test_clients_that_die_or_hang_leave_it_whole(self):
        with Served("--pacing", "asap", "--set", "engine=firmware") as served:
            hanging = socket.socket(socket.AF_UNIX)
            hanging.connect(served.socket)  # and says nothing
            for _ in range(5):
                process = subprocess.Popen(
                    [
                        "fio",
                        "--name=job",
                        "--ioengine=nbd",
                        f"--uri={served.uri()}",
                        "--rw=randrw",
                        "--bs=64k",
                        "--iodepth=32",
                        "--size=1g",
                        "--time_based",
                        "--runtime=60",
                        "--thread",
                    ],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                time.sleep(0.4)
                process.kill()
                process.wait()
            job = fio(
                served.uri(),
                "--rw=randwrite",
                "--bs=4k",
                "--size=64m",
                "--number_ios=500",
                "--iodepth=8",
                "--verify=crc32c",
                "--verify_fatal=1",
            )
            self.assertEqual(job["error"], 0)
            result = served.end()
            hanging.close()
        of = result["classes"]["discrete"]
        self.assertEqual(of["issued"], of["completed"] + of["failed"] + of["outstanding"])

    def test_bad_options_are_told(self):
        def told(*options):
            done = subprocess.run(
                [PLATTER, "serve", SCENARIO, *options],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            self.assertEqual(done.returncode, 2, done.stderr)
            return done.stderr

        self.assertIn("--nbd, --iscsi or --vfio-user", told())
        self.assertIn(
            'found "fast", expected realtime[:SCALE], lockstep:DEPTH or asap',
            told("--nbd", "/tmp/x", "--pacing", "fast"),
        )
        for pacing in (
            "realtime:0",
            "realtime:-1",
            "realtime:nan",
            "realtime:",
            "lockstep:0",
            "lockstep",
            "lockstep:9x",
            "asap:1",
        ):
            self.assertIn("--pacing: found", told("--nbd", "/tmp/x", "--pacing", pacing), pacing)
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("exists, and is no socket", told("--nbd", __file__))
            self.assertIn("No such file", told("--nbd", f"{folder}/no/socket"))
            self.assertIn("no such file", told("--nbd", f"{folder}/s", "--image", f"{folder}/no"))
            self.assertIn(
                "found more images than drives",
                told("--nbd", f"{folder}/s", "--image", __file__, "--image", __file__),
            )
            self.assertIn(
                "expected one of them", told("--nbd", f"{folder}/s", "--vfio-user", f"{folder}/t")
            )
            self.assertIn(
                "expected drive or array",
                told("--nbd", f"{folder}/s", "--set", "host.kind=media_server"),
            )
            self.assertIn(
                "expected at most 4",
                told(
                    "--vfio-user",
                    f"{folder}/s",
                    "--set",
                    "host.kind=array",
                    "--set",
                    "array.drives=5",
                ),
            )
            self.assertEqual(os.listdir(folder), [])
            with Served("--pacing", "asap") as served:
                self.assertIn("another server listens there", told("--nbd", served.socket))
                served.end()


if __name__ == "__main__":
    unittest.main()
