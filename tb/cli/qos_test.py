# SPDX-License-Identifier: Apache-2.0
"""AutoQoS as a scenario, as its users see it.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import json
import tomllib
import unittest

import jsonschema
from cli_test import SOURCE, Case

PAPER = SOURCE / "docs/papers/autoqos"
FIGURE4 = PAPER / "figure4.toml"


class Qos(Case):
    def result_of(self, *settings, file=FIGURE4):
        return self.result_by(("run",), file, *settings)

    def refused(self, *settings, file=FIGURE4):
        return self.refused_by(("run",), file, *settings)

    def test_result_fits_its_schema(self):
        schema = json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        for file in sorted(PAPER.glob("*.toml")):
            for enabled in ("true", "false"):
                with self.subTest(file=file.name, enabled=enabled):
                    result = self.result_of(f"autoqos.enabled={enabled}", file=file)
                    jsonschema.validate(result, schema)
                    self.assertEqual("autoqos" in result, enabled == "true")
                    self.assertEqual(
                        "recogniser" in result, file.name in ("recognised.toml", "short_files.toml")
                    )
                    self.assertEqual(
                        result["configuration"]["drive"]["name"], "Seagate ST340810A (class)"
                    )
                    seconds = round(result["measured_s"])
                    total = 0.0
                    for stream in result["streams"]:
                        self.assertLessEqual(stream["missed_periods"], stream["periods"])
                        self.assertEqual(len(stream["series_bytes_per_s"]), seconds)
                        self.assertAlmostEqual(
                            sum(stream["series_bytes_per_s"]) / seconds, stream["bytes_per_s"]
                        )
                        total += stream["bytes_per_s"]
                    self.assertAlmostEqual(total, result["aggregate_bytes_per_s"], places=3)
                    self.assertAlmostEqual(
                        sum(result["classes"].values()), result["aggregate_bytes_per_s"], places=3
                    )
        self.assertRegex(self.run_good("run", FIGURE4).stdout, r"multimedia +\d+ bytes/s")

    def test_drive_reads_one_stream_at_the_papers_rate(self):
        alone = self.folder / "alone.toml"
        alone.write_text(
            'format = 1\ndrive = "st340810a"\nhost.kind = "autoqos"\n[sim]\nmeasure_s = 10\n'
            '[[stream]]\nname = "copy"\n'
        )
        self.assertAlmostEqual(
            self.result_of(file=alone)["aggregate_bytes_per_s"] / 27.6e6, 1, delta=0.005
        )

    def test_autoqos_gives_multimedia_its_rate(self):
        def rate(result):
            series = result["streams"][2]["series_bytes_per_s"][36:150]
            return sum(series) / len(series)

        off, on = (rate(self.result_of(f"autoqos.enabled={on}")) for on in ("false", "true"))
        self.assertLess(off, 0.65 * 10e6)
        self.assertAlmostEqual(on / 10e6, 1, delta=0.03)

    def test_missed_periods_are_those_of_the_rate(self):
        def missed(*settings):
            streams = self.result_of(*settings)["streams"]
            return {s["name"]: (s["periods"], s["missed_periods"]) for s in streams}

        off, on = missed("autoqos.enabled=false"), missed("autoqos.enabled=true")
        self.assertAlmostEqual(on["multimedia 1"][0], 120 * 10e6 / 262144, delta=3)
        self.assertAlmostEqual(on["best effort 1"][0], 180 * 10e6 / 262144, delta=3)
        self.assertGreater(off["multimedia 1"][1], 0.9 * off["multimedia 1"][0])
        self.assertLess(on["multimedia 1"][1], 0.5 * on["multimedia 1"][0])
        # After a warm-up only what ended later counts.
        late = missed("sim.warmup_s=150", "sim.measure_s=20")
        self.assertLessEqual(late["multimedia 1"][0], 2)
        self.assertAlmostEqual(late["best effort 1"][0], 20 * 10e6 / 262144, delta=3)

    def test_a_streams_files_are_one_stream(self):
        """Files of 100 MB, one after the other: the stream stays multimedia,
        the copies do not come back for a trial each time."""

        def shares(handover):
            streams = self.result_of(
                f"recogniser.handover_s={handover}", file=PAPER / "short_files.toml"
            )["streams"]
            copies, stream = streams[:3], streams[3]
            rate = sum(stream["series_bytes_per_s"][40:150]) / 110
            return rate / 4e6, sum(copy["multimedia_commands"] for copy in copies) / sum(
                copy["commands"] for copy in copies
            )

        (alone, tried), (kept, seldom) = shares(0), shares(0.1)
        self.assertLess(alone, kept - 0.02)
        self.assertGreater(kept, 0.985)
        self.assertLess(seldom, 0.75 * tried)

    def test_a_fixed_limit_holds(self):
        result = self.result_of(
            "autoqos.enabled=false", "drive.port.token_rate_bytes_per_s=3_000_000"
        )
        self.assertAlmostEqual(result["classes"]["best_effort_bytes_per_s"] / 3e6, 1, delta=0.01)

    def test_same_seed_same_bytes_and_other_seeds_differ(self):
        def everything(seed):
            result = self.result_of(f"sim.seed={seed}")
            del result["host"]
            return json.dumps(result)

        self.assertEqual(everything(1), everything(1))
        self.assertNotEqual(
            everything(1).replace('"seed": 1', ""), everything(2).replace('"seed": 2', "")
        )

    def test_bad_input_is_refused_with_its_place(self):
        for setting, expected in (
            (
                "autoqos.windows_s=2",
                r"windows_s: there is no such key \(did.* autoqos.window_s\?\)",
            ),
            ("autoqos.classes=label", "autoqos.classes.*expected one of labels, recognised"),
            ("policy=FIFO", "policy"),
            ("policy=SATF-EW", "eager"),
            ("application.command_bytes=1000", "whole sectors of 512 bytes"),
            ("files.bytes=1000", "at least a command of 262144 bytes"),
            ("files.bytes=14_000_000_000", "expected at most 13331"),
        ):
            self.assertRegex(self.refused(setting), expected)
        bad = self.folder / "bad.toml"
        text = FIGURE4.read_text()
        leaves, change_to = "leaves_s = 150", "change_at_s = [60]\nchange_to_bytes_per_s = "
        for change, expected in (
            ((leaves, "leaves_s = 20"), '"multimedia 1": .* more than enters_s, which is 30'),
            ((leaves, change_to.replace("60", "60, 50") + "[1, 1]"), "ascending times"),
            ((leaves, "change_at_s = [60]"), "found 0 rates, expected one for each of the 1 times"),
            ((leaves, change_to + "[-1]"), "found -1, expected 0 to"),
            (
                (leaves, "leave_s = 150"),
                r"bad.toml:\d+:\d+: stream.2.leave_s: there is no such key",
            ),
            (('"multimedia 1"', '"best effort 1"'), "another stream has the same name"),
            (
                ("rate_bytes_per_s = 10_000_000\nenters_s", 'pace = "exponential"\nenters_s'),
                "need a rate_bytes_per_s above 0",
            ),
            (('name = "multimedia 1"\n', ""), "stream.2.name: is missing"),
        ):
            with self.subTest(expected=expected):
                self.assertIn(change[0], text)
                bad.write_text(text.replace(*change))
                self.assertRegex(self.refused(file=bad), expected)
        bad.write_text('format = 1\ndrive = "st340810a"\nhost.kind = "autoqos"\n')
        self.assertRegex(self.refused(file=bad), "stream: is missing: at least one stream")

    def test_check_dump_and_schema(self):
        self.assertIn("good (autoqos", self.run_good("config", "check", FIGURE4).stdout)
        schema = json.loads(self.run_good("config", "schema", "scenario").stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        for file in sorted(PAPER.glob("*.toml")):
            dump = self.folder / "dump.toml"
            dump.write_text(self.run_good("config", "dump", file).stdout)
            first, second = (
                json.loads(self.run_good("config", "dump", one, "--json").stdout)
                for one in (file, dump)
            )
            self.assertEqual(first, second)
            jsonschema.validate(tomllib.loads(file.read_text()), schema)
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(
                tomllib.loads(FIGURE4.read_text().replace("enters_s", "enter_s")), schema
            )


if __name__ == "__main__":
    unittest.main()
