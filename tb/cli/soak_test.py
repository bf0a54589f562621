# SPDX-License-Identifier: Apache-2.0
"""The checks of scripts/dev/soak pass for a minute of each run, and find what is wrong in a log.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import os
import pathlib
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ["PLATTER_SOURCE"])
sys.path.insert(0, str(SOURCE / "scripts/dev"))

from soak_run import PS, Check, Event, Failure, Run, judge  # noqa: E402


def row(number, issued, completed, **changes):
    return {
        "number": str(number),
        "class": "continuous",
        "issued_ps": str(int(issued * PS)),
        "completed_ps": str(int(completed * PS)),
        "late": "0",
        "status": "good",
        "recovery_ps": "0",
        "reallocated": "0",
    } | changes


class Checks(unittest.TestCase):
    def late(self, events, *rows):
        """Numbers of the requests that are late for no reason."""
        check = Check(events)
        for each in rows:
            check.row(each)
        return [int(each["number"]) for each in check.account.unexplained]

    def test_a_request_may_be_late_behind_a_recovery_and_behind_one_that_is(self):
        rows = [
            row(0, 0, 2, recovery_ps="5"),
            row(1, 1, 3, late="1"),
            row(2, 2.5, 4, late="1"),
            row(3, 4, 6, late="1"),
        ]
        self.assertEqual(self.late([], *rows), [3])

    def test_lateness_does_not_explain_itself_for_ever(self):
        """One recovery, and then every request of every round is late."""
        rows = [row(0, 0, 2, recovery_ps="5")]
        rows += [row(i, i + 0.5, i + 2.5, late="1") for i in range(1, 100)]
        self.assertEqual(self.late([], *rows)[0], 60)

    def test_memory_that_grows_more_than_the_samples_is_found(self):
        run = Run("a day", seconds=86_400)
        result = {
            "classes": {"continuous": {"issued": 0, "completed": 0, "failed": 0, "outstanding": 0}},
            "scheduler": {"mismatches": 0},
        }
        for hours, more_kib, good in ((24, 0, True), (24, 8000, True), (24, 9000, False)):
            with self.subTest(hours=hours, more_kib=more_kib):
                check = Check([])
                check.account.rows = 0
                check.account.resident = [(60, 20_000, 0), (86_390, 20_000 + more_kib, 0)]
                if good:
                    judge(run, result, check)
                else:
                    with self.assertRaisesRegex(Failure, "resident memory grew"):
                        judge(run, result, check)

    def test_the_samples_that_are_kept_have_a_limit(self):
        account = Check([]).account
        account.rows = 10**9
        account.resident = [(60, 20_000, 0), (86_390, 20_000, 10**9)]
        self.assertEqual(account.memory(86_400)[2], 2 * 4_194_304 * 16 // 1024)

    def test_an_event_explains_what_was_under_way(self):
        events = [Event("late", 5, 7)]
        rows = [row(0, 3, 4.5, late="1"), row(1, 4, 5, late="1"), row(2, 7.5, 9, late="1")]
        self.assertEqual(self.late(events, *rows), [0, 2])

    def test_a_request_ends_once_and_fails_for_a_reason(self):
        with self.assertRaisesRegex(Failure, "request 4 has ended twice"):
            self.late([], row(4, 0, 1), row(4, 0, 2))
        with self.assertRaisesRegex(Failure, "failed for no reason"):
            self.late([Event("reset", 0, 1)], row(0, 2, 3, status="a sector cannot be read"))


class Soak(unittest.TestCase):
    def test_a_minute_of_each_run(self):
        done = subprocess.run(
            [
                sys.executable,
                SOURCE / "scripts/dev/soak_run.py",
                *("--hours", str(1 / 60), "--lockstep-s", "10", "--every", "5"),
            ],
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 5)


if __name__ == "__main__":
    unittest.main()
