# SPDX-License-Identifier: Apache-2.0
"""`scripts/test -R` builds what a test needs, and nothing else.

Environment: PLATTER_SOURCE (the tree), PLATTER_BUILD (a preset's build folder).
"""

import os
import pathlib
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
PRESET = pathlib.Path(os.environ["PLATTER_BUILD"]).name


def needs(name, *filters):
    done = subprocess.run(
        [SOURCE / "scripts/test-targets", PRESET, name, *filters],
        capture_output=True,
        text=True,
        check=True,
    )
    return {
        pathlib.Path(line.split()[1]).name
        for line in done.stdout.splitlines()
        if line.startswith(PRESET + " ")
    }


class Targets(unittest.TestCase):
    def test_a_program_of_its_own(self):
        self.assertEqual(needs(r"^unit\.random_test$"), {"random_test"})
        self.assertEqual(needs(r"^fuzz\.readers$"), {"fuzz_readers"})

    def test_programs_that_the_environment_names(self):
        self.assertEqual(needs(r"^cli\.Lists$"), {"platter", "platter_with_fault"})
        self.assertEqual(needs(r"^golden$"), {"platter", "golden_commands"})
        self.assertEqual(needs(r"^consumer$"), {"platter"})

    def test_a_test_of_a_program_that_holds_many(self):
        self.assertEqual(
            needs(r"^RtlCore\.AnAssertionThatFails"), {"cosim_accelerator_target_test"}
        )

    @unittest.skipIf(PRESET == "asan", "the tests of the RTL run in the release build")
    def test_a_folder_of_tests(self):
        faults = needs(r"^rtl\.faults\.1$")
        self.assertTrue(faults)
        self.assertNotIn("tests_rtl", faults)
        self.assertIn("sched_vectors", needs(r"^rtl\.four_state$"))

    def test_none(self):
        self.assertEqual(needs("nothing has this name"), set())
        self.assertEqual(needs(r"^unit\.random_test$", "-L", "^sc$"), set())


if __name__ == "__main__":
    unittest.main()
