# SPDX-License-Identifier: Apache-2.0
"""Job files with fio itself.

The requests that fio makes with its null engine are compared with those of the scenario that
`config from-fio` makes.

Environment: PLATTER (the executable), PLATTER_SOURCE (the tree).
"""

import collections
import csv
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

Request = collections.namedtuple("Request", "op offset length")


class FioJobs(unittest.TestCase):
    def requests_of(self, options):
        """By fio, by Platter: in the order of their issue."""
        with tempfile.TemporaryDirectory(prefix="platter-") as name:
            folder = pathlib.Path(name)
            text = f"[job]\nfilename=x\ndirect=1\n{options}\n"
            (folder / "fio.fio").write_text(text + "ioengine=null\nwrite_iolog=log\n")
            (folder / "platter.fio").write_text(text + "ioengine=libaio\niodepth=8\n")
            self.call(folder, "fio", "fio.fio")
            words = [line.split() for line in (folder / "log").read_text().splitlines()]
            fio = [
                Request(w[2], int(w[3]), int(w[4]))
                for w in words
                if len(w) == 5 and w[2] in ("read", "write")
            ]
            self.call(
                folder, os.environ["PLATTER"], "config", "from-fio", "platter.fio", "-o", "s.toml"
            )
            self.call(
                folder, os.environ["PLATTER"], "run", "s.toml", "--quiet", "--requests", "r.csv"
            )
            rows = sorted(
                csv.DictReader((folder / "r.csv").read_text().splitlines()),
                key=lambda row: int(row["number"]),
            )
            kinds = {"R": "read", "W": "write"}
            return fio, [
                Request(kinds[row["op"]], int(row["offset_bytes"]), int(row["length_bytes"]))
                for row in rows
            ]

    def call(self, folder, *command):
        done = subprocess.run(
            [str(word) for word in command],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def assert_shares(self, fio, platter, key):
        """Both have the same shares of what `key` tells, within five deviations."""
        counts = [
            collections.Counter(key(request) for request in requests) for requests in (fio, platter)
        ]
        for what in counts[0] | counts[1]:
            share = [count[what] / count.total() for count in counts]
            mean = sum(share) / 2
            deviation = math.sqrt(mean * (1 - mean) * sum(1 / count.total() for count in counts))
            self.assertAlmostEqual(*share, delta=5 * deviation + 1e-9, msg=f"share of {what}")

    def test_a_sequence_is_the_same(self):
        for options in (
            "rw=write\nbs=64k\nsize=16m\noffset=1m",
            "rw=read\nbs=4k\nsize=1m",
            "rw=read\nbs=8k\nsize=1m\nio_size=3m",
        ):
            with self.subTest(options=options):
                fio, platter = self.requests_of(options)
                self.assertEqual(fio, platter)

    def test_reads_and_writes_of_a_mix_have_their_own_sequences(self):
        fio, platter = self.requests_of("rw=rw\nrwmixread=70\nbs=4k\nsize=64m\nio_size=8m")
        self.assertEqual(len(fio), len(platter))
        self.assert_shares(fio, platter, lambda request: request.op)
        for requests in (fio, platter):
            for op in ("read", "write"):
                offsets = [request.offset for request in requests if request.op == op]
                self.assertEqual(offsets, list(range(0, 4096 * len(offsets), 4096)))

    def test_every_block_is_used_once(self):
        fio, platter = self.requests_of("rw=randread\nbs=4k\nsize=4m")
        self.assertNotEqual(fio, platter)
        self.assertEqual(sorted(fio), sorted(platter))

    def test_sizes_and_zones_have_the_same_shares(self):
        fio, platter = self.requests_of(
            "rw=randread\nbssplit=4k/60:8k/30:64k/\nsize=1g\nio_size=64m\nrandom_distribution=zoned:60/10:30/20:10/\n"
            "norandommap"
        )
        self.assert_shares(fio, platter, lambda request: request.length)
        edges = (0.1 * 2**30, 0.3 * 2**30)
        self.assert_shares(
            fio, platter, lambda request: sum(request.offset >= edge for edge in edges)
        )

    def test_the_hottest_blocks_have_the_same_shares(self):
        for law in ("zipf:1.2", "pareto:0.2"):
            with self.subTest(law=law):
                fio, platter = self.requests_of(
                    f"rw=randread\nbs=4k\nsize=4m\nio_size=64m\nrandom_distribution={law}\nnorandommap"
                )
                # fio spreads the ranks by a hash, in which some of them fall on one block.
                hottest = [
                    [
                        count / len(requests)
                        for _, count in collections.Counter(
                            request.offset for request in requests
                        ).most_common(100)
                    ]
                    for requests in (fio, platter)
                ]
                self.assertAlmostEqual(sum(hottest[0]), sum(hottest[1]), delta=0.08)
                self.assertAlmostEqual(hottest[0][0], hottest[1][0], delta=0.03)


if __name__ == "__main__":
    unittest.main()
