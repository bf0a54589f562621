# SPDX-License-Identifier: Apache-2.0
"""The bare-metal driver on an RV32 core with the RTL on its bus, against the reference model
(tb/ip/driver/driver_sim.cpp).

Environment: PLATTER_SOURCE (the tree), DRIVER_SIM (the executable).
"""

import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
DRIVER = SOURCE / "rtl" / "ip" / "driver"
BENCH = SOURCE / "tb" / "ip" / "driver"
STRICT = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wshadow",
    "-Wstrict-prototypes",
    "-Werror",
]


class Driver(unittest.TestCase):
    def test_compiles_for_any_machine(self):
        """C99 without an extension, hosted, and as C++ includes it."""
        cc = os.environ.get("CC", "cc")
        subprocess.run(
            [cc, *STRICT, "-Wpedantic", "-fsyntax-only", DRIVER / "platter_sched.c"], check=True
        )
        subprocess.run(
            [
                cc,
                "-x",
                "c++",
                "-std=c++17",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-fsyntax-only",
                "-include",
                DRIVER / "platter_sched.h",
                "/dev/null",
            ],
            check=True,
        )

    def test_needs_no_library(self):
        """Every symbol is defined by the driver itself."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "driver.o"
            subprocess.run(
                [
                    "riscv64-unknown-elf-gcc",
                    "-march=rv32imc",
                    "-mabi=ilp32",
                    "-Os",
                    "-ffreestanding",
                    *STRICT,
                    "-c",
                    DRIVER / "platter_sched.c",
                    "-o",
                    program,
                ],
                check=True,
            )
            names = subprocess.run(
                ["riscv64-unknown-elf-nm", "--undefined-only", program],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
            self.assertEqual(names.strip(), "")

    def test_a_program_in_cpp_links(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / "main.cpp", pathlib.Path(folder) / "driver.o"
            source.write_text(
                '#include "platter_sched.h"\nint main() { platter_sched sched; '
                "return platter_sched_init(&sched, nullptr); }\n",
                encoding="utf-8",
            )
            subprocess.run(
                [
                    os.environ.get("CC", "cc"),
                    *STRICT,
                    "-c",
                    DRIVER / "platter_sched.c",
                    "-o",
                    program,
                ],
                check=True,
            )
            subprocess.run(
                [
                    os.environ.get("CXX", "c++"),
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    f"-I{DRIVER}",
                    source,
                    program,
                    "-o",
                    source.with_suffix(""),
                ],
                check=True,
            )

    def test_refuses_what_the_instance_cannot_do(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "refusals"
            subprocess.run(
                [
                    os.environ.get("CC", "cc"),
                    *STRICT,
                    f"-I{DRIVER}",
                    BENCH / "refusals.c",
                    DRIVER / "platter_sched.c",
                    "-o",
                    program,
                ],
                check=True,
            )
            result = subprocess.run([program], capture_output=True, text=True, check=False)
            self.assertEqual((result.returncode, result.stdout), (0, ""))

    def test_decides_as_the_reference_model_does(self):
        for optimised, seeds in (("-O2", (1, 2, 3)), ("-Os", (4,)), ("-O0", (5,))):
            with self.subTest(optimised), tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder) / "firmware.elf"
                subprocess.run(
                    [
                        "riscv64-unknown-elf-gcc",
                        "-march=rv32imc_zicsr",
                        "-mabi=ilp32",
                        optimised,
                        "-ffreestanding",
                        "-nostdlib",
                        "-static",
                        "-fno-builtin",
                        "-fno-tree-loop-distribute-patterns",
                        *STRICT,
                        f"-I{DRIVER}",
                        "-Wl,-Ttext=0x1000,-e,run,--no-relax,--no-warn-rwx-segments",
                        BENCH / "firmware.c",
                        DRIVER / "platter_sched.c",
                        "-o",
                        program,
                    ],
                    check=True,
                )
                for seed in seeds:
                    result = subprocess.run(
                        [os.environ["DRIVER_SIM"], program, str(seed), "1500"],
                        capture_output=True,
                        text=True,
                        check=False,
                    )
                    print(result.stdout.strip())
                    self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
