# SPDX-License-Identifier: Apache-2.0
"""`platter-lab bound`: bounds against enumeration and against runs of the model, whose executable
is in the variable PLATTER, and what the check of a certificate refuses."""

import itertools
import json
import subprocess
import sys
import unittest
import unittest.mock
from typing import Any

import numpy as np
from lab_case import PLATTER, LabCase
from platter_lab.bound import check as checker
from platter_lab.bound.dual import Walks, assignment_duals, walk_prices
from platter_lab.bound.instance import Instance, Request
from platter_lab.bound.load import Load, read_log
from platter_lab.bound.outcome import certified
from platter_lab.bound.schedule import anneal, beam, shortest_first
from platter_lab.executable import ROOT

SCENARIOS = ROOT / "models/configs/scenarios"
STATIC = ("drive.cache.segments=0", "drive.cache.write_back=off")


TWO_ACTUATORS = ("--set", "drive=balafoutis_table1", "--set", "drive.actuators.count=2")
STATIC_WORDS = tuple(word for one in STATIC for word in ("--set", one))


def closed(depth: int, seed: int = 1, *more: str) -> Load:
    settings = [
        *STATIC,
        f"drive.queue.depth={depth}",
        f"workload.discrete.outstanding={depth}",
        f"sim.seed={seed}",
        *more,
    ]
    return Load(PLATTER, SCENARIOS / "random_4k.toml", settings)


def instance_of(load: Load, completions: int) -> Instance:
    return load.instance(load.discrete(load.depth + completions - 1), load.depth, completions)


def enumerated(instance: Instance) -> int:
    """The least time of all schedules."""
    best = 1 << 62
    for schedule in itertools.permutations(range(instance.n), instance.completions):
        if all(instance.order[one] < instance.depth + k for k, one in enumerate(schedule)):
            best = min(best, instance.time_of(list(schedule)))
    return best


def prices_of(instance: Instance, iterations: int = 30) -> Any:
    above = instance.time_of(shortest_first(instance)) * 1e-9
    return walk_prices(instance, above, iterations, np.zeros(instance.n, np.int64))


class Bounds(LabCase):
    def test_no_schedule_of_a_small_load_is_shorter(self) -> None:
        for depth, completions in ((3, 5), (2, 6), (6, 1)):
            instance = instance_of(closed(depth, depth), completions)
            least = enumerated(instance)
            certificate = certified(instance, prices_of(instance, 200), "walk", PLATTER)
            self.assertLessEqual(certificate["bound_ps"], least)
            self.assertGreater(certificate["bound_ps"], 0.9 * least)
            found = beam(instance, prices_of(instance))
            self.assertEqual(instance.time_of(anneal(instance, found, 20_000, 1)), least)
            if completions == 1:
                self.assertEqual(certificate["bound_ps"], least)

    def test_blocks_in_order_need_the_time_that_they_pass_under_the_head(self) -> None:
        free = [
            f"drive.overhead.{kind}_us=0.0"
            for kind in ("read_miss_after_read", "read_miss_after_write")
        ]
        load = closed(4, 1, *free, "drive.bus.overlap=true")
        reads = [Request("R", 8 * place, 8, i) for i, place in enumerate((3, 0, 2, 1))]
        instance = load.instance(reads, 4, 4)
        certificate = certified(instance, assignment_duals(instance), "assignment", PLATTER)
        in_order = instance.time_of([1, 3, 2, 0])
        self.assertEqual(certificate["bound_ps"], in_order)
        self.assertEqual(certificate["bound_ps"], enumerated(instance))
        whole = load.instance([Request("R", 0, 32, 0)], 1, 1)
        self.assertEqual(whole.time_of([0]), in_order)

    def test_the_least_assignment_is_below_every_order(self) -> None:
        load = closed(7, 5, "workload.discrete.read_fraction=0.5")
        instance = load.instance(load.discrete(7), 7, 7)
        certificate = certified(instance, assignment_duals(instance), "assignment", PLATTER)
        least = enumerated(instance)
        self.assertLessEqual(certificate["bound_ps"], least)
        self.assertGreater(certificate["bound_ps"], 0.7 * least)

    def test_a_run_takes_the_time_of_its_schedule(self) -> None:
        """The costs are those of the drive in simulation."""
        load = closed(6)
        instance = instance_of(load, 40)
        for policy in ("FCFS", "SPTF", "LOOK"):
            time, order = load.times(policy, 40, 10**12)
            self.assertEqual(time, instance.time_of(order), policy)
        mixed = closed(6, 1, "drive=atlas10k", "workload.discrete.read_fraction=0.5")
        instance = instance_of(mixed, 40)
        for policy in ("FCFS", "SPTF", "LOOK"):
            time, order = mixed.times(policy, 40, 10**12)
            self.assertGreaterEqual(time, instance.time_of(order), policy)

    def test_no_policy_beats_the_bound(self) -> None:
        for seed in range(1, 21):
            load = closed(8, seed)
            instance = instance_of(load, 25)
            bound = certified(instance, prices_of(instance), "walk", PLATTER)["bound_ps"]
            for policy in ("OPS:SCAN/CLUST-REQ(6)", "SPTF"):
                time, _ = load.times(policy, 25, 10**11)
                self.assertGreaterEqual(time, bound, f"{policy}, seed {seed}")
            self.assertGreater(bound, 0.6 * time)


class Certificates(LabCase):
    @classmethod
    def setUpClass(cls) -> None:
        instance = instance_of(closed(4), 10)
        cls.walk = certified(instance, prices_of(instance), "walk", PLATTER)
        everything = closed(4).instance(instance.requests, 13, 13)
        duals = assignment_duals(everything)
        cls.assignment = certified(everything, duals, "assignment", PLATTER)

    def refused(self, certificate: dict[str, Any], **changes: Any) -> str:
        with self.assertRaises(checker.Refused) as found:
            checker.check(json.loads(json.dumps(certificate | changes)), str(PLATTER))
        return str(found.exception)

    def test_a_certificate_that_claims_more_is_refused(self) -> None:
        for certificate in (self.walk, self.assignment):
            bound = certificate["bound_ps"]
            self.assertEqual(checker.check(certificate, str(PLATTER)), bound)
            self.assertIn("claims", self.refused(certificate, bound_ps=bound + 1))

    def test_a_certificate_that_was_changed_is_refused(self) -> None:
        prices = self.walk["multipliers_ps"]
        self.assertIn("below 0", self.refused(self.walk, multipliers_ps=[-1, *prices[1:]]))
        raised = [one + 10**9 for one in prices]
        self.assertIn("claims", self.refused(self.walk, multipliers_ps=raised))
        self.assertIn("larger", self.refused(self.walk, multipliers_ps=[1 << 62, *prices[1:]]))
        for rounds in ([1] * 10, [0] * 10):  # no request of round 0; more of them than completions
            late = [[*r[:4], q] for r, q in zip(self.walk["requests"], rounds, strict=False)]
            rest = self.walk["requests"][10:]
            self.assertIn("round", self.refused(self.walk, requests=late + rest, completions=9))
        self.assertIn("all requests", self.refused(self.assignment, completions=12))
        self.assertIn("each request", self.refused(self.walk, multipliers_ps=prices[1:]))
        self.assertIn("claims", self.refused(self.walk, depth=self.walk["depth"] + 1))
        fewer = self.walk["completions"] - 1
        self.assertIn("claims", self.refused(self.walk, completions=fewer))
        duals = self.assignment["multipliers_ps"]
        self.assertIn(
            "two duals", self.refused(self.assignment, multipliers_ps=[duals[0] + 1, *duals[1:]])
        )
        near = [[op, 8 * i, *rest] for i, (op, _, *rest) in enumerate(self.walk["requests"])]
        self.assertIn("claims", self.refused(self.walk, requests=near))
        slower = self.walk["drive"].replace("[drive]", "[nothing]")
        self.assertIn("refuses", self.refused(self.walk, drive=slower))
        self.assertIn("not a certificate", self.refused({}))
        more = "more than 2000 requests, or more completions"
        self.assertIn(more, self.refused(self.walk, requests=self.walk["requests"] * 154))
        self.assertIn(more, self.refused(self.walk, completions=14))

    def test_no_prices_prove_more_than_the_least_time(self) -> None:
        """All schedules of random costs, with and without rounds, against random prices; and the
        search finds the same walk as the check."""
        random = np.random.default_rng(1)
        reached = 0
        for _ in range(30):
            rounds = [int(random.integers(1, 3)) for _ in range(random.integers(0, 4))]
            free, depth = int(random.integers(1, 4)), int(random.integers(1, 3))
            requests = [Request("R", 0, 1, i) for i in range(free + depth - 1)]
            requests += [Request("R", 0, 1, i, q) for q, m in enumerate(rounds) for i in range(m)]
            random.shuffle(requests)
            n = len(requests)
            table = random.integers(1, 50, (n + 1, n + 1)) * 10**6
            table[:, n] //= 10
            instance = Instance(requests, table, depth, free + sum(rounds), "")
            prices = random.integers(-20, 20, n) * 10**6
            prices[instance.round_of < 0] = abs(prices[instance.round_of < 0])
            listed = [["R", 0, 1, one.order, one.round] for one in requests]
            certificate = {"requests": listed, "depth": depth, "completions": instance.completions}
            proven = checker.walk(table, certificate, prices)
            least = self.least(instance)
            self.assertLessEqual(proven, least)
            reached += proven == least
            self.assertAlmostEqual(Walks(instance).best_exact(prices)[0], proven, delta=10**4)
        self.assertGreater(reached, 1)

    @staticmethod
    def least(instance: Instance) -> int:
        """Of all schedules that keep the order of the rounds."""
        due = set(np.flatnonzero(instance.round_of >= 0))
        best = 1 << 62
        for schedule in itertools.permutations(range(instance.n), instance.completions):
            rounds = [instance.round_of[one] for one in schedule if one in due]
            others = [instance.order[one] for one in schedule if one not in due]
            known = all(order < instance.depth + k for k, order in enumerate(others))
            if due <= set(schedule) and rounds == sorted(rounds) and known:
                best = min(best, instance.time_of(list(schedule)))
        return best

    def test_equal_costs_have_a_known_bound(self) -> None:
        """With a fake executable: 10 ps to the first end, then 7 ps a request, the last 2 ps
        earlier. With deadlines a request must not be quicker over a detour."""
        table = np.full((6, 6), 7, np.int64)
        table[0], table[1:, 5] = 10, 2
        requests = [["R", i, 1, i, -1] for i in range(5)]
        walk = {"kind": "walk", "drive": "", "requests": requests, "bound_ps": 29}
        walk |= {"depth": 2, "completions": 4, "multipliers_ps": [0] * 5}
        with unittest.mock.patch.object(checker, "costs_of", lambda *_: table):
            self.assertEqual(checker.check(walk, ""), 10 + 3 * 7 - 2)
            self.assertIn("proves only 29", self.refused(walk, bound_ps=30))
            walk["requests"] = [[*r[:4], -1 if r[1] < 3 else 0] for r in requests]
            self.assertEqual(checker.check(walk, ""), 29)
            # A walk of four positions serves these two three times, as it never returns at once.
            walk["multipliers_ps"] = [0, 0, 0, -5, -5]
            self.assertEqual(checker.check(walk | {"bound_ps": 0}, ""), 29 - 3 * 5 + 2 * 5)
            table[1, 2] = 15
            self.assertIn("detour", self.refused(walk))

    def test_the_check_needs_nothing_but_the_costs(self) -> None:
        file = self.folder / "certificate.json"
        file.write_text(json.dumps(self.walk))
        command = [sys.executable, checker.__file__, file, PLATTER]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={})
        self.assertEqual(
            (done.returncode, done.stdout), (0, f"proven: {self.walk['bound_ps']} ps\n")
        )
        file.write_text(json.dumps(self.walk | {"bound_ps": self.walk["bound_ps"] + 1}))
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={})
        self.assertEqual(done.returncode, 1)
        self.assertIn("proves only", done.stderr)


class Commands(LabCase):
    def bound(self, *words: object) -> tuple[int, str, str]:
        return self.lab(
            "bound", "--platter", PLATTER, "--iterations", 5, "--annealing", 500, *words
        )

    def test_a_closed_load(self) -> None:
        scenario, certificate = SCENARIOS / "random_4k.toml", self.folder / "c.json"
        result = self.folder / "r.json"
        code, out, err = self.bound(
            *(scenario, *STATIC_WORDS, "--set", "workload.discrete.outstanding=4"),
            *("--completions", 20, "--policies", "FCFS,SPTF"),
            *("-o", certificate, "--result", result),
        )
        self.assertEqual(code, 0, err)
        numbers = json.loads(result.read_text())
        self.assertIn(f"at least {numbers['bound_ps'] * 1e-9:.3f} ms for 20 requests", out)
        times = [one["value"] for one in numbers["policies"]]
        self.assertGreater(times[0], times[1])
        self.assertLessEqual(numbers["best_ps"] * 1e-9, times[1] + 1e-6)
        self.assertLess(numbers["bound_ps"], numbers["best_ps"])
        code, out, err = self.bound("--check", certificate)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("proven", out)
        text = certificate.read_text().replace('"completions": 20', '"completions": 19')
        certificate.write_text(text)
        code, out, err = self.bound("--check", certificate)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("proves only", err)

    def test_a_load_beside_streams(self) -> None:
        words = (
            *(SCENARIOS / "mixed_media.toml", *STATIC_WORDS),
            *("--set", "workload.continuous.streams=4", "--set", "workload.continuous.round_s=0.2"),
            *("--set", "workload.discrete.source=closed"),
            *("--set", "workload.discrete.rate_per_s=0.0"),
            *("--set", "workload.discrete.outstanding=3", "--rounds", 2),
            *("--policies", "SPTF,FCFS", "--result", self.folder / "r.json"),
        )
        code, out, err = self.bound(*words)
        self.assertEqual(code, 0, err)
        numbers = json.loads((self.folder / "r.json").read_text())
        self.assertGreater(numbers["bound_ps"], 400 * 10**9)  # of one request more
        for policy in numbers["policies"]:
            self.assertLessEqual(policy["value"], numbers["most"])
            self.assertGreater(policy["value"], 0.3 * numbers["most"])
        self.assertIn(f"at most {numbers['most']} requests", out)
        with unittest.mock.patch("platter_lab.bound.load.MOST_REQUESTS", 30):
            code, out, err = self.bound(*words)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--rounds: found 2, which", err)
        code, out, err = self.bound(*words, "--rounds", 500)  # of 4 streams
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--rounds: with the depth more than 2000 requests", err)

    def test_a_recorded_run(self) -> None:
        load, log = closed(5), self.folder / "log.csv"
        words = [word for one in load.settings for word in ("--set", one)]
        run = ["run", load.scenario, "--quiet", *words, "--set", "sim.measure_s=0.1"]
        subprocess.run([PLATTER, *run, "--set", "engine=firmware", "--requests", log], check=True)
        rows = read_log(log)
        code, out, err = self.bound(log, "--scenario", load.scenario, *STATIC_WORDS)
        self.assertEqual(code, 0, err)
        self.assertIn("5 requests known at a time", out)
        self.assertIn(f"for {len(rows)} requests", out)
        deep = float(out.split("at least ")[1].split()[0])
        code, out, err = self.bound(
            *(log, "--scenario", load.scenario, *STATIC_WORDS, "--depth", "all")
        )
        self.assertEqual(code, 0, err)
        whole = float(out.split("at least ")[1].split()[0])
        self.assertLess(whole, deep)
        self.assertLess(deep, max(row.completed_ps for row in rows) * 1e-9)
        lines = log.read_text().splitlines()
        log.write_text("\n".join(lines[:3] + lines[4:]) + "\n")  # one that had not ended
        code, out, err = self.bound(
            *(log, "--scenario", load.scenario, *STATIC_WORDS, "--depth", "1")
        )
        self.assertEqual(code, 0, err)
        self.assertIn(f"for {len(rows) - 1} requests", out)
        log.write_text(log.read_text().replace(",good", ",the drive has failed", 1))
        code, out, err = self.bound(log, "--scenario", load.scenario, *STATIC_WORDS)
        self.assertEqual((code, out), (2, ""))
        self.assertIn(f"{log}:2: status: found", err)

    def test_bad_input(self) -> None:
        scenario = SCENARIOS / "random_4k.toml"
        log = self.write("log.csv", "number,class,op,offset_bytes,length_bytes\n0,discrete,R,x,1\n")
        certificate = self.write("c.json", "{")
        output = self.folder / "o.json"
        for words, message in (
            ((scenario,), "drive.cache.segments: found 3, expected 0"),
            (
                (scenario, "--set", "drive=wd22tb", *STATIC_WORDS),
                "drive.mechanics.arrival_spread_us",
            ),
            (
                (scenario, *STATIC_WORDS, *TWO_ACTUATORS),
                "drive.actuators.count: found 2, expected 1",
            ),
            ((scenario, *STATIC_WORDS, "--result", output), "--result names the same file as -o"),
            ((scenario, "-o", scenario), "-o names the same file as the load"),
            ((log, "--scenario", scenario, "-o", log), "-o names the same file as the load"),
            ((log, "--scenario", scenario, "--result", scenario), "the same file as --scenario"),
            ((SCENARIOS / "mixed_media.toml", *STATIC_WORDS), "workload.discrete.source: found"),
            ((scenario, *STATIC_WORDS, "--completions", 1), "--completions: found 1, expected 2"),
            ((scenario, *STATIC_WORDS, "--policies", "SPTF,SPTE"), "did you mean SPTF"),
            ((scenario, *STATIC_WORDS, "--depth", "all"), "--depth: found with a scenario"),
            ((log,), "needs --scenario"),
            (
                (log, "--scenario", scenario, *STATIC_WORDS),
                f"{log}:1: issued_ps: found no such column",
            ),
            (("--check", certificate), "expected a certificate"),
            (("--check", self.folder / "none"), "expected a certificate"),
        ):
            with_output = words[0] != "--check" and "-o" not in words
            code, out, err = self.bound(*words, *(("-o", output) if with_output else ()))
            self.assertEqual((code, out), (2, ""), words)
            self.assertIn(message, err)
        self.assertFalse(output.exists())
        command = [PLATTER, "drive", "costs", scenario, *STATIC_WORDS]
        for text in (
            "R,0,8\nX,1,2\n",
            "R,0,8\nR,999999999999,8\n",
            "R,0,8\nR,1,0\n",
            "R,0,8\nR,1\n",
        ):
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("standard input:2: found", done.stderr)


if __name__ == "__main__":
    unittest.main()
