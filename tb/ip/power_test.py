# SPDX-License-Identifier: Apache-2.0
"""The power of a small netlist with the accelerator's bus: 31 flip-flops with an enable, once
behind a clock gate, and a memory of two bits. The library is one of round numbers, so that energies
can be added by hand.

Environment: PLATTER_SOURCE (the tree).
"""

import functools
import itertools
import os
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(SOURCE / "scripts" / "dev"))

from ppa_study import flows, power  # noqa: E402

CYCLE_PS = 10_000
BITS = 31
VOLT, INPUT_PF, CLOCK_PF, RISE_PJ, FALL_PJ, PASSIVE_PJ = 2.0, 0.01, 0.02, 0.03, 0.05, 0.04
SLEW_NS = (0.1, 0.2)


def table(kind, value):
    return (
        f'{kind} (flat) {{ index_1 ("0, 1"); index_2 ("0, 1"); '
        f'values ("{value}, {value}", "{value}, {value}"); }}'
    )


def cell(name, inputs, output, function, state=""):
    """`inputs`: names, a clock with an asterisk. `state`: a flip-flop or latch."""
    pins, arcs = [], []
    for pin in inputs:
        clock = pin.endswith("*")
        pin = pin.rstrip("*")
        one = (
            f'rise_power (slews) {{ index_1 ("0, 1"); values ("{PASSIVE_PJ}, {PASSIVE_PJ}"); }} '
            * clock
        )
        passive = f"internal_power () {{ {one} {one.replace('rise', 'fall')} }}" if clock else ""
        pins.append(
            f"pin ({pin}) {{ direction : input; capacitance : "
            f"{CLOCK_PF if clock else INPUT_PF}; {passive} }}"
        )
        if clock or not state:
            arcs.append(
                f'timing () {{ related_pin : "{pin}"; timing_sense : non_unate; '
                f"{table('rise_transition', SLEW_NS[0])} {table('fall_transition', SLEW_NS[1])} }} "
                f'internal_power () {{ related_pin : "{pin}"; {table("rise_power", RISE_PJ)} '
                f"{table('fall_power', FALL_PJ)} }}"
            )
    pins.append(
        f'pin ({output}) {{ direction : output; function : "{function}"; {" ".join(arcs)} }}'
    )
    return f"cell ({name}) {{ area : 24; cell_leakage_power : 0.5; {state} {' '.join(pins)} }}"


LIBRARY = "\n".join(
    [
        "library (tiny) {",
        (
            'voltage_unit : "1V"; time_unit : "1ns"; leakage_power_unit : "1nW"; '
            "capacitive_load_unit (1,pf);"
        ),
        f"nom_voltage : {VOLT};",
        (
            "power_lut_template (flat) { variable_1 : total_output_net_capacitance; "
            "variable_2 : input_transition_time; }"
        ),
        "power_lut_template (slews) { variable_1 : input_transition_time; }",
        cell("INVX1", "A", "Y", "(!A)"),
        cell("AND2X2", "AB", "Y", "(A B)"),
        cell("CLKBUF1", "A", "Y", "A"),
        cell("MUX2X1", "ABS", "Y", "(!((S A) + (!S B)))"),
        cell(
            "DFFPOSX1",
            ("CLK*", "D"),
            "Q",
            "IQ",
            'ff (IQ, IQN) { next_state : "D"; clocked_on : "CLK"; }',
        ),
        cell(
            "LATCH", ("CLK*", "D"), "Q", "IQ", 'latch (IQ, IQN) { data_in : "D"; enable : "CLK"; }'
        ),
        "}",
    ]
)


def netlist(gated):
    """As Yosys writes it: a register that any write sets,
    a memory beside it that read data has in the last bit."""
    inputs = [
        "clk_i",
        "rst_ni",
        "s_axil_awvalid_i",
        "s_axil_wvalid_i",
        "s_axil_arvalid_i",
        "s_axil_bready_i",
        "s_axil_rready_i",
    ]
    outputs = [
        "busy_o",
        "s_axil_awready_o",
        "s_axil_wready_o",
        "s_axil_arready_o",
        "s_axil_bvalid_o",
        "s_axil_rvalid_o",
    ]
    for direction, name, size in (
        (inputs, "s_axil_awaddr_i", 12),
        (inputs, "s_axil_araddr_i", 12),
        (inputs, "s_axil_wdata_i", 32),
        (inputs, "s_axil_wstrb_i", 4),
        (outputs, "s_axil_bresp_o", 2),
        (outputs, "s_axil_rresp_o", 2),
        (outputs, "s_axil_rdata_o", 32),
        (inputs, "memory_m_RD_DATA", 1),
        (outputs, "memory_m_RD_ADDR", 1),
        (outputs, "memory_m_WR_ADDR", 1),
        (outputs, "memory_m_WR_DATA", 1),
        (outputs, "memory_m_WR_EN", 1),
    ):
        direction += [f"\\{name}[{i}] " for i in range(size)] if size > 1 else [name]
    outputs.append("memory_m_WR_CLK")
    cells, assigned = [], {name: "1'b0" for name in outputs if "resp" in name or name == "busy_o"}
    assigned.update({name: "1'b1" for name in outputs if "ready" in name})
    assigned.update(
        {
            "memory_m_WR_CLK": "clk_i",
            "memory_m_WR_EN": "s_axil_awvalid_i",
            "memory_m_WR_DATA": "\\s_axil_wdata_i[0] ",
            "memory_m_WR_ADDR": "\\s_axil_awaddr_i[2] ",
            f"\\s_axil_rdata_o[{BITS}] ": "memory_m_RD_DATA",
        }
    )

    def put(kind, **pins):
        cells.append(
            f"  {kind} _{len(cells)}_ (\n"
            + ",\n".join(f"    .{pin}({net})" for pin, net in pins.items())
            + "\n  );"
        )

    put("DFFPOSX1", CLK="clk_i", D="s_axil_awvalid_i", Q="s_axil_bvalid_o")
    put("DFFPOSX1", CLK="clk_i", D="s_axil_arvalid_i", Q="s_axil_rvalid_o")
    put("DFFPOSX1", CLK="clk_i", D="\\s_axil_araddr_i[2] ", Q="memory_m_RD_ADDR")
    if not gated:
        put("INVX1", A="s_axil_awvalid_i", Y="late")
        put("AND2X2", A="s_axil_awvalid_i", B="late", Y="hazard")
        put("INVX1", A="toggle", Y="next")
        put("DFFPOSX1", CLK="clk_i", D="next", Q="toggle")
    if gated:
        put("INVX1", A="clk_i", Y="clk_n")
        put("LATCH", CLK="clk_n", D="s_axil_awvalid_i", Q="enable")
        put("AND2X2", A="clk_i", B="enable", Y="gated")
    for i in range(BITS):
        out, data = f"\\s_axil_rdata_o[{i}] ", f"\\s_axil_wdata_i[{i}] "
        if gated:
            put("DFFPOSX1", CLK="gated", D=data, Q=out)
        else:
            put("MUX2X1", A=data, B=out, S="s_axil_awvalid_i", Y=f"m{i}")
            put("INVX1", A=f"m{i}", Y=f"d{i}")
            put("DFFPOSX1", CLK="clk_i", D=f"d{i}", Q=out)
    return "\n".join(
        [
            "module sched_top();",
            *(f"  input {n};" for n in inputs),
            *(f"  output {n};" for n in outputs),
            *(f"  assign {name} = {value};" for name, value in assigned.items()),
            *cells,
            "endmodule",
            "",
        ]
    )


MEMORY = [{"name": "_m", "size": 2, "width": 1, "abits": 1, "rd_ports": 1, "wr_ports": 1}]
WRITES = (0x7FFFFFFF, 0x0, 0x00000F0F, 0x00000F0F, 0x55555555)


class Power(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        (cls.folder / "tiny.lib").write_text(LIBRARY, encoding="utf-8")
        cls.library = power.Library(cls.folder / "tiny.lib")
        cls.replay = power.program(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def setUp(self):
        self.design = functools.cache(self.made_design)

    def made_design(self, gated):
        made = power.Netlist(netlist(gated), self.library)
        made.buffer_clocks()
        return made, power.Energies(made)

    def count(self, gated, accesses, to_cycles=100_000, delay="zero"):
        """Accesses: (cycle, w or r, address, data); a window from the first cycle on."""
        file = self.folder / "accesses.txt"
        file.write_text(
            "".join(
                f"{cycle * CYCLE_PS} {kind} {address} {data} 1 2\n"
                for cycle, kind, address, data in accesses
            ),
            encoding="utf-8",
        )
        made, energies = self.design(gated)
        (result,) = power.count(
            self.replay, made, MEMORY, file, [(0, to_cycles / 1e8)], self.folder, delay
        )
        return made, energies, result

    def power_mw(self, gated, accesses):
        _, energies, found = self.count(gated, accesses, to_cycles=5_000)
        return power.power_of(energies, *found, len(accesses))

    def busy(self, times=1):
        return [(1000 + 4 * i, "w", 0, data) for i, data in enumerate(WRITES * times)]

    def test_units_are_checked(self):
        file = self.folder / "other.lib"
        file.write_text(LIBRARY.replace("1,pf", "1,ff"), encoding="utf-8")
        with self.assertRaisesRegex(flows.Failure, "expected the units"):
            power.Library(file)

    def test_functions(self):
        self.assertEqual(power.truth_table("(!((S A) + (!S B)))"), (("A", "B", "S"), 0b01010011))
        self.assertEqual(power.truth_table("(!((A+B) C))"), (("A", "B", "C"), 0b00011111))
        self.assertEqual(power.truth_table("((A^B)^C)"), (("A", "B", "C"), 0b10010110))

    def test_counts(self):
        """Each bit changes as often as the values written differ in it; the clock twice a cycle,
        the gated one twice a write."""
        for gated in (False, True):
            with self.subTest(gated=gated):
                made, _, (cycles, resting, changes, at_rest) = self.count(gated, self.busy())
                values = (0, *WRITES)
                for bit in range(BITS):
                    expected = sum((a ^ b) >> bit & 1 for a, b in itertools.pairwise(values))
                    self.assertEqual(changes[f"s_axil_rdata_o[{bit}]"], expected, bit)
                self.assertEqual((cycles, changes["clk_i"]), (100_000, 200_000))
                self.assertEqual(at_rest["clk_i"], 2 * resting)
                if not gated:  # a flip-flop that inverts itself
                    self.assertEqual((changes["toggle"], at_rest["toggle"]), (cycles, resting))
                self.assertGreater(resting, 98_000)
                leaves = {
                    i.pins["CLK"] for i in made.instances if i.pins.get("Q") == "s_axil_rdata_o[0]"
                }
                self.assertEqual(
                    [changes[net] for net in leaves], [2 * len(WRITES) if gated else 200_000]
                )
                self.assertEqual(at_rest["s_axil_rdata_o[0]"], 0)

    def test_glitches(self):
        """x AND NOT x changes only where the inverter takes time:
        up and down with each rise of x. Flip-flops change the same."""
        _, _, zero = self.count(False, self.busy())
        _, _, unit = self.count(False, self.busy(), delay="unit")
        self.assertEqual((zero[2]["hazard"], unit[2]["hazard"]), (0, 2 * len(WRITES)))
        self.assertEqual(zero[:2], unit[:2])
        for bit in range(BITS):
            self.assertEqual(zero[2][f"s_axil_rdata_o[{bit}]"], unit[2][f"s_axil_rdata_o[{bit}]"])

    def test_memory(self):
        reads = [(1000, "w", 0, 1), (1010, "w", 4, 0), (1020, "r", 0, 1 << BITS), (1030, "r", 4, 0)]
        self.count(True, [*reads[:2], (1020, "r", 0, 1 << BITS)])
        with self.assertRaisesRegex(
            flows.Failure, "read of register 4 at cycle 1031 answers 0; recorded 1"
        ):
            self.count(True, [*reads[:3], (1030, "r", 4, 1)])

    def test_energy_by_hand(self):
        """Of the netlist with a gate: what its clock needs in an idle cycle,
        and what a change of a flip-flop adds."""
        made, energies, (cycles, resting, changes, at_rest) = self.count(True, [])
        count = {
            kind: sum(i.cell == kind for i in made.instances)
            for kind in ("CLKBUF1", "DFFPOSX1", "LATCH", "AND2X2", "INVX1")
        }
        self.assertEqual(
            count, {"CLKBUF1": 3, "DFFPOSX1": BITS + 3, "LATCH": 1, "AND2X2": 1, "INVX1": 1}
        )
        # Behind the port one buffer; on it three flip-flops, inverter and gate. Behind the gate,
        # which is shut, two buffers. Beside it the latch.
        half = 0.5 * VOLT**2
        internal = (RISE_PJ + FALL_PJ) / 2
        root = half * (3 * CLOCK_PF + 2 * INPUT_PF) + internal + 3 * PASSIVE_PJ
        inverter = half * CLOCK_PF + internal + PASSIVE_PJ
        self.assertAlmostEqual(energies.parts(changes)["clock"], 2 * cycles * (root + inverter), 4)
        self.assertEqual(energies.parts(changes)["register"], 0)
        self.assertAlmostEqual(energies.parts({"s_axil_rdata_o[0]": 10})["register"], 10 * internal)
        self.assertAlmostEqual(energies.leakage_nw(), 0.5 * sum(count.values()))
        for found, expected in zip(energies.slews["enable"], SLEW_NS, strict=True):
            self.assertAlmostEqual(found, expected, 9)
        # The cycles that are not at rest.
        found = power.power_of(energies, cycles, resting, changes, at_rest, 1)
        self.assertLess(resting, cycles)
        self.assertAlmostEqual(
            found["nj_with_clock"], 2e-3 * (cycles - resting) * (root + inverter), 3
        )
        self.assertAlmostEqual(found["nj_beyond_idle"], 0, 3)
        # 0.1 of a pJ in each of 1e8 cycles a second are 10 uW.
        self.assertAlmostEqual(self.power_mw(True, [])["power_mw"], 2 * (root + inverter) * 0.1, 4)

    def test_gates_save_at_rest(self):
        plain, gated = (self.power_mw(gates, []) for gates in (False, True))
        self.assertLess(gated["power_mw"], 0.5 * plain["power_mw"])
        self.assertAlmostEqual(gated["power_mw"], gated["idle_mw"], 3)

    def test_work_needs_power(self):
        for gated in (False, True):
            with self.subTest(gated=gated):
                idle, some, more = (
                    self.power_mw(gated, accesses) for accesses in ([], self.busy(), self.busy(10))
                )
                self.assertLess(idle["power_mw"], some["power_mw"])
                self.assertLess(some["power_mw"], more["power_mw"])
                self.assertAlmostEqual(some["idle_mw"], idle["idle_mw"], 6)
                self.assertGreater(some["nj_beyond_idle"], 0)
                self.assertGreater(some["nj_with_clock"], some["nj_beyond_idle"])


if __name__ == "__main__":
    unittest.main()
