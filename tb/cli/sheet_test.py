# SPDX-License-Identifier: Apache-2.0
"""From a data sheet to a drive: `drive new`, the sheets that ship, and what `drive show` says of a
drive.

Environment: as cli_test.py.
"""

import csv
import json
import re
import subprocess
import sys
import tomllib
import unittest

from cli_test import SOURCE, Case, platter

SHEETS = SOURCE / "models/configs/sheets"
DRIVES = SOURCE / "models/configs/drives"
OPTIONS = {
    "--capacity": "22TB",
    "--rpm": "7200",
    "--heads": "20",
    "--seek-single": "0.23",
    "--seek-average": "7.4",
    "--seek-full": "14.3",
    "--rate-outer": "291MB/s",
    "--cache": "512MiB",
}


class Sheets(Case):
    def new(self, **changed):
        options = dict(OPTIONS, **{f"--{k.replace('_', '-')}": v for k, v in changed.items()})
        words = [word for pair in options.items() for word in pair]
        return platter("drive", "new", "Mine", *words, "-o", self.folder / "mine.toml")

    def sheet(self, **changed):
        """A sheet with one key a line, from line 3 on."""
        keys = {key[2:].replace("-", "_"): text for key, text in OPTIONS.items()} | changed
        text = 'format = 1\nname = "Mine"\n'
        for key, value in keys.items():
            text += f'{key} = "{value}"\n'
        self.lines = {key: line for line, key in enumerate(keys, start=3)}
        return self.write("mine_sheet.toml", text)

    def refused(self, key, rule, **changed):
        """Both as a sheet and as options; nothing is written."""
        out = self.folder / "never.toml"
        done = platter("drive", "new", "--sheet", self.sheet(**changed), "-o", out)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertRegex(done.stderr, rf"mine_sheet\.toml:{self.lines[key]}:\d+: {key}: .*{rule}")
        self.assertFalse(out.exists())
        done = self.new(**changed)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertRegex(done.stderr, rf"--{key.replace('_', '-')}: .*{rule}")
        self.assertEqual([f.name for f in self.folder.glob("*.toml")], ["mine_sheet.toml"])


class New(Sheets):
    def test_shipped_profiles_are_made_from_the_shipped_sheets(self):
        sheets = sorted(SHEETS.glob("*.toml"))
        self.assertEqual(len(sheets), 8)
        for sheet in sheets:
            made = self.run_good("drive", "new", "--sheet", sheet).stdout
            self.assertEqual(made, (DRIVES / sheet.name).read_text(), sheet.name)

    def test_options_and_a_sheet_make_the_same_drive(self):
        self.assertEqual(self.new().returncode, 0)
        profile = self.folder / "mine.toml"
        of_sheet = self.folder / "of_sheet.toml"
        self.run_good("drive", "new", "--sheet", self.sheet(), "-o", of_sheet)
        shown = [
            json.loads(self.run_good("drive", "show", file, "--json").stdout)
            for file in (profile, of_sheet)
        ]
        self.assertEqual(shown[0], shown[1])
        geometry = shown[0]["geometry"]
        self.assertEqual(geometry["blocks"], 42970644480)
        self.assertAlmostEqual(geometry["cylinders"], 560000, delta=2000)
        self.assertEqual(shown[0]["mechanics"]["arrival_spread_us"], [[0, 100], [1, 200]])

    def test_an_option_replaces_a_number_of_the_sheet(self):
        done = self.run_good("drive", "new", "Other", "--sheet", self.sheet(), "--rpm", "5400")
        self.assertIn('name = "Other"', done.stdout)
        self.assertIn("rpm = 5400.0", done.stdout)

    def test_every_value_has_its_reason(self):
        text = self.run_good("drive", "new", "--sheet", SHEETS / "es3_4tb.toml").stdout
        keys = re.findall(r"(?m)^(#.*\n)?([a-z_]+) = ", text)
        bare = {key for comment, key in keys if not comment}
        # Those without a rule, and those with the reason of the key before.
        self.assertLessEqual(
            {key for key in bare if not key.endswith(("_us", "_w"))}, {"format", "name", "source"}
        )
        text = text.replace("\n# ", " ")
        self.assertIn("stated (manual, table of DC power requirements", text)
        self.assertRegex(text, r"seek_average 7.4 ms, assumed: as the Ultrastar HC310")
        self.assertRegex(text, r"rate_inner 83 MB/s \(manual: 83 to 175 MB/s sustained\)")

    def test_the_help_names_the_unit_of_every_number(self):
        text = " ".join(self.run_good("drive", "new", "--help").stdout.split())
        for option, unit in (
            ("--seek-full", "[ms]"),
            ("--rate-outer", "[MB/s]"),
            ("--track-skew", "[turns]"),
            ("--capacity", "[B, kB, MB, GB, TB, KiB, MiB, GiB, TiB]"),
        ):
            self.assertRegex(text, rf"{option} TEXT [^-]*{unit.replace('[', '.')[:-1]}")

    def test_the_page_has_every_key(self):
        page = (SOURCE / "docs/reference/data_sheet.md").read_text()
        for word in self.run_good("drive", "new", "--help").stdout.split():
            if word.startswith("--") and word not in ("--help", "--output", "--sheet"):
                self.assertIn(f"`{word[2:].replace('-', '_')}`", page)


class Contradictions(Sheets):
    def test_between_numbers_are_refused_where_they_stand(self):
        for key, rule, changed, text in (
            ("seek_full", "expected a full stroke that takes longer", "seek_full", "5"),
            ("seek_average", "no arm that accelerates", "seek_average", "4"),
            ("seek_average", "to the next track", "seek_average", "0.2"),
            ("rate_outer", "rate x turn x tracks is the capacity", "rate_outer", "20MB/s"),
            ("rate_outer", "found too much for the capacity", "capacity", "10GB"),
            ("rate_inner", "expected no more inside", "rate_inner", "400MB/s"),
            ("tracks", "expected at least 42970644480, the stated capacity", "tracks", "400000"),
            (
                "rate_outer",
                "expected at most 245.8 MB/s: 4000 sectors of 512 bytes x 120 turns/s",
                "sectors_outer",
                "4000",
            ),
            ("sectors", "sectors x bytes of a sector is the capacity", "sectors", "39062500000"),
            ("seek_write_full", "expected a full stroke", "seek_write_full", "6"),
        ):
            with self.subTest(key=key, rule=rule):
                self.refused(key, rule, **{changed: text})
        self.refused("write_cache", "found on, expected off", write_cache="on", cache="0B")

    def test_of_units_and_ranges_are_refused(self):
        for key, text, rule in (
            ("capacity", "22TBit", 'found the unit "TBit", expected one of B'),
            ("capacity", "22", "a number with a unit"),
            ("rate_outer", "291Mbit/s", "found the unit"),
            ("seek_single", "-0.23", "found -0.23 ms, expected 0.01 ms to"),
            ("heads", "0", "found 0, expected 1 to 64"),
            ("heads", "2.5", "a whole number"),
            ("rpm", "-7200", "found -7200 rpm"),
            ("track_skew", "3/0", "a fraction of a turn"),
            ("interface", "scsi", "expected one of sata, sas"),
        ):
            with self.subTest(key=key, text=text):
                self.refused(key, rule, **{key: text})

    def test_what_is_missing_or_unknown_is_named(self):
        self.assertRegex(platter("drive", "new", "Mine").stderr, r"rpm: is missing: spindle speed")
        sheet = self.write("s.toml", 'format = 1\nname = "a"\nseek_singel = 0.2\n')
        done = platter("drive", "new", "--sheet", sheet)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"s\.toml:3:\d+: seek_singel: .*did you mean seek_single")
        done = platter("drive", "new", "--sheet", self.folder / "none.toml")
        self.assertEqual(done.returncode, 2)
        self.assertIn("none.toml: no such file", done.stderr)

    def test_more_room_than_the_capacity_is_spare(self):
        self.assertEqual(self.new(tracks="600000").returncode, 0)
        shown = json.loads(
            self.run_good("drive", "show", self.folder / "mine.toml", "--json").stdout
        )
        self.assertEqual(shown["geometry"]["cylinders"], 600000)
        self.assertEqual(shown["geometry"]["blocks"], 42970644480)


class Published(Case):
    """The page that compares the drives with what is published of them."""

    def numbers_in(self, value):
        """All numbers of a sheet, those in texts as well."""
        if isinstance(value, dict):
            return [n for key, v in value.items() if key != "sources" for n in self.numbers_in(v)]
        if isinstance(value, str):
            return [float(text) for text in re.findall(r"\d+(?:\.\d+)?", value)]
        return [float(value)]

    def test_no_predicted_number_is_in_the_drive_s_sheet(self):
        with (SOURCE / "docs/validation/data_sheet_drives.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        predicted = [row for row in rows if row["use"] == "predicted"]
        self.assertGreater(len(predicted), 5)
        for row in predicted:
            with self.subTest(drive=row["drive"], number=row["number"]):
                sheet = tomllib.loads((SHEETS / f"{row['drive']}.toml").read_text())
                for key in ("name", "source"):  # the names of drives have numbers
                    del sheet[key]
                numbers = self.numbers_in(sheet)
                self.assertGreater(len(numbers), 4)
                for key in ("published_low", "published_high"):
                    self.assertNotIn(float(row[key]), numbers)

    def test_the_page_has_what_the_drives_do(self):
        done = subprocess.run(
            [sys.executable, SOURCE / "scripts/dev/data-sheets", "--check"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)


class Show(Sheets):
    def shown(self, profile, *words):
        result = self.folder / "reach.json"
        text = self.run_good("drive", "show", profile, *words, "--result", result).stdout
        return json.loads(result.read_text()), text

    def test_says_what_the_drive_does(self):
        reach, text = self.shown("wd22tb", "--sheet", SHEETS / "wd22tb.toml")
        self.assertAlmostEqual(reach["seek_ms"]["read"]["average"], 7.4, delta=0.001)
        self.assertAlmostEqual(reach["seek_ms"]["write"]["average"], 8.2, delta=0.001)
        self.assertAlmostEqual(reach["sequential_mb_per_s"]["outer"], 291, delta=6)
        self.assertEqual(
            [(one["bytes"], one["depth"]) for one in reach["random"]],
            [(size, depth) for size in (4096, 131072) for depth in (1, 8, 32, 128)],
        )
        rates = [one["reads_per_s"] for one in reach["random"][:3]]
        self.assertEqual(rates, sorted(rates))
        self.assertEqual(reach["warnings"], [])
        self.assertIn("policy SPTF", text)

    def test_names_the_overhead_of_a_miss_and_whether_it_overlaps(self):
        number = r"(\d+\.\d{3})"
        for drive in ("savvio_10k4", "cheetah9lp"):
            with self.subTest(drive=drive):
                profile = json.loads(self.run_good("drive", "show", drive, "--json").stdout)
                text = self.run_good("drive", "show", drive).stdout
                line = re.search(
                    rf"(?m)^overhead +read {number} / {number}, write {number} / {number} ms (.*)$",
                    text,
                )
                for shown, key in zip(
                    line.groups(),
                    (
                        f"{what}_after_{last}_us"
                        for what in ("read_miss", "write")
                        for last in ("read", "write")
                    ),
                    strict=False,
                ):
                    us = profile["overhead"][key]
                    self.assertAlmostEqual(float(shown), us * 1e-3, delta=0.00051)
                    self.assertGreater(us, 0)
                overlap = profile["controller"]["overhead_overlap"]
                self.assertEqual("overlaps with accesses" in line[5], overlap)

    def test_warns_of_a_skew_that_costs_a_turn_on_each_track(self):
        self.assertEqual(self.new(track_skew="0").returncode, 0)
        reach, text = self.shown(self.folder / "mine.toml", "--sheet", self.sheet())
        self.assertLess(reach["sequential_mb_per_s"]["outer"], 200)
        self.assertRegex(text, r"warning: sequential reads at the outer edge reach .*skew")
        self.assertRegex(text, r"warning: the sheet has rate_outer = 291 MB/s, but the drive does")

    def test_warns_of_an_average_that_is_not_that_of_manuals(self):
        profile = self.write(
            "three.toml",
            'format = 1\nbase = "st39133lwv"\n[seek]\nsingle_us = 600.0\naverage_us = 3600.0\n'
            "full_us = 8000.0\n",
        )
        reach, text = self.shown(profile)
        self.assertRegex(
            text, r"warning: seek.average_us = 3600 is the time over a third .* is 3\.\d+ ms"
        )
        self.assertLess(reach["seek_ms"]["read"]["average"], 3.52)
        self.assertAlmostEqual(reach["seek_ms"]["read"]["third"], 3.6, delta=0.001)


if __name__ == "__main__":
    unittest.main()
