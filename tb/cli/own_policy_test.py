# SPDX-License-Identifier: Apache-2.0
"""Policies of a user's own as shared objects: built, listed, checked and run as on their page."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
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
        for name, policy in (("sstf", "SSTF"), ("nearest", f"{self.own('nearest')}(0)")):
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
            (5, r"empty\(\) is true, but it holds \d+ commands"),
            (6, r"keeps deadlines, but a command of the sweep ends \d+ us after"),
            (7, r"still holds \d+ of \d+ commands after \d+ decisions without an arrival"),
            (8, r"two schedulers that got the same calls decide differently"),
            (9, r"aborted in pick"),
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


if __name__ == "__main__":
    unittest.main()
