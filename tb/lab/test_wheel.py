# SPDX-License-Identifier: Apache-2.0
"""The Python package as a wheel, beside an installed executable, without the source tree. The
model's executable is in the variable PLATTER."""

import os
import re
import shutil
import site
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

LAB = Path(__file__).resolve().parents[2] / "scripts" / "lab"
CONFIGS = LAB.parents[1] / "models" / "configs"


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="platter-wheel-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        shutil.copytree(
            LAB,
            cls.folder / "lab",
            ignore=shutil.ignore_patterns("*.egg-info", "build", "__pycache__"),
        )  # a build writes beside its sources
        cls.must(
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-index",
            "--no-deps",
            "--no-build-isolation",
            "--wheel-dir",
            cls.folder,
            cls.folder / "lab",
        )
        shutil.rmtree(cls.folder / "lab")
        cls.must(sys.executable, "-m", "venv", "--without-pip", cls.folder / "venv")
        cls.python = cls.folder / "venv" / "bin" / "python"
        cls.must(
            sys.executable,
            "-m",
            "pip",
            "--python",
            cls.python,
            "install",
            "--quiet",
            "--no-index",
            "--no-deps",
            *cls.folder.glob("*.whl"),
        )
        # What the wheel depends on, but not the tree's own package: a .pth file of a folder that a
        # .pth file names is not read.
        packages = cls.must(
            cls.python, "-c", "import site; print(site.getsitepackages()[0])"
        ).strip()
        Path(packages, "others.pth").write_text(site.getsitepackages()[0] + "\n")
        # As `cmake --install` lays it.
        (cls.folder / "usr" / "bin").mkdir(parents=True)
        shutil.copy(os.environ["PLATTER"], cls.folder / "usr" / "bin" / "platter")
        shutil.copytree(CONFIGS, cls.folder / "usr" / "share" / "platter" / "configs")
        cls.empty = cls.folder / "empty"
        cls.empty.mkdir()
        (cls.folder / "home").mkdir()
        cls.environment = {
            "PATH": f"{cls.folder}/usr/bin:/usr/bin:/bin",
            "HOME": str(cls.folder / "home"),
            "LC_ALL": "C.UTF-8",
        }

    @staticmethod
    def must(*command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def lab(self, *words, **variables):
        return subprocess.run(
            [self.folder / "venv" / "bin" / "platter-lab", *words],
            cwd=self.empty,
            capture_output=True,
            text=True,
            check=False,
            env={**self.environment, **variables},
        )

    def test_a_sweep_runs_in_an_empty_folder(self):
        self.assertIn(
            str(self.folder),
            self.must(self.python, "-c", "import platter_lab; print(platter_lab.__file__)"),
        )
        plan = self.folder / "usr" / "share" / "platter" / "configs" / "sweeps" / "policies.toml"
        short = self.empty / "short.toml"
        short.write_text(
            f'format = 1\nscenario = "{plan.parents[1]}/scenarios/mixed_media.toml"\nseeds = 2\n'
            'set = { engine = "firmware", sim.warmup_s = 0, sim.measure_s = 3 }\n'
            '[[axis]]\nkey = "policy"\nvalues = ["SPTF"]\n'
            '[[metric]]\npath = "classes.discrete.response_ms.mean"\n'
        )
        done = self.lab("sweep", "short.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("short.parquet: 1 configurations, 2 runs, 0 failed", done.stdout)
        self.assertEqual(
            sorted(file.name for file in self.empty.iterdir()), ["short.parquet", "short.toml"]
        )
        self.assertEqual(
            len(list((self.folder / "home/.cache/platter/sweep/runs").glob("*/*.json"))), 2
        )
        self.assertEqual(
            self.lab("sweep", "short.toml", XDG_CACHE_HOME=str(self.folder / "cache")).returncode, 0
        )
        self.assertEqual(len(list((self.folder / "cache/platter/sweep/runs").glob("*/*.json"))), 2)
        for file in self.empty.iterdir():
            file.unlink()

    def test_a_search_runs_in_an_empty_folder_and_knows_the_costs(self):
        scenario = (
            self.folder / "usr" / "share" / "platter" / "configs" / "scenarios" / "mixed_media.toml"
        )
        (self.empty / "short.toml").write_text(
            f'format = 1\nscenario = "{scenario}"\ntrials = 3\n'
            'set = { engine = "model", sim.warmup_s = 0, sim.measure_s = 3, '
            "accelerator.order_m = 0, accelerator.features = [], "
            'accelerator.clock_mhz = "{cost.fmax_mhz}" }\n[[parameter]]\nname = "lanes"\n'
            'key = "accelerator.lanes"\nvalues = [1, 2, 4, 8]\n'
            '[[objective]]\nname = "mean"\npath = "classes.discrete.response_ms.mean"\n'
            '[[objective]]\nname = "LUTs"\ncost = "luts"\n'
        )
        done = self.lab("optimise", "short.toml", XDG_CACHE_HOME=str(self.folder / "searched"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("short.parquet: 3 trials, 3 keep all constraints", done.stdout)
        self.assertEqual(
            sorted(file.name for file in self.empty.iterdir()),
            ["short.journal", "short.parquet", "short.toml"],
        )
        for file in self.empty.iterdir():
            file.unlink()

    def test_a_report_is_made_in_an_empty_folder(self):
        scenario = (
            self.folder / "usr" / "share" / "platter" / "configs" / "scenarios" / "mixed_media.toml"
        )
        self.must(
            self.folder / "usr" / "bin" / "platter",
            "run",
            scenario,
            "--quiet",
            "--set",
            "engine=firmware",
            "--set",
            "sim.measure_s=3",
            "--result",
            self.folder / "run.json",
            "--requests",
            self.folder / "run.csv",
        )
        done = self.lab("report", self.folder / "run.json", "-o", "run.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = self.empty / "run.html"
        self.assertIn("time-weighted mean", page.read_text())  # from the installed executable
        self.assertIn("vegaEmbed(this.place", page.read_text())
        page.unlink()
        self.assertEqual(list(self.empty.iterdir()), [])

    def test_what_needs_the_tree_says_so(self):
        for words in (("reproduce", "autoqos", "--quick"), ("stream-tables",), ("guest", "fetch")):
            with self.subTest(command=words[0]):
                done = self.lab(*words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(
                    done.stderr,
                    rf"^platter-lab: {words[0]}: needs files of the project's source tree, "
                    r"but this package is installed without it \(.*\); "
                    rf"expected a call of scripts/platter-lab {words[0]} in a source tree\n$",
                )
                self.assertEqual(list(self.empty.iterdir()), [])

    def test_it_carries_its_licence_and_names_its_own_commands(self):
        wheel = next(self.folder.glob("*.whl"))
        with zipfile.ZipFile(wheel) as content:
            names = content.namelist()
            licences = [
                name
                for name in names
                if re.fullmatch(r"platter_lab-[^/]+\.dist-info/(licenses/)?LICENSE", name)
            ]
            self.assertEqual(len(licences), 1, names)
            self.assertEqual(
                content.read(licences[0]).decode(), (LAB.parents[1] / "LICENSE").read_text()
            )
            about = content.read(
                next(name for name in names if name.endswith(".dist-info/METADATA"))
            ).decode()
        self.assertIn("platter-lab", about.splitlines()[2] + about[about.index("Summary:") :])
        self.assertIn("Apache-2.0", about)
        self.assertIn(f"\nVersion: {(LAB.parents[1] / 'VERSION').read_text()}", about)
        done = self.lab()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^usage: platter-lab ")
        self.assertIn("sweep", done.stdout)
        bare = subprocess.run(
            [self.python, "-S", "-m", "platter_lab.cli", "sweep", "no.toml"],
            cwd=self.empty,
            capture_output=True,
            text=True,
            check=False,
            env={
                **self.environment,
                "PYTHONPATH": self.must(
                    self.python, "-c", "import platter_lab; print(list(platter_lab.__path__)[0])"
                ).strip()[: -len("/platter_lab")],
            },
        )
        self.assertEqual(bare.returncode, 2, bare.stderr)
        self.assertRegex(
            bare.stderr,
            r"^platter-lab: sweep: the Python package \w+ is not installed; install it with: "
            r"pip install 'platter-lab\[sweep\]'\n$",
        )

    def test_an_executable_that_is_not_installed_is_said(self):
        done = self.lab("sweep", CONFIGS / "sweeps" / "policies.toml", PATH="/usr/bin:/bin")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(
            "platter: no such executable; install it on the path, or name it with --platter",
            done.stderr,
        )


if __name__ == "__main__":
    unittest.main()
