# SPDX-License-Identifier: Apache-2.0
"""Media servers as scenarios, as their users see them.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import json
import tempfile
import tomllib
import unittest
from pathlib import Path

import jsonschema
import pywellen
from cli_test import SOURCE, Case, overrides, platter

SERVER = SOURCE / "docs/papers/replicated-striping/server.toml"
ADMISSION = "disks.simulated=false"
SHORT = ("streams.rounds=120", "sim.warmup_s=200", "sim.measure_s=300")


class ServerCase(Case):
    def result_of(self, *settings, simulated=False):
        return self.result_by(
            ("run",), SERVER, *SHORT, *(() if simulated else (ADMISSION,)), *settings
        )

    def refused(self, *settings, file=SERVER):
        return self.refused_by(("run",), file, ADMISSION, *settings)


class Server(ServerCase):
    def test_result_fits_its_schema(self):
        schema = json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        for settings in ((), ("failure.disk=3", "failure.at_s=100")):
            result = self.result_of(*settings)
            jsonschema.validate(result, schema)
            self.assertEqual("failure" in result, bool(settings))
            requests = result["requests"]
            self.assertEqual(requests["accepted"] + requests["rejected"], requests["arrived"])
            self.assertEqual(result["configuration"]["drive"]["name"], "Seagate Cheetah ST-34501N")
        self.assertRegex(
            self.run_good("run", SERVER, *overrides((*SHORT, ADMISSION))).stdout,
            r"streams that play +\d",
        )

    def test_same_seed_same_bytes(self):
        def text(*settings):
            result = self.result_of(*settings)
            result.pop("host")
            return json.dumps(result)

        self.assertEqual(text(), text())
        self.assertNotEqual(text(), text("sim.seed=2").replace('"seed": 2', '"seed": 1'))

    def test_replication_costs_what_the_schemes_say(self):
        """Mirroring costs more than the minimum, the minimum more than nothing; balancing gains."""

        def streams(placement, scheme):
            return self.result_of(
                f"replication.placement={placement}",
                f"reservation.scheme={scheme}",
                "requests.load=1.5",
            )["streams"]["mean_active"]

        values = [
            streams(*pair)
            for pair in (
                ("deterministic", "mirroring"),
                ("deterministic", "minimum"),
                ("none", "primary"),
                ("deterministic", "dynamic-balancing"),
            )
        ]
        self.assertEqual(values, sorted(values))
        self.assertLess(values[0], 0.7 * values[1])

    def test_a_failure_is_survived_if_it_was_reserved_for(self):
        guarded = self.result_of("failure.disk=5", "failure.at_s=50")["failure"]
        self.assertEqual((guarded["lost"], guarded["late"], guarded["streams_missing"]), (0, 0, 0))
        self.assertGreater(guarded["streams_hit"], 0)
        bare = self.result_of(
            "failure.disk=5", "failure.at_s=50", "reservation.scheme=primary", "requests.load=1.5"
        )["failure"]
        self.assertGreater(bare["late"], 0)

    def test_bad_input(self):
        text = SERVER.read_text()
        bad = self.folder / "bad.toml"
        bad.write_text(text.replace("placement", "placment"))
        line = 1 + text[: text.index("placement =")].count("\n")
        self.assertRegex(
            self.refused(file=bad),
            rf"bad\.toml:{line}:\d+: replication\.placment: there is no such key "
            r"\(did you mean replication\.placement\?\)",
        )
        for setting, message in (
            ("replication.placement=determinstic", "did you mean deterministic"),
            (
                "reservation.scheme=none",
                "expected one of primary, mirroring, minimum, dynamic-balancing",
            ),
            ("replication.placement=none", r'reservation\.scheme: "minimum" needs backup copies'),
            ("replication.decluster_bytes=20000", "whole logical blocks of 16384 bytes"),
            ("server.block_bytes=1000", "whole sectors of 512 bytes"),
            ("server.stride_bytes=1048576", "larger than a stride"),
            ("server.disks=2", r"server\.disks: the streams do not fit"),
            ("server.disks=1", "expected at least 2 disks"),
            (
                "server.rate_bytes_per_s=1",
                r"streams: .* wait of \d+ rounds, expected at most 2097152 ",
            ),
            ("failure.disk=8", "expected a disk below 8"),
            ("policy=SCANN", "did you mean SCAN"),
            ("array.drives=2", 'key with host.kind = "media_server"; it exists with "array"'),
            ("streams.correlation=1", "streams.correlation"),
            ("sim.measure_s=10.5", "whole rounds of 1 s"),
            ("streams.content=news", "expected one of mixed, science-fiction"),
            ("failure.disk=1 failure.at_s=9000", "one of the 6000 measured rounds after it"),
            (
                "replication.decluster_bytes=16384 reservation.scheme=dynamic-balancing",
                "two whole copies",
            ),
            (
                "streams.correlation=0.5 streams.scene_rounds=10",
                "streams.correlation: found 0.5, expected 0 with scenes of 10 rounds",
            ),
            ("drive=atlas11k", "did you mean atlas10k"),
        ):
            with self.subTest(setting=setting):
                settings = setting.split()
                self.assertRegex(self.refused(*settings), message)
                checked = platter("config", "check", SERVER, *overrides((ADMISSION, *settings)))
                self.assertEqual(checked.returncode, 2, checked.stdout)

    def test_check_dump_and_schema(self):
        self.assertIn("good (media_server", self.run_good("config", "check", SERVER).stdout)
        dump = self.folder / "dump.toml"
        dump.write_text(self.run_good("config", "dump", SERVER).stdout)
        first, second = (
            json.loads(self.run_good("config", "dump", file, "--json").stdout)
            for file in (SERVER, dump)
        )
        self.assertEqual(first, second)
        schema = json.loads(self.run_good("config", "schema", "scenario").stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(tomllib.loads(SERVER.read_text()), schema)
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(tomllib.loads(SERVER.read_text().replace("disks", "discs")), schema)


class Simulate(ServerCase):
    """With simulated disks: what was admitted is what admission-only mode says,
    and the disks keep up with it."""

    def simulated(self, *settings):
        return self.result_of(*settings, simulated=True)

    def test_agrees_with_admission_only_mode(self):
        schema = json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text())
        for settings in (
            ("server.disks=4",),
            ("failure.disk=3", "failure.at_s=100"),
            (
                'replication.placement="none"',
                'reservation.scheme="primary"',
                "failure.disk=1",
                "failure.at_s=50",
            ),
            ("replication.decluster_bytes=65536", "failure.disk=0", "failure.at_s=150"),
            ('reservation.scheme="dynamic-balancing"', "failure.disk=2", "failure.at_s=10"),
        ):
            with self.subTest(settings=settings):
                admitted = self.result_of(*settings)
                result = self.simulated(*settings)
                jsonschema.validate(result, schema)
                disks = result.pop("simulated")
                for out in (admitted, result):
                    out.pop("host")
                    out["configuration"].pop("disks")
                self.assertEqual(result, admitted)
                self.assertEqual(sum(phase["rounds"] for phase in disks.values()), 300)
                self.assertEqual(disks["before"]["late"], 0)
                self.assertEqual(disks["before"]["lost"], 0)
                self.assertGreaterEqual(disks["before"]["reads"], disks["before"]["stream_rounds"])
                self.assertLess(disks["before"]["busy_share"], disks["before"]["accounted_share"])
                if "failure" not in admitted:
                    continue
                self.assertEqual(disks["failing_round"]["rounds"], 1)
                self.assertEqual(disks["failing_round"]["lost"], admitted["failure"]["streams_hit"])
                self.assertEqual(disks["after"]["lost"], admitted["failure"]["lost"])
                self.assertEqual(disks["after"]["rounds"], admitted["failure"]["rounds_after"])

    def test_the_failing_round_has_the_working_disks_only(self):
        settings = ("replication.placement=none", "reservation.scheme=primary", "failure.disk=0")
        result = self.simulated("server.disks=1", *settings, "sim.measure_s=20")["simulated"]
        self.assertEqual(result["failing_round"]["lost"], result["failing_round"]["stream_rounds"])
        for share in ("busy_share", "accounted_share", "reserved_share"):
            self.assertIsNone(result["failing_round"][share], share)

    def test_what_was_reserved_outlasts_any_failure(self):
        # On disks as slow as the reservation counts with: soon;
        # on the drive itself it takes longer (next test).
        for disk in range(8):
            late = {
                scheme: self.result_by(
                    ("run",),
                    SERVER,
                    "drive=inner_zone.toml",
                    f"reservation.scheme={scheme}",
                    f"failure.disk={disk}",
                    "failure.at_s=20",
                    "sim.measure_s=120",
                )["simulated"]["after"]["late"]
                for scheme in ("primary", "minimum", "mirroring")
            }
            self.assertGreater(late["primary"], 20, f"disk {disk}")
            self.assertEqual((late["minimum"], late["mirroring"]), (0, 0), f"disk {disk}")

    def test_full_disks_feel_a_failure_that_nothing_was_reserved_for(self):
        """The films fill the disks, so they transfer at the mean of the zones,
        not at the outer ones' rate."""

        def after(*settings):
            failure = ("failure.disk=0", "failure.at_s=100", "sim.measure_s=600")
            result = self.result_by(("run",), SERVER, *failure, *settings)
            return result["strides_used"], result["simulated"]

        strides, full = after()
        once, sparse = after("streams.fill_disks=false")
        self.assertGreater(strides, 2 * once)
        for phase in ("before", "after"):
            # What is read does not depend on where it lies
            self.assertEqual(full[phase]["reads"], sparse[phase]["reads"])
            self.assertGreater(full[phase]["busy_share"], 1.1 * sparse[phase]["busy_share"])
        self.assertEqual(full["after"]["late"], 0)
        scheme = "reservation.scheme=dynamic-balancing"
        self.assertGreater(
            after(scheme)[1]["after"]["late"],
            after(scheme, "streams.fill_disks=false")[1]["after"]["late"],
        )

    def test_same_file_and_seed_same_result(self):
        first, second = self.simulated("failure.disk=1"), self.simulated("failure.disk=1")
        for out in (first, second):
            out.pop("host")
        self.assertEqual(first, second)

    def test_too_much_is_late(self):
        # The reservation believes in disks that are nearly three times as fast.
        disks = self.simulated(
            "server.rate_bytes_per_s=40000000", "requests.load=1", "sim.measure_s=100"
        )["simulated"]["before"]
        self.assertGreater(disks["late"], disks["stream_rounds"] // 2)
        self.assertGreater(disks["late_rounds"], 50)
        self.assertGreater(disks["busy_share"], 0.99)

    def test_says_what_it_cannot_simulate(self):
        for setting, told in (
            ("server.disks=33", "at most 32"),
            ('policy="SCANN"', "did you mean SCAN"),
            ('policy="SATF-EW"', "eager"),
            ("engine=rtl", "does not support policy C-LOOK"),
        ):
            done = platter("run", SERVER, "--set", setting)
            self.assertEqual(done.returncode, 2)
            self.assertIn(told, done.stderr)


class Mixed(Case):
    """Text and video on simulated disks."""

    FILE = SOURCE / "docs/papers/integrated-servers/server.toml"

    def mixed(self, *settings):
        return self.result_by(("run",), self.FILE, "sim.warmup_s=2", "sim.measure_s=20", *settings)

    def test_same_seed_same_bytes(self):
        def text(*settings):
            result = self.mixed(*settings)
            result.pop("host")
            return json.dumps(result)

        self.assertEqual(text(), text())
        self.assertNotEqual(text(), text("sim.seed=2").replace('"seed": 2', '"seed": 1'))

    def test_result_fits_its_schema(self):
        schema = json.loads((SOURCE / "models/configs/schema/result.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        for settings in (
            (),
            ("server.architecture=partitioned", "text.clients=0"),
            ("video.clients=0", "text.clients=500"),
            ("text.arrivals=bursty", "text.cache_bytes=0", "video.clients=250"),
        ):
            with self.subTest(settings=settings):
                result = self.mixed(*settings)
                jsonschema.validate(result, schema)
                text, video, disks = result["text"], result["video"], result["disks"]
                self.assertEqual(result["configuration"]["drive"]["name"], "Seagate Elite3")
                self.assertLessEqual(text["unfinished"], text["requests"])
                self.assertEqual(video["client_rounds"], video["clients"] * 20)
                self.assertLessEqual(
                    video["violations"], min(video["client_rounds"], video["late_units"])
                )
                self.assertEqual(len(disks["utilisation"]), 16)
                self.assertAlmostEqual(sum(disks["utilisation"]) / 16, disks["mean_utilisation"])

    def test_partitioned_disks_know_one_class(self):
        """Without text the text disks rest; integrated, all disks share the video."""
        only_video = ("text.clients=0", "video.clients=60")
        partitioned = self.mixed("server.architecture=partitioned", *only_video)["disks"][
            "utilisation"
        ]
        integrated = self.mixed(*only_video)["disks"]["utilisation"]
        self.assertEqual(partitioned[:8], [0.0] * 8)
        self.assertGreater(min(partitioned[8:]), 0.1)
        self.assertGreater(min(integrated), 0.05)
        self.assertLess(max(integrated), min(partitioned[8:]))

    def test_partitioned_each_class_gets_what_it_gets_alone(self):
        def parts(text, video):
            result = self.mixed(
                "server.architecture=partitioned", f"text.clients={text}", f"video.clients={video}"
            )
            return result["text"], result["video"]

        text, video = parts(100, 60)
        alone = parts(100, 0)[0]
        for sum_over_disks in ("unit_queue_ms", "unit_service_ms"):  # added up in another order
            self.assertAlmostEqual(text.pop(sum_over_disks), alone.pop(sum_over_disks))
        self.assertEqual(text, alone)
        self.assertEqual(video, parts(0, 60)[1])

    def test_cellos_elevator_is_the_one_asked_for(self):
        look, *others = (
            self.mixed(f"scheduling.cello_elevator={kind}")["text"]["response_ms"]["mean"]
            for kind in ("look", "scan", "c-look")
        )
        self.assertEqual(look, self.mixed()["text"]["response_ms"]["mean"])
        self.assertNotIn(look, others)
        self.assertNotEqual(*others)
        alone = {
            self.mixed("server.architecture=partitioned", f"scheduling.cello_elevator={kind}")[
                "text"
            ]["response_ms"]["mean"]
            for kind in ("look", "scan")
        }
        self.assertEqual(len(alone), 1)

    def test_areas_lie_where_the_scenario_says(self):
        """Apart is the longest way between the classes, for who shares disks;
        spread is longer for each class alone, too."""

        def service(*settings):
            return self.mixed(*settings)["text"]["unit_service_ms"]

        both, alone = (
            ("text.clients=100", "video.clients=60"),
            ("server.architecture=partitioned", "video.clients=0"),
        )
        adjacent, apart, spread = (
            service(*both, f"server.areas={kind}") for kind in ("adjacent", "apart", "spread")
        )
        self.assertEqual(adjacent, service(*both))
        self.assertGreater(apart, 1.2 * adjacent)
        self.assertGreater(spread, 1.2 * adjacent)
        adjacent, apart, spread = (
            service(*alone, f"server.areas={kind}") for kind in ("adjacent", "apart", "spread")
        )
        self.assertEqual(apart, adjacent)
        self.assertGreater(spread, 1.2 * adjacent)
        mirrored = ("array.copies=2", "failure.fails_at_s=5", "failure.drive=2")
        for kind in ("apart", "spread"):
            self.assertEqual(self.mixed(*mirrored, f"server.areas={kind}")["text"]["failed"], 0)

    def test_rounds_are_common_or_staggered(self):
        """Staggered, the units of a round do not come all at once: near capacity fewer are late,
        and text waits less behind them."""
        full = ("server.architecture=partitioned", "text.clients=0", "video.clients=110")
        common, staggered = (
            self.mixed(*full, f"video.rounds={kind}")["video"] for kind in ("common", "staggered")
        )
        self.assertEqual(common, self.mixed(*full)["video"])
        self.assertNotEqual(common["late_units"], staggered["late_units"])
        # The last second's are due behind the end
        self.assertAlmostEqual(common["units"] / staggered["units"], 1, delta=0.06)

    def test_cello_knows_the_rotation_or_estimates_it(self):
        heavy = ("text.clients=200", "video.clients=102")
        known, estimated = (
            self.mixed(*heavy, f"scheduling.cello_rotation={kind}")
            for kind in ("known", "half-turn")
        )
        self.assertEqual(known["text"], self.mixed(*heavy)["text"])
        self.assertNotEqual(known["text"], estimated["text"])
        alone = {
            json.dumps(
                self.mixed(*heavy, "policy=LOOK", f"scheduling.cello_rotation={kind}")["text"]
            )
            for kind in ("known", "half-turn")
        }
        self.assertEqual(len(alone), 1)

    def test_the_trace_is_in_kilobytes_of_1024_bytes(self):
        # Table 3: 83.91 KB/s past the cache; its requests of 2,048.22 bytes every 9.14 ms are
        # 218.64 KB/s before it.
        self.assertAlmostEqual(2048.22 / 9.14e-3 / 218.64, 1024, delta=1.5)
        bursts = self.mixed(
            "text.arrivals=bursty", "text.load_bytes_per_s=3072000", "sim.measure_s=57"
        )["text"]["bursts"]
        self.assertEqual(bursts["intervals"], 2048)
        dumped = json.loads(self.run_good("config", "dump", self.FILE, "--json").stdout)
        self.assertAlmostEqual(dumped["text"]["trace_bytes_per_s"], 83.91 * 1024, delta=1)

    def test_a_token_bucket_holds_the_text_only(self):
        free, held = (self.mixed(f"drive.port.token_rate_bytes_per_s={rate}") for rate in (0, 1000))
        self.assertEqual(held["video"]["violations"], free["video"]["violations"])
        self.assertGreater(
            held["text"]["response_ms"]["mean"], 10 * free["text"]["response_ms"]["mean"]
        )
        self.assertGreater(held["text"]["unfinished"], held["text"]["completions"])
        self.assertGreater(held["text"]["oldest_ms"], 100 * free["text"]["response_ms"]["mean"])

    def test_mirrored_units_outlast_a_failure_and_are_rebuilt(self):
        failure = ("failure.fails_at_s=8", "failure.drive=3")
        whole = self.mixed("text.clients=40")
        text, video = (self.mixed("text.clients=40", *failure)[part] for part in ("text", "video"))
        # Of 16 disks one is gone: a request of four units meets it with 1 / 4
        self.assertGreater(text["failed"], 100)
        self.assertLess(text["failed"], text["requests"] / 2)
        self.assertGreater(video["lost_units"], 100)
        self.assertEqual(video["lost_units"], video["late_units"])
        self.assertEqual(text["requests"], whole["text"]["requests"])
        failure += ("failure.revives_at_s=10", "text.clients=40", "array.copies=2")
        small = ("text.set_bytes=33554432", "video.file_s=2", "array.rebuild_outstanding=4")
        for server in ("integrated", "partitioned"):
            with self.subTest(server=server):
                settings = (*small, f"server.architecture={server}", *failure)
                result = self.mixed(*settings, "failure.replaced=true")
                self.assertEqual((result["text"]["failed"], result["video"]["lost_units"]), (0, 0))
                array = result["array"]
                failed = [disk for disk, failures in enumerate(array["failures"]) if failures]
                self.assertEqual(failed, [3])
                self.assertEqual(array["stale_units"], [0] * 16)
                self.assertGreater(array["rebuilt_units"][3], 500)
                self.assertGreater(array["fresh_since_s"][3], 10)
                kept = self.mixed(*settings)
                # What is only read is as it was
                self.assertEqual(kept["array"]["rebuilt_units"], [0] * 16)

    def test_few_tags_make_the_classes_wait_in_the_host(self):
        shallow, deep = (
            self.mixed("text.clients=300", "video.clients=90", f"drive.queue.depth={depth}")[
                "array"
            ]["classes"]
            for depth in (4, 1024)
        )
        for cls in ("continuous", "discrete"):
            self.assertEqual(deep[cls]["host_queue_ms"], 0)
            self.assertGreater(shallow[cls]["host_queue_ms"], 1)

    def test_log_and_waves_are_of_all_disks(self):
        with tempfile.TemporaryDirectory() as folder:
            log, waves = Path(folder, "requests.csv"), Path(folder, "waves.fst")
            out = Path(folder, "result.json")
            run = "sim.warmup_s=0 sim.measure_s=2 observe.wave_to_s=0.2 array.copies=2"
            small = "text.set_bytes=33554432 video.file_s=2"
            settings = overrides(f"{run} {small} failure.fails_at_s=0.1 failure.drive=2".split())
            refused = platter("run", self.FILE, *settings, "--write-log", Path(folder, "writes"))
            self.assertEqual(refused.returncode, 2)
            self.assertIn("expected drive or array for a log of writes", refused.stderr)
            files = ("--requests", log, "--waves", waves, "--result", out)
            self.run_good("run", self.FILE, *settings, *files)
            rows = log.read_text().splitlines()
            units = json.loads(out.read_text())
            self.assertGreaterEqual(len(rows) - 1, units["text"]["units"] + units["video"]["units"])
            signals = {v.full_name: v for v in pywellen.Waveform(str(waves)).all_vars()}
            for disk in range(16):
                self.assertGreater(len(list(signals[f"disk{disk}.queue.occupancy"].tv)), 5)
                in_drive = [int(value) for _, value in signals[f"array.disk{disk}.in_drive"].tv]
                self.assertGreater(max(in_drive), 2)
                alive = [
                    (time, int(value)) for time, value in signals[f"array.disk{disk}.alive"].tv
                ]
                self.assertEqual(alive, [(0, 1), (10**11, 0)] if disk == 2 else [(0, 1)])

    def test_too_many_video_clients_are_late(self):
        few, many = (
            self.mixed(f"video.clients={clients}", "text.clients=0")["video"]
            for clients in (40, 400)
        )
        self.assertEqual(few["client_rounds"], 40 * 20)
        self.assertEqual(few["violations"], 0)
        self.assertGreater(many["violation_share"], 0.2)

    def test_units_that_never_come_are_units_and_late(self):
        video = self.mixed("video.clients=1000", "text.clients=0")["video"]
        self.assertGreater(video["units"], 1000 * 20 * 3)  # all that was due, not what came
        self.assertLessEqual(video["late_units"], video["units"])
        self.assertAlmostEqual(video["late_unit_share"], video["late_units"] / video["units"])

    def test_a_bursty_run_holds_the_whole_trace(self):
        bursty = ("text.arrivals=bursty", "text.load_bytes_per_s=3000000")
        bursty += ("text.cache_bytes=0", "video.clients=0")
        text = self.mixed(*bursty, "sim.measure_s=57")["text"]
        bursts = text["bursts"]
        self.assertEqual((bursts["intervals"], len(bursts["offered_bytes_per_s"])), (2048, 57))
        self.assertAlmostEqual(bursts["interval_s"], 57 / 2048)
        self.assertAlmostEqual(sum(bursts["offered_bytes_per_s"]) / 57, 3e6, delta=0.05e6)
        higher = self.mixed(*bursty, "sim.measure_s=64", "text.burst_scaling=intensity")["text"]
        self.assertEqual((higher["bursts"]["intervals"], higher["bursts"]["interval_s"]), (64, 1))
        self.assertNotIn("bursts", self.mixed()["text"])

    def test_bad_input(self):
        bursty = ("text.arrivals=bursty", "text.burst_scaling=intensity", "sim.measure_s=8")
        self.assertRegex(
            self.refused_by(("run",), self.FILE, *bursty),
            r"text\.peak_to_mean: found 12\.51, expected at most 8",
        )
        for setting, message in (
            (
                "text.arrivals=bursty text.load_bytes_per_s=1e12",
                r"1e\+12, with which the cascade would have intervals of .* more than the 2\^20",
            ),
            ("server.archtecture=x", "did you mean server.architecture"),
            ("policy=CELLO(1|1)", "expected CELLO"),
            ("scheduling.cello_elevator=up", "expected one of look, scan, c-look"),
            ("scheduling.cello_rotation=some", "expected one of known, half-turn"),
            ("server.areas=mixed", "expected one of adjacent, apart, spread"),
            ("video.rounds=own", "expected one of common, staggered"),
            ("policy=SATF-EW", "writes to free blocks"),
            ("text.set_bytes=1000", "whole units of 8192 bytes"),
            ("text.set_bytes=8192000000000", "does not fit on disks of 2796304896 bytes"),
            ("video.file_s=1000000", "video.file_s: the video files do not fit"),
            ("server.text_disks=31", "expected at most 32 with server.text_disks, which is 31"),
            ("array.copies=3", "expected 1 or 2 in a server of text and video"),
            ("failure.drive=16", "expected one of the host's 16 drives"),
            ("failure.revives_at_s=3", "expected a failure before it .failure.fails_at_s."),
            ("failure.replaced=true", "expected a revival too .failure.revives_at_s."),
            (
                "failure.fails_at_s=1 failure.revives_at_s=2 failure.replaced=true",
                "failure.replaced: found true, expected array.copies = 2: there is nothing to copy",
            ),
            ("array.kind=striped", 'no such key with host.kind = "mixed_server"'),
            ("sim.measure_s=1.5", "whole rounds of 1 s"),
        ):
            with self.subTest(setting=setting):
                refused = self.refused_by(("run",), self.FILE, *setting.split())
                self.assertRegex(refused, message)
        sizes = ("text.set_bytes=40000028672", "video.file_s=6000")
        for kind, why in (
            ("apart", "area 1: it overlaps area 0"),
            ("spread", "more units than the part"),
        ):
            told = "video.file_s: the video files do not fit on disks of 2796304896 bytes: " + why
            refused = self.refused_by(("run",), self.FILE, f"server.areas={kind}", *sizes)
            self.assertRegex(refused, told)


if __name__ == "__main__":
    unittest.main()
