#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The longest wait that the pages give for a configuration is that of the design: the longest
DECIDE and CLUSTER of the bench's variants.

Usage: longest_wait_test.py DIRECTORY, where the variants' executables are.
"""

import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "dev"))
from ppa_study.page import longest_wait

# Entries, lanes, orderer, parts (CMakeLists.txt)
VARIANTS = {
    "sched_32x4": (32, 4, 12, 15),
    "sched_8x1": (8, 1, 4, 15),
    "sched_64x8": (64, 8, 0, 5),
    "sched_32x16": (32, 16, 8, 10),
    "sched_256x8": (256, 8, 2, 15),
    "sched_24x4": (24, 4, 3, 15),
    "sched_16x16": (16, 16, 10, 15),
}


def main():
    wrong = 0
    for name, size in VARIANTS.items():
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.xml"
            subprocess.run(
                [
                    pathlib.Path(sys.argv[1]) / name,
                    "--gtest_filter=SchedLongest.*",
                    f"--gtest_output=xml:{report}",
                ],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            cycles = [
                int(found.get("value"))
                for found in xml.etree.ElementTree.parse(report).iter("property")
                if found.get("name") == "cycles"
            ]
        print(f"{name}: {cycles}, the pages say {longest_wait(*size)}")
        wrong += len(cycles) != 2 or max(cycles) != longest_wait(*size)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
