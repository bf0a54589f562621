# SPDX-License-Identifier: Apache-2.0
"""The platter command on measured drives: import, locate, validate, bench;
and the figures that the shipped profiles reach.

Environment: as cli_test.py; PLATTER_VALIDATION_DIR: folder of the measured drives (traces and
DiskSim's parameters), which are not part of the project. Without it, those tests are skipped.
"""

import gzip
import itertools
import json
import os
import pathlib
import random
import re
import unittest
from typing import ClassVar

import jsonschema
from cli_test import SOURCE, Case, platter

MEASURED = pathlib.Path(os.environ.get("PLATTER_VALIDATION_DIR", SOURCE / "../shared/validation"))
needs_measured = unittest.skipUnless(
    MEASURED.is_dir(), "no measured drives here: set PLATTER_VALIDATION_DIR"
)
LAYOUTS = pathlib.Path(os.environ.get("PLATTER_LAYOUTS_DIR", SOURCE / "../shared/layouts"))

MODEL = """
dm_disk Small.model {
   Block count = 24000,
   Number of data surfaces = 2,
   Number of cylinders = 100,
   Mechanical Model = dm_mech_g1 {
      Access time type = trackSwitchPlusRotation,
      Seek type = extracted,
      Full seek curve = small.seek,
      Add. write settling delay = 0.3,
      Head switch time = 0.5,
      Rotation speed (in rpms) = 6000,
      Percent error in rpms = 0.0
   },
   Layout Model = dm_layout_g1 {
      LBN-to-PBN mapping scheme = 0,
      Sparing scheme used = 9,
      Rangesize for sparing = 1,
      Zones = [
         dm_layout_g1_zone {
            First cylinder number = 0,
            Last cylinder number = 99,
            Blocks per track = 120,
            Offset of first block = 0.0,
            Empty space at zone front = 0,
            Skew for track switch = 10.0,
            Skew for cylinder switch = 20.0,
            Number of spares = 10,
            slips = [ 17 ],
            defects = []
         }
      ]
   }
}
"""
BANDS = """format = 1
name = "bands"
source = "a test"
[geometry]
layout = "bands"
cylinders = 24
surfaces = 2
band_tracks = 4
track_skew_turns = 0.1
slips = [[0, 0, 4, 1], [2, 0, 24, 5]]

[[geometry.zone]]
# all of the drive
first_cylinder = 0
last_cylinder = 23

sectors_per_track = 25
[seek]
model = "table"
points_us = [[1, 500.0], [23, 2000.0]]
[mechanics]
rpm = 6000
"""
SEEK = "Seek distances measured: 3\n1, 1.0\n10, 2.0\n99, 8.0\n"


class Measured(Case):
    """A drive of our own making, as a folder of parameters and a trace."""

    def small(self):
        folder = self.folder / "small"
        folder.mkdir()
        (folder / "small.model").write_text(MODEL)
        (folder / "small.seek").write_text(SEEK)
        return folder

    def trace(self, folder, name="small.trace", lines=200):
        rng = random.Random(1)
        text = ""
        for _ in range(lines):
            kind = rng.choice("RRW")
            text += (
                f"{kind} Hit {rng.randrange(23000)} {rng.choice((4, 8, 16))} "
                f"{rng.randrange(500, 15000)}.0 {rng.randrange(20000, 60000)}.0\n"
            )
        (folder / name).write_text(text)


class Import(Measured):
    def test_makes_a_profile_that_loads(self):
        folder = self.small()
        out = self.folder / "small.toml"
        done = self.run_good(
            "drive", "import", folder / "small.model", "-o", out, "--name", "Small drive"
        )
        self.assertIn("Block count", done.stderr)  # 24,000 in the file, 23,990 in its zones
        shown = json.loads(self.run_good("drive", "show", out, "--json").stdout)
        self.assertEqual(shown["name"], "Small drive")
        self.assertIn("23990", self.run_good("drive", "show", out).stdout)
        self.assertEqual(
            self.run_good(
                "drive", "import", folder / "small.model", "--name", "Small drive"
            ).stdout,
            out.read_text(),
        )

    def refused(self, name, text, *patterns):
        folder = self.folder / "bad"
        folder.mkdir(exist_ok=True)
        (folder / "small.seek").write_text(SEEK)
        file = folder / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        out = self.folder / "bad.toml"
        done = platter("drive", "import", file, "-o", out)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertFalse(out.exists())
        for pattern in patterns:
            self.assertRegex(done.stderr, pattern)

    def test_malformed_files_are_refused_with_file_and_line(self):
        self.refused("cut.model", MODEL[: len(MODEL) // 2], r"cut\.model:\d+")
        self.refused(
            "misspelt.model",
            MODEL.replace("Head switch time", "Head swich time"),
            r"misspelt\.model:\d+.*Head switch time",
        )
        self.refused("binary.diskspecs", bytes(range(256)) * 20, r"binary\.diskspecs")
        self.refused("type.model", MODEL.replace("= 6000", "= fast"), r"type\.model:\d+")
        self.refused("noseek.model", MODEL.replace("small.seek", "none.seek"), r"none\.seek")
        self.refused("empty.diskspecs", "", r"empty\.diskspecs")

    @needs_measured
    def test_shipped_profiles_are_the_imported_ones(self):
        for folder in sorted(MEASURED.iterdir()):
            shipped = SOURCE / "models/configs/drives" / f"{folder.name.lower()}.toml"
            parameters = folder / f"{folder.name}.parv"
            if not shipped.exists() or not parameters.exists():
                continue
            name = re.search(r'^name = "([^"]*)"', shipped.read_text(), re.M).group(1)
            # The same drive, and the same remarks: a key that is new since then has its default.
            imported = self.write(
                "imported.toml", self.run_good("drive", "import", parameters, "--name", name).stdout
            )
            both = [
                json.loads(self.run_good("drive", "show", file, "--json").stdout)
                for file in (imported, shipped)
            ]
            comments = [
                [line for line in file.read_text().splitlines() if line.startswith("#")]
                for file in (imported, shipped)
            ]
            notes = "\n".join(comments[1][len(comments[0]) :])
            self.assertEqual(comments[0], comments[1][: len(comments[0])], folder.name)
            # What was corrected by hand is said in the profile, and nothing else differs.
            if without := re.search(r"^# By hand: seek.points_us without ([\d, ]+):", notes, re.M):
                gone = [int(distance) for distance in without.group(1).split(",")]
                points = both[0]["seek"]["points_us"]
                for distance in gone:
                    self.assertIn(distance, [point[0] for point in points])
                    self.assertRegex(
                        "\n".join(comments[0]),
                        rf"seek distance = {distance}: takes .*: a wrong measurement",
                    )
                both[0]["seek"]["points_us"] = [point for point in points if point[0] not in gone]
            self.assertRegex(notes, "(?m)^# By hand: cache.almost_read_hits = true:")
            both[0]["cache"]["almost_read_hits"] = True
            self.assertEqual(*both, folder.name)
            self.assertRegex(notes, "(?m)^# Note: the bus is the rig's")


class Locate(Case):
    def test_gives_the_places_of_blocks(self):
        import subprocess

        done = subprocess.run(
            [os.environ["PLATTER"], "drive", "locate", "elite3"],
            input="0\n98\n99\n5461533\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        self.assertEqual(done.returncode, 2)  # the last is past the end
        self.assertIn("standard input:4", done.stderr)
        rows = done.stdout.splitlines()
        self.assertEqual(
            rows[0], "lba,zone,cylinder,head,order,sector,sectors_per_track,angle_turns"
        )
        self.assertEqual(rows[1], "0,0,0,0,0,0,99,0.000000000")
        self.assertTrue(rows[2].startswith("98,0,0,0,0,98,99,"))
        self.assertTrue(rows[3].startswith("99,0,0,1,1,0,99,"))

    def test_prints_the_whole_map_of_a_layout_of_bands(self):
        profile = self.folder / "bands.toml"
        profile.write_text(BANDS)
        rows = self.run_good("drive", "locate", profile, "--map").stdout.splitlines()
        self.assertEqual(rows[0], "# capacity 1194 blocks of 512 bytes; 24 cylinders, 2 heads")
        self.assertEqual(rows[1], "lbn 0 --> cyl 0, head 0, sect 0, count 4")
        self.assertEqual(rows[2], "lbn 4 --> cyl 0, head 0, sect 5, count 20")
        self.assertEqual(rows[4], "lbn 49 --> cyl 2, head 0, sect 0, count 24")
        self.assertEqual(rows[5], "lbn 73 --> cyl 3, head 0, sect 4, count 21")
        self.assertEqual(rows[6], "lbn 94 --> cyl 3, head 1, sect 0, count 25")
        self.assertEqual(len(rows), 1 + 48 + 1)
        self.assertIn("0 - 23", self.run_good("drive", "show", profile).stdout)

    def test_a_small_drive_does_no_more_than_its_tracks_pass(self):
        profile, result = self.folder / "bands.toml", self.folder / "reach.json"
        profile.write_text(BANDS)
        shown = self.run_good("drive", "show", profile, "--result", result).stdout
        self.assertIn("reads of 8 KiB, 4 outstanding", shown)
        reach = json.loads(result.read_text())
        passes = 25 * 512 * 6000 / 60 * 1e-6
        for rate in reach["sequential_mb_per_s"].values():
            self.assertGreater(rate, 0)
            self.assertLessEqual(rate, passes)
        for bytes_of_read in (4096, 131072):
            reads = [r["reads_per_s"] for r in reach["random"] if r["bytes"] == bytes_of_read]
            self.assertLessEqual(max(reads) * bytes_of_read * 1e-6, passes)
            for shallow, deep in itertools.pairwise(reads):
                self.assertGreater(deep, 0.99 * shallow)

    @unittest.skipUnless(LAYOUTS.is_dir(), "no layouts here: set PLATTER_LAYOUTS_DIR")
    def test_a_map_that_was_read_from_a_drive_is_that_of_its_imported_layout(self):
        folder = LAYOUTS / "cheetah15k5"
        profile = self.folder / "cheetah.toml"
        self.run_good("drive", "import", folder / "Seagate-Cheetah15k5.parv", "-o", profile)
        ours = set(self.run_good("drive", "locate", profile, "--map").stdout.splitlines())
        with gzip.open(folder / "extents.part.txt.gz", "rt") as file:
            read = [line.strip() for line in file if line.startswith("lbn")]
        self.assertEqual(len(read), 6000)
        self.assertEqual([line for line in read if line not in ours], [])


class BadLayouts(Case):
    """A layout that cannot be: the message has file, line, key and the rule; exit code 2."""

    def refused(self, change, line, key, rule):
        text = BANDS
        for old, new in change.items():
            self.assertIn(old, text)
            text = text.replace(old, new, 1)
        profile = self.folder / "bad.toml"
        profile.write_text(text)
        done = platter("drive", "show", profile)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, rf"bad\.toml:{line}:\d+: {re.escape(key)}: .*{rule}")

    def test_are_refused_where_they_stand(self):
        self.refused({"band_tracks = 4": "band_tracks = 0"}, 8, "geometry.band_tracks", "found 0")
        self.refused(
            {"last_cylinder = 23": "last_cylinder = 24"},
            15,
            "geometry.zone.0.last_cylinder",
            "found 24, expected 0 to 23",
        )
        self.refused(
            {"[[0, 0, 4, 1]": "[[0, 0, 4, 1], [9, 9, 9]"},
            10,
            "geometry.slips",
            "row 1: found 3 numbers, expected cylinder, head, sector, count",
        )
        self.refused(
            {"surfaces = 2": "surfaces = 2\nblocks = 1195"},
            8,
            "geometry.blocks",
            "found 1195, but the tracks hold only 1194 blocks",
        )
        self.refused(
            {"surfaces = 2": "surfaces = 2\nphysical_sector_bytes = 4096"},
            18,
            "geometry.zone.0.sectors_per_track",
            "found 25, expected a multiple of 8",
        )

    def test_without_a_required_key_are_refused(self):
        """The key has no place in the file, and no section around it has one either."""
        profile = self.folder / "bare.toml"
        profile.write_text(BANDS.replace("band_tracks = 4\n", ""))
        done = platter("drive", "show", profile)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("bare.toml: geometry.band_tracks: found 0, expected the tracks", done.stderr)

    def test_of_a_tree_name_the_node_and_the_run(self):
        tree = BANDS[: BANDS.index("[[geometry.zone]]")]
        for old, new in {
            'layout = "bands"': 'layout = "tree"',
            "band_tracks = 4\n": "",
            "track_skew_turns = 0.1\n": "",
            "slips = [[0, 0, 4, 1], [2, 0, 24, 5]]\n": "",
        }.items():
            tree = tree.replace(old, new)
        begin = len(tree.splitlines())
        for runs, key, rule in (
            ([["[4, 0, 1, 0.0, 0.1, 0]"]], 0, "run 0: found node 0, expected an earlier one"),
            (
                [["[4, 0, 1, 0.0, 0.1, 0, 25]", "[4, 3, 1, 0.0, 0.1, 0, 25]"]],
                0,
                "have the same sectors, or different tracks, on surface 0, cylinder 3",
            ),
            (
                [["[4, 0, 1, 0.0, 0.1, 0, 25]"], ["[9, 0, 4, 0.0, 0.4, 0]"]],
                1,
                "has tracks on cylinders 0 to 35, expected 0 to 23",
            ),
            ([["[4, 0, 1, 0.0, 0.1, 0, 25, 20, 6]"]], 0, "found 6 sectors from sector 20 on"),
            ([["[4, 0, 1, 0.0]"]], 0, "row 0: found 4 numbers, expected count, cylinder, step"),
        ):
            profile = self.folder / "tree.toml"
            profile.write_text(
                tree
                + "".join(
                    "[[geometry.node]]\nruns = [\n" + "".join(f"  {row},\n" for row in rows) + "]\n"
                    for rows in runs
                )
                + BANDS[BANDS.index("[seek]") :]
            )
            done = platter("drive", "show", profile)
            self.assertEqual(done.returncode, 2, done.stderr)
            line = begin + 2 + sum(3 + len(rows) for rows in runs[:key])
            where = f"geometry.node.{key}.runs"
            self.assertRegex(
                done.stderr, rf"tree\.toml:{line}:\d+: {re.escape(where)}: .*{re.escape(rule)}"
            )


class Validate(Measured):
    def test_replays_every_folder_and_its_result_fits_the_schema(self):
        folder = self.small()
        self.trace(folder)
        profile = self.folder / "small.toml"
        self.run_good("drive", "import", folder / "small.model", "-o", profile)
        result, requests, plots = (self.folder / name for name in ("v.json", "v.csv", "plots"))
        outputs = ("--result", result, "--requests", requests, "--plots", plots)
        out = self.run_good("validate", self.folder, "--profile", profile, *outputs)
        self.assertRegex(out.stdout, r"(?m)^small +all +200 ")
        data = json.loads(result.read_text())
        jsonschema.validate(
            data, json.loads((SOURCE / "docs/reference/validate.schema.json").read_text())
        )
        drive = data["drives"][0]
        self.assertEqual(drive["all"]["n"], drive["reads"]["n"] + drive["writes"]["n"])
        rows = requests.read_text().splitlines()
        self.assertEqual(
            rows[0],
            "line,kind,lba,blocks,measured_us,simulated_us,served,"
            "overhead_us,move_us,rotation_us,transfer_us",
        )
        self.assertEqual(len(rows), 201)
        simulated = [float(row.split(",")[5]) / 1e3 for row in rows[1:]]
        self.assertAlmostEqual(sum(simulated) / 200, drive["all"]["simulated_mean_ms"], places=6)
        self.assertTrue((plots / "small.svg").read_text().startswith("<svg"))
        half = self.folder / "half.json"
        words = ("--profile", profile, "--half", "second", "--result", half, "--quiet")
        self.run_good("validate", folder, *words)
        self.assertEqual(json.loads(half.read_text())["drives"][0]["all"]["n"], 100)

    def test_a_group_without_requests_has_no_figures(self):
        folder = self.small()
        (folder / "t.trace").write_text("W Miss 0 8 5000.0 1000.0\nW Miss 20000 8 5000.0 2000.0\n")
        profile, result = self.folder / "small.toml", self.folder / "v.json"
        self.run_good("drive", "import", folder / "small.model", "-o", profile)
        self.assertIn(
            "–", self.run_good("validate", folder, "--profile", profile, "--result", result).stdout
        )
        data = json.loads(result.read_text())
        jsonschema.validate(
            data, json.loads((SOURCE / "docs/reference/validate.schema.json").read_text())
        )
        drive = data["drives"][0]
        self.assertEqual({value for name, value in drive["reads"].items() if name != "n"}, {None})
        self.assertNotIn(None, drive["writes"].values())
        self.assertEqual(
            (drive["reads"]["n"], drive["coherence_near"], drive["coherence_far"]), (0, None, None)
        )

    def test_the_reading_moves_the_pauses(self):
        folder = self.small()
        (folder / "t.trace").write_text(
            "R Hit 0 8 5000.0 1000.0\nR Hit 20000 8 5000.0 2000.0\nR Hit 40 8 5000.0 30001.0\n"
        )
        profile = self.folder / "small.toml"
        self.run_good("drive", "import", folder / "small.model", "-o", profile)
        times = {}
        for reading in ("follows", "precedes"):
            csv = self.folder / f"{reading}.csv"
            words = ("--profile", profile, "--reading", reading, "--requests", csv, "--quiet")
            self.run_good("validate", folder, *words)
            times[reading] = [float(row.split(",")[5]) for row in csv.read_text().splitlines()[1:]]
        self.assertEqual(times["follows"][0], times["precedes"][0])
        # One turn is 10 ms: where the head is found depends on the pause,
        # 1 against 2 ms before the second request.
        self.assertAlmostEqual(
            (times["follows"][1] - times["precedes"][1]) % 10000, 1000, delta=0.01
        )

    def test_bad_input(self):
        folder = self.small()
        profile = self.folder / "small.toml"
        self.run_good("drive", "import", folder / "small.model", "-o", profile)

        def refused(text, *patterns, arguments=()):
            (folder / "small.trace").write_text(text)
            done = platter("validate", self.folder, "--profile", profile, *arguments)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            for pattern in patterns:
                self.assertRegex(done.stderr, pattern)

        refused("R Hit 0 8 5000.0 1000.0\nR Hit 0 8 50", r"small\.trace:2")
        refused("X Hit 0 8 5000.0 1000.0\n", r"small\.trace:1:1.*R or W")
        refused("R Hit 23990 8 5000.0 1000.0\n", r"request 1 .*23990")
        refused("", "no requests")
        for drives in (("--drive", "smal"), ("--drive", "small", "--drive", "smal")):
            refused("R Hit 0 8 5000.0 1000.0\n", '"smal"; it has small', arguments=drives)
        done = platter("validate", self.folder / "none")
        self.assertEqual(done.returncode, 2)
        (self.folder / "empty").mkdir()
        self.assertEqual(platter("validate", self.folder / "empty").returncode, 2)

    # Exact demerit in percent of the measured mean that DiskSim 4.0 reaches on the same traces,
    # replayed as it does.
    DISKSIM: ClassVar = {
        "cheetah9LP": 2.52,
        "barracuda": 5.26,
        "atlas10k": 6.89,
        "atlas_III": 6.04,
        "ibm18es": 2.59,
        "hp_c2247a": 0.61,
        "hp_c3323a": 1.83,
    }
    # What the imported profiles reach, rounded up: no change may make them worse.
    IMPORTED: ClassVar = {
        "cheetah9LP": 2.30,
        "barracuda": 4.52,
        "atlas10k": 2.41,
        "atlas_III": 5.88,
        "ibm18es": 2.33,
        "hp_c2247a": 0.59,
        "hp_c3323a": 1.835,
    }

    @needs_measured
    def test_imported_profiles_are_not_worse_than_disksim(self):
        result = self.folder / "v.json"
        self.run_good("validate", MEASURED, "--result", result)
        drives = {d["drive"]: d for d in json.loads(result.read_text())["drives"]}
        for name, limit in self.IMPORTED.items():
            demerit = drives[name]["all"]["demerit_exact_percent"]
            self.assertLessEqual(demerit, limit, name)
            self.assertLessEqual(round(demerit, 2), self.DISKSIM[name], name)

    # What the calibrated profiles reach on the second half, which their fit did not see, rounded:
    # demerit in percent at most, and shares of near reads and of all reads within 0.5 ms at least.
    # The pause is read as each trace means it.
    CALIBRATED: ClassVar = {
        "cheetah9LP": ("precedes", 1.54, 0.93, 0.93),
        "barracuda": ("precedes", 1.32, 0.97, 0.95),
        "atlas10k": ("precedes", 0.92, 0.98, 0.97),
        "atlas_III": ("precedes", 1.73, 0.90, 0.93),
        "ibm18es": ("precedes", 1.22, 0.98, 0.98),
        "hp_c2247a": ("follows", 1.12, 0.97, 0.95),
        "hp_c3323a": ("follows", 1.73, 0.72, 0.41),
    }

    @needs_measured
    def test_calibrated_profiles_hold_on_the_half_that_they_were_not_fitted_to(self):
        for name, (reading, limit, near, reads) in self.CALIBRATED.items():
            result = self.folder / f"{name}.json"
            words = ("--calibrated", "--reading", reading, "--half", "second", "--quiet")
            self.run_good("validate", MEASURED, "--drive", name, *words, "--result", result)
            drive = json.loads(result.read_text())["drives"][0]
            self.assertLessEqual(drive["all"]["demerit_exact_percent"], limit, name)
            self.assertGreaterEqual(drive["near_reads"]["within_0_5_ms"], near, name)
            self.assertGreaterEqual(drive["reads"]["within_0_5_ms"], reads, name)
            if name != "hp_c3323a":
                self.assertGreater(drive["coherence_far"], 0.99, name)

    @needs_measured
    def test_figures_agree_with_the_reference_script(self):
        import importlib.util

        spec = importlib.util.spec_from_file_location("demerit", MEASURED / "demerit.py")
        demerit = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(demerit)
        result, requests = self.folder / "v.json", self.folder / "v.csv"
        words = ("--drive", "atlas_III", "--result", result, "--requests", requests, "--quiet")
        self.run_good("validate", MEASURED, *words)
        score = json.loads(result.read_text())["drives"][0]
        rows = [row.split(",") for row in requests.read_text().splitlines()[1:]]
        for group, kinds in (("all", "RW"), ("reads", "R"), ("writes", "W")):
            real = [float(r[4]) / 1e3 for r in rows if r[1] in kinds]
            sim = [float(r[5]) / 1e3 for r in rows if r[1] in kinds]
            report = demerit.report(real, sim)
            self.assertAlmostEqual(report["demerit_ms"], score[group]["demerit_exact_ms"], places=6)
            self.assertAlmostEqual(report["binned_ms"], score[group]["demerit_binned_ms"], places=5)
            self.assertAlmostEqual(
                report["per_request_rms_ms"], score[group]["rms_error_ms"], places=6
            )
            self.assertAlmostEqual(
                report["mean_real_ms"], score[group]["measured_mean_ms"], places=6
            )


class Bench(Case):
    def test_every_transport_serves_the_same_load(self):
        result = self.folder / "bench.json"
        out = self.run_good(
            "bench", "--depth", 1, "--depth", 4, "--requests", 500, "--result", result
        )
        self.assertIn("SPTF", out.stdout)
        data = json.loads(result.read_text())
        jsonschema.validate(
            data, json.loads((SOURCE / "docs/reference/bench.schema.json").read_text())
        )
        runs = {
            (r["transport"], r["policy"], r["depth"]): r["simulated_requests_per_s"]
            for r in data["runs"]
        }
        self.assertEqual(len(runs), 8)
        for policy in ("FCFS", "SPTF"):
            self.assertEqual(runs["nb", policy, 1], runs["b", policy, 1])
        self.assertGreater(runs["nb", "SPTF", 4], runs["nb", "FCFS", 4])

    def test_memory_of_an_array_does_not_grow(self):
        peaks = []
        for warmup_s in (20, 200):
            result = self.result_by(
                ("run",),
                SOURCE / "models/configs/scenarios/bench_array.toml",
                f"sim.warmup_s={warmup_s}",
                "sim.measure_s=10",
            )
            self.assertAlmostEqual(
                sum(result["array"]["commands"]) / (warmup_s + 10), 1000, delta=40
            )
            peaks.append(result["host"]["peak_memory_mib"])
        self.assertLess(peaks[1], peaks[0] + 0.5)

    def test_throughput_of_the_cheetah(self):
        # DiskSim 4.0 with the same drive and load: 197.7 and 237.2 requests a second. A full
        # queue's 3.2 % above the second is explained in docs/performance.md.
        result = self.folder / "bench.json"
        words = "--policy SPTF --transport nb --depth 32 --depth 128 --requests 50000 --quiet"
        self.run_good("bench", *words.split(), "--result", result)
        data = json.loads(result.read_text())
        shallow, deep = (r["simulated_requests_per_s"] for r in data["runs"])
        self.assertAlmostEqual(shallow / 197.7, 1, delta=0.03)
        self.assertAlmostEqual(deep / 237.2, 1, delta=0.04)

    def test_bad_input(self):
        self.assertEqual(platter("bench", "--policy", "SPFT").returncode, 2)
        self.assertEqual(platter("bench", "--drive", "cheeta").returncode, 2)
        self.assertEqual(
            platter("bench", "--engine", "rtl", "--depth", "4", "--policy", "FCFS").returncode, 2
        )


if __name__ == "__main__":
    unittest.main()
