# SPDX-License-Identifier: Apache-2.0
"""Drives whose arrivals have a spread, in whole runs.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import csv
import itertools
import json
import math
import statistics
import unittest

import jsonschema
import pywellen
from cli_test import SOURCE, Case, overrides, platter

RANDOM = SOURCE / "models/configs/scenarios/random_4k.toml"
JOBS = SOURCE / "models/configs/scenarios/jobs.toml"
MIXED = SOURCE / "models/configs/scenarios/mixed_media.toml"
SHORT = ("sim.warmup_s=0", "sim.measure_s=20")


def spread(us):
    return f"drive.mechanics.arrival_spread_us=[[0, {us}]]"


def turn_ms(result):
    return 60e3 / result["configuration"]["drive"]["mechanics"]["rpm"]


class SpreadCase(Case):
    def run_of(self, file, *settings, **files):
        """The result without what differs between machines, and the text of each file."""
        paths = {option: self.folder / option for option in files.get("kept", ())}
        out = self.folder / "result.json"
        self.run_good(
            "run",
            file,
            *overrides(settings),
            "--quiet",
            "--result",
            out,
            *(word for option, path in paths.items() for word in (f"--{option}", path)),
        )
        result = json.loads(out.read_text())
        del result["host"]
        return result, {option: path.read_bytes() for option, path in paths.items()}

    def log_of(self, file, *settings):
        result, files = self.run_of(file, *settings, kept=("requests",))
        return result, list(csv.DictReader(files["requests"].decode().splitlines()))


class Off(SpreadCase):
    def test_deviations_of_zero_are_those_of_a_drive_without(self):
        """Byte for byte, but for the configuration, which has the key."""
        zero = (
            "drive.mechanics.arrival_spread_us=[[0, 0], [100, 0.0]]",
            "drive.mechanics.arrival_spread_write_us=[[5, 0]]",
        )
        for settings in (
            ("engine=firmware", "policy=OPS:SLACK(3.4|0.46)"),
            ("engine=model", "policy=SATF-risk"),
            ("engine=firmware", "policy=SPTF(margin)", "guard.quantile=0.5"),
        ):
            with self.subTest(settings):
                kept = ("requests", "timeline", "waves")
                plain, files = self.run_of(MIXED, *SHORT, *settings, kept=kept)
                zeros, zero_files = self.run_of(MIXED, *SHORT, *settings, *zero, kept=kept)
                self.assertNotEqual(plain.pop("configuration"), zeros.pop("configuration"))
                self.assertEqual(plain, zeros)
                self.assertEqual(files, zero_files)
                self.assertNotIn("arrivals", plain)
                self.assertNotIn("misses", plain["classes"]["discrete"])
                self.assertNotIn(b"missed", files["requests"])

    def test_without_spread_the_new_policies_are_sptf(self):
        logs = []
        for engine in ("firmware", "model"):
            for policy in ("SPTF", "SPTF(margin)", "SATF-risk"):
                settings = (*SHORT, f"policy={policy}", f"engine={engine}")
                logs.append(self.run_of(MIXED, *settings, kept=("requests",))[1])
        self.assertEqual(logs[0], logs[1])
        self.assertEqual(logs[0], logs[2])
        self.assertEqual(logs[3], logs[4])
        self.assertEqual(logs[3], logs[5])


class Profiles(SpreadCase):
    FITTED = ("atlas10k", "atlas_iii", "barracuda", "cheetah9lp", "hp_c2247a", "ibm18es")

    def test_six_shipped_drives_have_a_spread_and_differ_in_nothing_else(self):
        listed = [
            row["name"] for row in json.loads(self.run_good("list", "drives", "--json").stdout)
        ]
        self.assertEqual(
            [name for name in listed if name.endswith("_spread")],
            [f"{name}_spread" for name in self.FITTED],
        )
        for name in self.FITTED:
            shown, base = (
                json.loads(self.run_good("drive", "show", f"{name}{suffix}", "--json").stdout)
                for suffix in ("_spread", "_calibrated")
            )
            self.assertEqual(shown.pop("name"), f"{base.pop('name')}, with arrival spread")
            self.assertTrue(shown.pop("source").startswith(base.pop("source")))
            self.assertNotEqual(shown["mechanics"], base["mechanics"])
            for key in ("arrival_spread_us", "arrival_spread_write_us"):
                shown["mechanics"].pop(key)
                self.assertEqual(base["mechanics"].pop(key), [])
            self.assertEqual(shown, base)

    def test_runs_without_the_spread_are_those_of_the_calibrated_drive(self):
        for name in self.FITTED:
            with self.subTest(drive=name):
                settings = (*SHORT, "engine=firmware", "sim.measure_s=2")
                off = (
                    "drive.mechanics.arrival_spread_us=[]",
                    "drive.mechanics.arrival_spread_write_us=[]",
                )
                plain, _ = self.run_of(RANDOM, *settings, f"drive={name}_calibrated")
                spread_off, _ = self.run_of(RANDOM, *settings, f"drive={name}_spread", *off)
                misses, _ = self.run_of(RANDOM, *settings, f"drive={name}_spread")
                for result in (plain, spread_off):
                    for key in ("name", "source"):
                        result["configuration"]["drive"].pop(key, None)
                self.assertEqual(plain, spread_off)
                self.assertGreater(misses["arrivals"]["classes"]["discrete"]["reads"]["missed"], 0)


class Misses(SpreadCase):
    def test_fcfs_misses_as_often_as_the_closed_form_says(self):
        """Random sectors come at a uniform phase: an arrival that is late by x misses with the
        probability x / turn, and gains a turn as often when it is early."""
        deviation_us = 200
        result, _ = self.run_of(
            RANDOM,
            "engine=firmware",
            "policy=FCFS",
            "workload.discrete.outstanding=1",
            "sim.measure_s=400",
            spread(deviation_us),
        )
        counts = result["arrivals"]["classes"]["discrete"]["reads"]
        cut = 4
        tail = 0.5 * math.erfc(cut / math.sqrt(2))
        positive_part = (1 - math.exp(-cut * cut / 2)) / math.sqrt(2 * math.pi) / (1 - 2 * tail)
        expected = deviation_us * 1e-3 * positive_part / turn_ms(result)
        error = math.sqrt(expected * (1 - expected) / counts["accesses"])
        self.assertGreater(counts["accesses"], 30_000)
        self.assertAlmostEqual(counts["missed_share"], expected, delta=4 * error)
        self.assertAlmostEqual(
            counts["gained_turns"] / counts["accesses"], expected, delta=4 * error
        )
        self.assertEqual(counts["missed"], counts["missed_turns"])
        self.assertEqual(result["arrivals"]["classes"]["discrete"]["writes"]["missed_share"], None)

    def test_a_larger_spread_never_makes_sptf_faster(self):
        """Paired seeds: the draws are the same, times the deviation."""
        deviations = (0, 100, 200, 300)
        rates = [
            [
                self.run_of(
                    RANDOM, "sim.measure_s=100", "engine=firmware", f"sim.seed={seed}", spread(us)
                )[0]["classes"]["discrete"]["throughput"]["requests_per_s"]
                for seed in (1, 2, 3)
            ]
            for us in deviations
        ]
        for smaller, larger in itertools.pairwise(rates):
            losses = [a - b for a, b in zip(smaller, larger, strict=True)]
            noise = statistics.stdev(losses) / math.sqrt(len(losses))
            self.assertGreater(statistics.mean(losses), -2 * noise)
        self.assertLess(statistics.mean(rates[2]), 0.95 * statistics.mean(rates[0]))

    def test_littles_law_holds_on_a_drive_that_misses(self):
        for settings in (
            ("workload.discrete.outstanding=32",),
            ('workload.discrete.source="poisson"', "workload.discrete.rate_per_s=100"),
        ):
            result, _ = self.run_of(
                RANDOM, "sim.measure_s=200", "engine=firmware", spread(300), *settings
            )
            discrete = result["classes"]["discrete"]
            self.assertGreater(discrete["misses"]["requests"], 100)
            self.assertAlmostEqual(
                discrete["throughput"]["requests_per_s"]
                * discrete["response_ms"]["mean"]
                * 1e-3
                / discrete["backlog"]["mean"],
                1,
                delta=0.01,
            )

    def test_log_and_statistics_agree(self):
        result, log = self.log_of(
            MIXED,
            *SHORT,
            "sim.measure_s=60",
            "engine=firmware",
            "drive.mechanics.zero_latency_read=false",
            spread(300),
        )
        schema = json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text())
        jsonschema.validate(json.loads((self.folder / "result.json").read_text()), schema)
        missed = 0
        for row in log:
            turns = int(row["missed"])
            self.assertEqual(turns > 0, int(row["missed_by_ps"]) > 0)
            parts = ("queue", "overhead", "seek", "settle", "rotation", "transfer", "bus")
            self.assertEqual(
                sum(int(row[f"{part}_ps"]) for part in parts),
                int(row["completed_ps"]) - int(row["issued_ps"]),
            )
            if turns > 0:  # it waits for the rest of a turn, less what it came too late
                missed += 1
                turn_ps = turn_ms(result) * 1e9
                self.assertAlmostEqual(
                    (int(row["rotation_ps"]) + int(row["missed_by_ps"])) / turn_ps, 1, delta=1e-6
                )
        for cls in ("continuous", "discrete"):
            of_class = [r for r in log if r["class"] == cls]
            misses = result["classes"][cls]["misses"]
            for name, column in (("turns", "missed"), ("gained_turns", "gained")):
                self.assertEqual(misses[name], sum(int(r[column]) for r in of_class))
            late = sum(r["missed"] != "0" for r in of_class)
            self.assertEqual(misses["requests"], late)
            self.assertAlmostEqual(
                misses["share"], late / result["classes"][cls]["completions"], delta=1e-9
            )
            counts = result["arrivals"]["classes"][cls]
            self.assertEqual(
                counts["reads"]["missed_turns"] + counts["writes"]["missed_turns"], misses["turns"]
            )
        self.assertGreater(missed, 50)

    def test_the_misses_of_jobs_add_up_to_those_of_their_classes(self):
        result, log = self.log_of(JOBS, *SHORT, "sim.measure_s=40", spread(300))
        for name, column in (("turns", "missed"), ("gained_turns", "gained")):
            of_jobs = {job: one["misses"][name] for job, one in result["jobs"].items()}
            self.assertEqual(
                of_jobs,
                {
                    job: sum(int(row[column]) for row in log if row["job"] == job)
                    for job in result["jobs"]
                },
            )
            self.assertGreater(sum(of_jobs.values()), 20)
            self.assertEqual(
                sum(of_jobs.values()),
                sum(one["misses"][name] for one in result["classes"].values()),
            )

    def test_waves_and_timeline_show_them(self):
        window = ("observe.wave_from_s=0", "observe.wave_to_s=5")
        settings = (*SHORT, "sim.measure_s=5", *window, "engine=firmware", spread(300))
        result, files = self.run_of(MIXED, *settings, kept=("timeline", "waves"))
        missed = sum(
            kind["missed"]
            for cls in result["arrivals"]["classes"].values()
            for kind in cls.values()
        )
        events = json.loads(files["timeline"])["traceEvents"]
        drawn = [e for e in events if e.get("name") == "MISSED"]
        self.assertGreater(missed, 3)
        self.assertAlmostEqual(len(drawn), missed, delta=1)  # the last one may lie beyond the end
        wave = self.write("waves.fst", "")
        wave.write_bytes(files["waves"])
        signals = pywellen.Waveform(str(wave)).all_vars()
        states = next(v for v in signals if v.full_name.endswith("controller.state"))
        changes = [str(value) for _, value in states.tv]
        self.assertAlmostEqual(
            sum("MISSED" in value or value in ("7", "111") for value in changes), missed, delta=1
        )

    def test_explain_names_the_miss(self):
        folder = self.folder / "explained"
        done = self.run_good(
            "explain",
            MIXED,
            *overrides((*SHORT, "engine=firmware", spread(300))),
            "--when",
            "missed > 0",
            "--no-waves",
            "-o",
            folder,
        )
        self.assertRegex(done.stdout, r"missed by \d+ us, one turn more")
        for request in json.loads((folder / "explain.json").read_text())["requests"]:
            self.assertGreater(request["missed"], 0)
            self.assertIn(f"missed by {request['missed_by_ps'] * 1e-6:.0f} us", done.stdout)

    def test_each_drive_of_an_array_has_its_own_arrivals(self):
        array = SOURCE / "models/configs/scenarios/mirrored_array.toml"
        settings = ("sim.warmup_s=0", "sim.measure_s=20", spread(300))
        one, _ = self.run_of(array, *settings)
        counts = one["arrivals"]["classes"].values()
        self.assertGreater(sum(c["reads"]["missed"] for c in counts), 10)
        self.assertEqual(one, self.run_of(array, *settings)[0])
        other, _ = self.run_of(array, *settings, "sim.seed=2")
        self.assertNotEqual(one["arrivals"], other["arrivals"])


class Guard(SpreadCase):
    LOAD = (
        "sim.warmup_s=0",
        "sim.measure_s=200",
        "engine=firmware",
        "workload.discrete.rate_per_s=150",
        spread(400),
    )

    def test_no_stream_hiccups_at_the_default_quantile(self):
        for policy in (
            "SPTF",
            "SPTF(margin)",
            "SATF-risk",
            "OPS:SLACK(3.4|0.46)",
            "OPS:SCAN/CI-SPTF",
        ):
            with self.subTest(policy):
                result, _ = self.run_of(MIXED, *self.LOAD, f"policy={policy}")
                self.assertEqual(result["hiccups"], 0)
                self.assertGreater(result["classes"]["continuous"]["misses"]["requests"], 20)

    def late_shares(self, engine, quantiles):
        """Of the continuous requests under a policy that leaves the sweep no time to spare."""
        settings = [one for one in self.LOAD if not one.startswith("engine")]
        shares = []
        for quantile in quantiles:
            result, _ = self.run_of(
                MIXED,
                *settings,
                "sim.measure_s=60",
                f"engine={engine}",
                "policy=OPS:SLACK(3.4|0.46)",
                f"guard.quantile={quantile}",
            )
            completions = result["classes"]["continuous"]["completions"]
            shares.append(result["hiccups"] / completions)
            bound = 1 - quantile
            if quantile > 0:
                self.assertLessEqual(shares[-1], bound + 4 * math.sqrt(bound / completions))
        return shares

    def test_a_lower_quantile_keeps_its_promise_and_a_guard_of_the_mean_does_not(self):
        """Hiccups are at most the share that the quantile leaves, and fewer at a higher one."""
        shares = self.late_shares("firmware", (0, 0.9, 0.999999))
        self.assertGreater(shares[0], 0.005)
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertLess(shares[1], shares[0] / 2)
        self.assertEqual(shares[-1], 0)

    def test_the_engines_of_the_accelerator_guard_as_well(self):
        """At the quantile of the mean the same load has hiccups."""
        shares = self.late_shares("model", (0, 0.999999))
        self.assertGreater(shares[0], 0.005)
        self.assertEqual(shares[1], 0)

    def test_no_register_of_the_accelerator_s_cost_weakens_its_guard(self):
        for policy in ("SPTF", "SPTF(margin)", "SATF-risk"):
            with self.subTest(policy):
                settings = [s for s in self.LOAD if not s.startswith("engine")]
                result, _ = self.run_of(
                    MIXED, *settings, "sim.measure_s=100", "engine=model", f"policy={policy}"
                )
                self.assertEqual(result["hiccups"], 0)

    def test_a_spread_of_more_than_a_turn_is_refused_by_the_accelerator(self):
        text = self.refused_by(("run",), MIXED, "engine=model", spread(3000))
        self.assertRegex(text, "engine model counts at most one turn")


class Lockstep(SpreadCase):
    def test_model_and_rtl_agree_on_a_drive_that_misses(self):
        """Thirty thousand decisions; MARGIN, RISK and RISK_CHARGE follow from the spread."""
        for policy in ("SPTF", "SPTF(margin)", "SATF-risk"):
            with self.subTest(policy):
                result, _ = self.run_of(
                    RANDOM, "engine=lockstep", f"policy={policy}", "sim.measure_s=60", spread(200)
                )
                scheduler = result["scheduler"]
                self.assertEqual(scheduler["mismatches"], 0)
                self.assertGreater(scheduler["operations_compared"], 10_000)
                self.assertGreater(result["classes"]["discrete"]["misses"]["requests"], 100)


class BadInput(SpreadCase):
    def test_wrong_spreads_are_refused_with_their_key(self):
        key = "drive.mechanics.arrival_spread_us"
        for value, rule in (
            ("[[0, -5]]", r"found a deviation of -5 us at 0 cylinders, expected 0 to 100000"),
            ("[[5, 1], [5, 2]]", r"found distance 5 behind 5, expected ascending distances"),
            ("[[0, 1e6]]", r"expected 0 to 100000"),
            ("[5]", r"expected an array of"),
            ('"x"', r"expected an array of"),
        ):
            with self.subTest(value):
                text = self.refused_by(("run",), RANDOM, f"{key}={value}")
                self.assertRegex(text, key)
                self.assertRegex(text, rule)
        text = self.refused_by(
            ("run",), RANDOM, "drive.mechanics.arrival_spread_write_us=[[0, -1]]"
        )
        self.assertIn("arrival_spread_write_us", text)
        profile = self.write(
            "bad.toml", 'base = "cheetah9lp"\n\n[mechanics]\narrival_spread_us = [[0, -1]]\n'
        )
        done = platter("drive", "show", profile)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"bad\.toml:4:\d+.*mechanics\.arrival_spread_us")

    def test_quantile_and_margin_have_ranges(self):
        self.assertIn("guard.quantile", self.refused_by(("run",), RANDOM, "guard.quantile=1.1"))
        self.assertIn(
            "scheduling.margin_deviations",
            self.refused_by(("run",), RANDOM, "scheduling.margin_deviations=-1"),
        )


if __name__ == "__main__":
    unittest.main()
