# SPDX-License-Identifier: Apache-2.0
"""Policies of a user's own as shared objects: built, listed, checked and run as on their page."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import textwrap
import time
import unittest

PLATTER = os.environ["PLATTER"]
SOURCE = pathlib.Path(os.environ["PLATTER_SOURCE"])
POLICIES = SOURCE / "tb" / "own_policy"
SCENARIOS = SOURCE / "models" / "configs" / "scenarios"


def run(*words, cwd=None):
    return subprocess.run(
        [PLATTER, *map(str, words)], capture_output=True, text=True, check=False, cwd=cwd
    )


class OwnPolicy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="own-policy-"))
        for name in ("nearest", "sptf", "broken"):
            shutil.copy(POLICIES / f"{name}.cpp", cls.folder)
            built = run("policy", "build", f"{name}.cpp", cwd=cls.folder)
            assert built.returncode == 0, built.stderr
            assert built.stdout == f"own:./{name}.so\n", built.stdout

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def own(self, name):
        return f"own:{self.folder}/{name}.so"

    def simulate(self, policy, *more, scenario="mixed_media.toml", engine="firmware"):
        return run(
            "run", SCENARIOS / scenario, "--quiet", "--set", f"engine={engine}",
            "--set", "sim.measure_s=20", "--set", f'policy="{policy}"', *more,
        )  # fmt: skip

    def test_a_policy_of_the_table_as_a_shared_object_gives_the_same_bytes(self):
        logs = []
        for name, policy in (("table", "SPTF"), ("own", self.own("sptf"))):
            log = self.folder / f"{name}.csv"
            done = self.simulate(policy, "--requests", log)
            self.assertEqual(done.returncode, 0, done.stderr)
            logs.append(log.read_bytes())
        self.assertGreater(len(logs[0]), 100_000)
        self.assertEqual(*logs)

    def test_on_an_array_whose_drive_fails_it_gives_the_same_bytes_too(self):
        logs = []
        for policy in ("SPTF", self.own("sptf")):
            log = self.folder / "array.csv"
            done = run(
                "run", SCENARIOS / "mirrored_array.toml", "--quiet", "--set", "engine=firmware",
                "--set", "sim.warmup_s=0", "--set", "sim.measure_s=4",
                "--set", "failure.fails_at_s=1", "--set", "failure.revives_at_s=2",
                "--set", f'policy="{policy}"', "--requests", log,
            )  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr)
            logs.append(log.read_bytes())
        self.assertGreater(len(logs[0]), 10_000)
        self.assertEqual(*logs)

    def test_who_watches_changes_nothing(self):
        logs = []
        watched = ("--waves", self.folder / "w.fst", "--timeline", self.folder / "t.json")
        for more in ((), watched):
            log = self.folder / "watched.csv"
            done = self.simulate(f"{self.own('nearest')}(2)", "--requests", log, *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            logs.append(log.read_bytes())
        self.assertEqual(*logs)

    def test_explain_and_the_crash_explorer_take_it(self):
        done = run(
            "explain", SCENARIOS / "random_4k.toml", "--quiet", "--no-waves", "-o", self.folder,
            "--set", "engine=firmware", "--set", "sim.measure_s=5",
            "--set", f'policy="{self.own("nearest")}(2)"',
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        crash = ("crash", SCENARIOS / "crash.toml", "--cuts", 20, "--quiet")
        done = run(*crash, "--set", f'policy="{self.own("sptf")}"')
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(
            *crash, "--set", f'policy="{self.own("broken")}(4)"'
        )  # copies have the limit too
        self.assertEqual(done.returncode, 1)
        self.assertIn("has not returned within 10 s of processor time from pick", done.stderr)

    def test_a_parameter_changes_what_it_does(self):
        results = []
        for gain in ("0", "5"):
            file = self.folder / "result.json"
            done = self.simulate(
                f"{self.own('nearest')}({gain})", "--result", file, scenario="random_4k.toml"
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            results.append(json.loads(file.read_text()))
        worst = [one["classes"]["discrete"]["response_ms"]["max"] for one in results]
        self.assertGreater(worst[0], 1.3 * worst[1])  # without ageing a far request starves
        self.assertIn("nearest.so(5)", file.read_text())

    def test_without_a_gain_it_is_the_policy_of_the_table(self):
        logs = []
        for name, policy in (("sstf", "SSTF"), ("nearest", f"{self.own('nearest')}( 0 )")):
            log = self.folder / f"{name}.csv"
            self.assertEqual(self.simulate(policy, "--requests", log).returncode, 0)
            logs.append(log.read_bytes())
        self.assertEqual(*logs)

    def test_the_list_has_its_parameters(self):
        listed = run("list", "policies", "--own", f"{self.folder}/nearest.so")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("nearest.so(gain)  the nearest cylinder, where ", listed.stdout)
        self.assertIn("  gain  0 to 1000: cylinders by which", listed.stdout)

    def test_good_policies_pass_the_check(self):
        for policy in (
            "SPTF",
            "OPS:SLACK(3.4|0.46)",
            "SCAN",
            self.own("sptf"),
            f"{self.own('nearest')}(3)",
        ):
            checked = run("policy", "check", policy, "--situations", 20000)
            self.assertEqual(checked.returncode, 0, checked.stderr)
            self.assertIn("no violation", checked.stdout)

    def test_broken_policies_are_found(self):
        for kind, message in (
            (0, r"serves tag \d+, expected the tag of one of the \d+ commands that it holds"),
            (1, r"waits until (\d+) ps, expected a later time"),
            (2, r"asks to be called again without end"),
            (3, r"crashed in pick"),
            (4, r"has not returned within 10 s of processor time from pick"),
            (5, r"empty\(\) is true, but it holds \d+ commands"),
            (6, r"keeps deadlines, but a command of the sweep ends \d+ us after"),
            (7, r"still holds \d+ of \d+ commands after \d+ decisions without an arrival"),
            (8, r"two schedulers that got the same calls decide differently"),
            (9, r"aborted in pick"),
            (
                10,
                r"broken\.so: in its constructor it reads parameters\.own\[1\], but has declared "
                r"1 parameter; expected one more in the line PLATTER_OWN_POLICY",
            ),
        ):
            with self.subTest(kind=kind):
                checked = run("policy", "check", f"{self.own('broken')}({kind})")
                self.assertEqual(checked.returncode, 1, checked.stdout)
                self.assertRegex(checked.stderr, message)

    def test_a_run_ends_at_the_first_wrong_answer_and_writes_nothing(self):
        for kind, message in ((0, "serves tag"), (3, "crashed in pick")):
            with self.subTest(kind=kind):
                folder = self.folder / f"run{kind}"
                folder.mkdir()
                done = self.simulate(
                    f"{self.own('broken')}({kind})",
                    *("--result", folder / "r.json", "--requests", folder / "r.csv"),
                    scenario="random_4k.toml",
                )
                self.assertEqual(done.returncode, 1)
                self.assertIn(message, done.stderr)
                self.assertEqual(list(folder.iterdir()), [])

    def test_bad_notations_are_refused(self):
        old = self.folder / "old.so"
        old.write_bytes(
            (self.folder / "sptf.so").read_bytes().replace(b"own policies 1", b"own policies 0")
        )
        flat = self.folder / "flat.so"  # its parameter has no range
        flat.write_bytes(
            (self.folder / "nearest.so").read_bytes().replace(struct.pack("<d", 1000), bytes(8))
        )
        none = self.folder / "none.cpp"
        none.write_text("int nothing;\n")
        self.assertEqual(run("policy", "build", none).returncode, 0)
        for policy, message in (
            ("own:", "expected a shared object that `platter policy build` has made"),
            (
                f"own:{self.folder}/missing.so",
                "No such file or directory; expected a shared object",
            ),
            (f"own:{self.folder}/sptf.cpp", "expected a shared object"),
            (f"own:{old}", "it was made for "),
            (f"own:{flat}(1)", "parameter gain: found the range 0 to 0"),
            (
                f"own:{self.folder}/none.so",
                "it offers no policy; expected the registration line PLATTER_OWN_POLICY",
            ),
            (self.own("nearest"), "(gain), gain from 0 to 1000"),
            (f"{self.own('nearest')}(1001)", "(gain), gain from 0 to 1000"),
            (f"{self.own('nearest')}(1|2)", "(gain), gain from 0 to 1000"),
            (f"{self.own('nearest')}(x)", "(gain), gain from 0 to 1000"),
            (f"{self.own('sptf')}(1)", "sptf.so"),
        ):
            with self.subTest(policy=policy):
                done = self.simulate(policy)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(message, done.stderr)
        done = self.simulate(self.own("sptf"), engine="model")
        self.assertEqual(done.returncode, 2)
        self.assertIn("firmware", done.stderr)

    def test_a_file_that_does_not_compile_is_bad_input(self):
        wrong = self.folder / "wrong.cpp"
        wrong.write_text(
            '#include "platter/scheduling/own_policy.h"\nclass Wrong : platter::nothing {};\n'
        )
        done = run("policy", "build", wrong)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"wrong\.cpp:2:\d+: error: ")
        self.assertFalse((self.folder / "wrong.so").exists())
        self.assertEqual([file for file in self.folder.iterdir() if "partial" in file.name], [])
        self.assertEqual(run("policy", "build", self.folder / "missing.cpp").returncode, 2)
        (self.folder / "policy.py").touch()
        for words, message in (
            ((POLICIES / "sptf.cpp", "-o", self.folder / "none/x.so"), "in a folder that there is"),
            ((self.folder / "policy.py",), "own:" + str(self.folder / "policy.py")),
        ):
            done = run("policy", "build", *words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
        self.assertEqual(
            run(
                "policy",
                "build",
                POLICIES / "sptf.cpp",
                "-o",
                self.folder / "x.so",
                "--compiler",
                "no-such-compiler",
            ).returncode,
            1,
        )


class PythonPolicy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, text, name="policy.py"):
        file = self.folder / name
        file.write_text("from platter_lab.policy import Policy\n" + textwrap.dedent(text))
        return file

    def simulate(self, policy, *more):
        return run(
            "run", SCENARIOS / "mixed_media.toml", "--quiet", "--set", "engine=firmware",
            "--set", "sim.measure_s=5", "--set", "sim.warmup_s=0",
            "--set", f'policy="{policy}"', *more,
        )  # fmt: skip

    def test_sstf_in_python_gives_the_bytes_of_the_table(self):
        logs = []
        for policy in ("SSTF", f"own:{POLICIES}/sstf.py"):
            log = self.folder / "requests.csv"
            done = self.simulate(policy, "--requests", log)
            self.assertEqual(done.returncode, 0, done.stderr)
            logs.append(log.read_bytes())
        self.assertEqual(*logs)

    def test_the_classes_have_the_numbers_of_the_program(self):
        # With this load, the commands of streams and no others have a deadline.
        file = self.file(
            """
            from platter_lab.policy import BACKGROUND, CONTINUOUS, DISCRETE, NO_DEADLINE

            class Checked(Policy):
                def pick(self, queue, head, now):
                    for cls, deadline in zip(queue.cls, queue.deadline):
                        assert cls in (DISCRETE, CONTINUOUS, BACKGROUND)
                        assert (cls == CONTINUOUS) == (deadline != NO_DEADLINE), (cls, deadline)
                    return queue.tag[0]
            """
        )
        done = self.simulate(f"own:{file}", "--set", "sim.measure_s=1")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_its_parameters_and_its_cycles_count(self):
        file = self.file(
            """
            class Aged(Policy):
                parameters = {"weight": ("of the wait", 0, 10)}
                cycles = 1000

                def pick(self, queue, head, now):
                    wait = now - queue.arrival
                    return queue.tag[(queue.positioning - self.weight * wait).argmin()]
            """
        )
        listed = run("list", "policies", "--own", file)
        self.assertIn(
            "policy.py(weight)  Aged [firmware]\n  weight  0 to 10: of the wait", listed.stdout
        )
        logs, cycles = [], []
        for policy in ("SSTF", f"own:{file}(0.5)", f"own:{file}(0)"):
            log, result = self.folder / "requests.csv", self.folder / "result.json"
            arguments = ("--requests", log, "--result", result)
            done = self.simulate(policy, *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            logs.append(log.read_bytes())
            cycles.append(json.loads(result.read_text())["scheduler"]["cycles_per_decision"])
        self.assertNotEqual(logs[1], logs[2])
        self.assertGreater(cycles[1], cycles[0] + 900)
        self.assertEqual(self.simulate(f"own:{file}(11)").returncode, 2)
        self.assertEqual(self.simulate(f"own:{file}").returncode, 2)

    def test_a_run_ends_with_the_traceback(self):
        for body, message in (
            ("return queue.tag[99999]", r'policy\.py", line 5, in pick\n(.*\n)*IndexError: '),
            (
                "return 77777",
                r"ValueError: Wrong.pick returned 77777, expected None or one of the tags \[",
            ),
            ("return 'x'", r"Wrong.pick returned 'x'"),
            ("return bool(queue.tag[0] + 1)", r"Wrong.pick returned True, expected None or one"),
            ("return -1", r"Wrong.pick returned -1, expected None or one"),
        ):
            with self.subTest(body=body):
                file = self.file(
                    f"""
                    class Wrong(Policy):
                        def pick(self, queue, head, now):
                            {body}
                    """
                )
                log = self.folder / "requests.csv"
                done = self.simulate(f"own:{file}", "--requests", log)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, message)
                self.assertIn("its process has ended", done.stderr)
                self.assertFalse(log.exists())

    def test_a_process_that_ends_before_it_is_asked_ends_the_run_with_a_message(self):
        file = self.file(
            """
            class Broken(Policy):
                def __init__(self):
                    raise OSError("no model")
            """
        )
        done = self.simulate(f"own:{file}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("OSError: no model", done.stderr)
        self.assertIn("its process has ended", done.stderr)

    def test_the_crash_explorer_refuses_it(self):
        done = run(
            "crash", SCENARIOS / "crash.toml", "--cuts", 5, "--quiet",
            "--set", f"policy=own:{POLICIES}/sstf.py",
        )  # fmt: skip
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("expected a policy of this process", done.stderr)

    def test_one_that_does_not_answer_is_ended(self):
        file = self.file(
            """
            import time

            class Slow(Policy):
                def pick(self, queue, head, now):
                    time.sleep(1000)
            """
        )
        done = self.simulate(f"own:{file}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("pick has not returned within 10 s", done.stderr)

    def test_one_that_does_not_end_is_ended(self):
        file = self.file(
            """
            import threading, time

            class Lingers(Policy):
                def __init__(self):
                    threading.Thread(target=time.sleep, args=(1000,)).start()

                def pick(self, queue, head, now):
                    print("here", time.monotonic())
                    return queue.tag[0]
            """
        )
        array = ("--set", "host.kind=array", "--set", "array.drives=4")
        done = self.simulate(f"own:{file}", *array, "--set", "sim.measure_s=0.1")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        # What it prints is no output of the command. All processes have 10 s together at the end.
        last = max(float(line[5:]) for line in done.stderr.splitlines() if line.startswith("here "))
        self.assertLess(time.monotonic() - last, 30)

    def test_a_file_without_a_policy_is_bad_input(self):
        for text, message in (
            ("class X(Policy:\n  pass\n", "SyntaxError"),
            ("x = 1\n", "found none, expected one class that derives from"),
            ("class A(Policy): pass\nclass B(Policy): pass\n", "found A, B, expected one class"),
            ("raise OSError('at the start')\n", "OSError: at the start"),
            ("class A(Policy):\n  cycles = -5\n", "found cycles = -5, expected 0 to"),
            ("class A(Policy):\n  description = 'a\\tb'\n", "has a tab or several lines"),
        ):
            with self.subTest(text=text):
                done = self.simulate(f"own:{self.file(text)}")
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stderr.count("Traceback"), 1)
                self.assertIn("policy.py: it offers no policy; expected one class", done.stderr)

    def test_a_parameter_has_a_range(self):
        for least, most in ((5, 1), (1, 1)):
            file = self.file(
                f"class A(Policy):\n  parameters = {{'w': ('wait', {least}, {most})}}\n"
            )
            done = self.simulate(f"own:{file}({least})")
            self.assertEqual(done.returncode, 2)
            text = f"parameter w: found the range {least} to {most}, expected a smallest"
            self.assertIn(text, done.stderr)

    def test_without_python_it_says_so(self):
        done = subprocess.run(
            [PLATTER, "policy", "check", f"own:{POLICIES}/sstf.py"],
            env={**os.environ, "PLATTER_PYTHON": "no-such-python"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertIn(
            "no Python: No such file or directory; expected python3, or the variable", done.stderr
        )


if __name__ == "__main__":
    unittest.main()
