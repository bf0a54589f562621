# SPDX-License-Identifier: Apache-2.0
"""The constraints of platter_sched_axi, read by OpenSTA for a design with the same ports: a
flip-flop behind each input, one before each output.

Environment: PLATTER_SOURCE (the tree).
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
IP = SOURCE / "rtl" / "ip"
TABLE = 'values ("0.2, 0.2", "0.2, 0.2");'
# Delay 0.2 from the clock to the output, set-up time 0.1, hold time 0.3.
LIBRARY = f"""library (tiny) {{
  delay_model : table_lookup;
  time_unit : "1ns"; voltage_unit : "1V"; current_unit : "1mA"; capacitive_load_unit (1, pf);
  input_threshold_pct_rise : 50; input_threshold_pct_fall : 50;
  output_threshold_pct_rise : 50; output_threshold_pct_fall : 50;
  slew_lower_threshold_pct_rise : 20; slew_lower_threshold_pct_fall : 20;
  slew_upper_threshold_pct_rise : 80; slew_upper_threshold_pct_fall : 80;
  lu_table_template (flat) {{
    variable_1 : input_net_transition; variable_2 : total_output_net_capacitance;
    index_1 ("0, 1"); index_2 ("0, 1");
  }}
  cell (DFF) {{
    ff (IQ, IQN) {{ clocked_on : "CK"; next_state : "D"; }}
    pin (CK) {{ direction : input; clock : true; capacitance : 0.01; }}
    pin (D) {{
      direction : input; capacitance : 0.01;
      timing () {{
        related_pin : "CK"; timing_type : setup_rising;
        rise_constraint (scalar) {{ values ("0.1"); }}
        fall_constraint (scalar) {{ values ("0.1"); }}
      }}
      timing () {{
        related_pin : "CK"; timing_type : hold_rising;
        rise_constraint (scalar) {{ values ("0.3"); }}
        fall_constraint (scalar) {{ values ("0.3"); }}
      }}
    }}
    pin (Q) {{
      direction : output; function : "IQ";
      timing () {{
        related_pin : "CK"; timing_type : rising_edge;
        cell_rise (flat) {{ {TABLE} }} cell_fall (flat) {{ {TABLE} }}
        rise_transition (flat) {{ {TABLE} }} fall_transition (flat) {{ {TABLE} }}
      }}
    }}
  }}
}}
"""


def ports():
    """[(direction, bits, name)] of the wrapper."""
    text = (IP / "platter_sched_axi.sv").read_text(encoding="utf-8")
    found = re.findall(
        r"^  (input|output)\s+logic\s+(?:\[(\d+):0\]\s*)?(\w+),?(?:\s*//.*)?$", text, re.M
    )
    return [(direction, int(top or 0) + 1, name) for direction, top, name in found]


def netlist():
    lines = [f"module top({', '.join(name for _, _, name in ports())});"]
    for direction, bits, name in ports():
        lines.append(f"{direction} {f'[{bits - 1}:0] ' if bits > 1 else ''}{name};")
        for bit in range(bits):
            net = f"{name}[{bit}]" if bits > 1 else name
            if name != "aclk":
                lines.append(
                    f"DFF f_{name}_{bit} (.CK(aclk), "
                    f"{f'.D({net})' if direction == 'input' else f'.D(aresetn), .Q({net})'});"
                )
    return "\n".join([*lines, "endmodule", ""])


class Constraints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "tiny.lib").write_text(LIBRARY, encoding="utf-8")
        (cls.path / "top.v").write_text(netlist(), encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def sta(self, settings, commands):
        script = self.path / "run.tcl"
        script.write_text(
            "\n".join(
                [
                    f"read_liberty {self.path / 'tiny.lib'}",
                    f"read_verilog {self.path / 'top.v'}",
                    "link_design top",
                    *settings,
                    f"read_sdc {IP / 'platter_sched_axi.sdc'}",
                    *commands,
                    "exit",
                    "",
                ]
            ),
            encoding="utf-8",
        )
        result = subprocess.run(
            ["sta", "-exit", script], capture_output=True, text=True, check=True
        )
        text = result.stdout + result.stderr
        self.assertNotRegex(text, r"(?i)error|warning")
        return text

    def constraints(self, *settings):
        """What the tool has understood: {command: {port: value}}."""
        file = self.path / "written.sdc"
        self.sta(settings, [f"write_sdc -digits 3 {file}"])
        text = file.read_text(encoding="utf-8").replace("\\\n", " ")
        found = {
            "clock": re.findall(
                r"^create_clock .*-period ([\d.]+).*\[get_ports \{(\w+)\}\]", text, re.M
            )
        }
        for command in ("set_input_delay", "set_output_delay"):
            for side in ("max", "min"):
                found[command, side] = {
                    port: float(value)
                    for value, port in re.findall(
                        rf"^{command} (-?[\d.]+) .*-{side} .*\[get_ports \{{(.+?)\}}\]$", text, re.M
                    )
                }
        found["set_load"] = {
            port: float(value)
            for value, port in re.findall(
                r"^set_load .*?([\d.]+) \[get_ports \{(.+?)\}\]$", text, re.M
            )
        }
        found["false"] = re.findall(
            r"\[get_ports \{(\w+)\}\]", " ".join(re.findall(r"^set_false_path.*", text, re.M))
        )
        return found

    def bits(self, wanted):
        return {
            f"{name}[{bit}]" if bits > 1 else name
            for direction, bits, name in ports()
            if direction == wanted and name != "aclk"
            for bit in range(bits)
        }

    def test_ports_are_found(self):
        self.assertEqual(len(ports()), 24)

    def test_every_port_has_its_constraint(self):
        found = self.constraints()
        self.assertEqual(found["clock"], [("8.000", "aclk")])
        for side, delay, scan in (("max", 2.4, 1.6), ("min", 0, 0)):
            self.assertEqual(
                found["set_input_delay", side],
                dict.fromkeys(self.bits("input"), delay) | {"scan_en": scan},
            )
            self.assertEqual(
                found["set_output_delay", side], dict.fromkeys(self.bits("output"), delay)
            )
        self.assertEqual(found["false"], [])
        self.assertNotIn("unconstrained", self.sta([], ["check_setup -verbose"]))

    def test_settings(self):
        found = self.constraints(
            "set platter_period 5.0",
            "set platter_input_delay 1.0",
            'set platter_output_delay ""',
            "set platter_async_outputs {irq busy}",
            "set platter_load 0.05",
            "set platter_input_hold 0.4",
        )
        self.assertEqual(found["clock"], [("5.000", "aclk")])
        self.assertEqual(
            found["set_input_delay", "max"],
            dict.fromkeys(self.bits("input"), 1.0) | {"scan_en": 1.0},
        )  # 0.2 of the period
        self.assertEqual(
            found["set_input_delay", "min"], dict.fromkeys(self.bits("input"), 0.4) | {"scan_en": 0}
        )
        self.assertNotIn(
            "scan_en", self.constraints('set platter_scan_delay ""')["set_input_delay", "max"]
        )
        self.assertEqual(found["set_output_delay", "max"] | found["set_output_delay", "min"], {})
        self.assertEqual(
            self.constraints("set platter_output_hold 0.7")["set_output_delay", "min"],
            dict.fromkeys(self.bits("output"), -0.7),
        )
        self.assertEqual(sorted(found["false"]), ["busy", "irq"])
        self.assertEqual(found["set_load"], dict.fromkeys(self.bits("output"), 0.05))

    def test_slack(self):
        """Period less uncertainty, delay outside and what is inside."""
        text = self.sta(
            ["set platter_period 5.0", "set platter_uncertainty 0.25"],
            [
                "report_checks -from [get_ports s_axi_awvalid] -digits 3",
                "report_checks -to [get_ports irq] -digits 3",
            ],
        )
        slacks = [float(value) for value in re.findall(r"([-\d.]+)\s+slack", text)]
        for slack, wanted in zip(slacks, (5 - 0.25 - 1.5 - 0.1, 5 - 0.25 - 1.5 - 0.2), strict=True):
            self.assertAlmostEqual(slack, wanted, 3)

    def test_scan_enable_changes_while_the_clock_is_low(self):
        """From the falling edge on it has half a period, less its delay and the set-up time."""
        for settings, delay, period in (
            ([], 1.6, 8),
            (["set platter_scan_delay 0.5", "set platter_period 5.0"], 0.5, 5),
        ):
            text = self.sta(settings, ["report_checks -from [get_ports scan_en] -digits 3"])
            self.assertIn("(fall edge)", text)
            [slack] = [float(value) for value in re.findall(r"([-\d.]+)\s+slack", text)]
            self.assertAlmostEqual(slack, period / 2 - delay - 0.1, 3)

    def test_slack_of_the_hold_time(self):
        """Inputs that change with the edge and outputs that need not stay after it are the worst;
        a wire outside adds."""
        commands = [
            "report_checks -path_delay min -from [get_ports s_axi_awvalid] -digits 3",
            "report_checks -path_delay min -to [get_ports irq] -digits 3",
        ]
        for settings, slacks in (
            ([], (-0.3, 0.2)),
            (["set platter_input_hold 0.4", "set platter_output_hold 0.25"], (0.1, -0.05)),
        ):
            found = [
                float(value)
                for value in re.findall(r"([-\d.]+)\s+slack", self.sta(settings, commands))
            ]
            for slack, wanted in zip(found, slacks, strict=True):
                self.assertAlmostEqual(slack, wanted, 3)


if __name__ == "__main__":
    unittest.main()
