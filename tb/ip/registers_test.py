# SPDX-License-Identifier: Apache-2.0
"""What scripts/registers makes for integrators, read by the formats' own tools and compared with
rtl/registers.toml bit by bit: SystemRDL by systemrdl-compiler, IP-XACT that is exported from it and
read back, CMSIS-SVD by its XML schema and parser, the C header by the compiler.

Environment: PLATTER_SOURCE (the tree), CC (a C compiler; cc).
"""

import os
import pathlib
import re
import subprocess
import tempfile
import tomllib
import unittest

import cmsis_svd
from cmsis_svd.parser import SVDParser
from lxml import etree
from peakrdl_ipxact import IPXACTExporter, IPXACTImporter
from systemrdl import RDLCompiler
from systemrdl.messages import MessagePrinter
from systemrdl.node import RegNode

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
IP = SOURCE / "rtl" / "ip"
MAP = tomllib.loads((SOURCE / "rtl" / "registers.toml").read_text(encoding="utf-8"))
DEFAULTS = {
    "Entries": 32,
    "Lanes": 4,
    "OrderM": 6,
    "AngleW": 16,
    "CylW": 18,
    "SegM": 5,
    "SegW": 9,
    "Features": 0,
}
OTHERS = {
    "Entries": 256,
    "Lanes": 8,
    "OrderM": 12,
    "AngleW": 20,
    "CylW": 17,
    "SegM": 4,
    "SegW": 10,
    "Features": 15,
}
SOFTWARE = {"constant": "r", "status": "r", "copied": "rw", "direct": "rw", "command": "w"}


def expected(parameters):
    """{register: (offset, access, {field: (lsb, width, value after reset)})} of the map."""
    found = {}
    for register in MAP["register"]:
        fields = {}
        for field in register.get("fields", [{"name": "VALUE", "lsb": 0, "width": 32}]):
            shown = field.get("constant", register.get("constant", "0"))
            value = parameters[shown] if shown in parameters else int(shown, 0)
            fields[field["name"]] = (
                field["lsb"],
                field["width"],
                None if register["kind"] == "command" else value,
            )
        found[register["name"]] = (register["offset"], SOFTWARE[register["kind"]], fields)
    return found


def registers(root):
    return [node for node in root.top.descendants(unroll=True) if isinstance(node, RegNode)]


def of_rdl(root):
    """The same of an elaborated SystemRDL tree; what cannot be read has no value after reset."""
    found = {}
    for register in registers(root):
        fields = {
            field.inst_name: (
                field.lsb,
                field.width,
                field.get_property("reset") if field.is_sw_readable else None,
            )
            for field in register.fields()
        }
        access = {
            "".join(letter for letter in "rw" if letter in field.get_property("sw").name)
            for field in register.fields()
        }
        assert len(access) == 1, f"{register.inst_name} has fields of several kinds"
        found[register.inst_name] = (register.absolute_address, access.pop(), fields)
    return found


class Loud(MessagePrinter):
    """A warning is an error."""

    def emit_message(self, lines):
        raise AssertionError("\n".join(lines))


class Registers(unittest.TestCase):
    maxDiff = None

    def compile(self, path, **options):
        compiler = RDLCompiler(message_printer=Loud())
        compiler.compile_file(str(path))
        return compiler.elaborate(**options)

    def test_map_is_not_empty(self):
        self.assertGreater(len(expected(DEFAULTS)), 50)

    def test_systemrdl(self):
        root = self.compile(IP / "platter_sched.rdl")
        self.assertEqual(of_rdl(root), expected(DEFAULTS))
        self.assertEqual(root.top.inst_name, "platter_sched")

    def test_parameters_of_systemrdl(self):
        parameters = {
            re.sub(r"(?<!^)([A-Z])", r"_\1", name).upper(): value for name, value in OTHERS.items()
        }
        parameters["FEATURES_P"] = parameters.pop("FEATURES")  # beside the register
        root = self.compile(IP / "platter_sched.rdl", parameters=parameters)
        self.assertEqual(of_rdl(root), expected(OTHERS))

    def test_hardware_access(self):
        """Registers of the bus alone, of the hardware alone, of both; constants."""
        root = self.compile(IP / "platter_sched.rdl")
        found = {
            r.inst_name: {f.get_property("hw").name for f in r.fields()} for r in registers(root)
        }
        for register in MAP["register"]:
            name = register["name"]
            kind = {"constant": "na", "status": "w"}.get(register["kind"], "r")
            self.assertEqual(found[name], {"rw" if register.get("volatile") else kind}, name)
        # A command keeps nothing; what hardware and bus write,
        # the hardware does not write all the time.
        for register in registers(root):
            kind, volatile = next(
                (r["kind"], r.get("volatile", False))
                for r in MAP["register"]
                if r["name"] == register.inst_name
            )
            for field in register.fields():
                marks = [
                    name
                    for name in ("singlepulse", "swmod", "we")
                    if field.get_property(name) is True
                ]
                command = "singlepulse" if register.inst_name == "CLEAR" else "swmod"
                self.assertEqual(
                    marks,
                    [command] if kind == "command" else ["we"] if volatile else [],
                    field.get_path(),
                )

    def test_ipxact_of_systemrdl(self):
        """The way of the page to a component.xml: exported, read back by the importer, the same."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "platter_sched.xml"
            IPXACTExporter(vendor="platter", library="ip", version="0").export(
                self.compile(IP / "platter_sched.rdl").top, str(file)
            )
            compiler = RDLCompiler(message_printer=Loud())
            IPXACTImporter(compiler).import_file(str(file), remap_state=None)
            found = of_rdl(compiler.elaborate())
        self.assertEqual(found, expected(DEFAULTS))

    def test_svd_follows_its_schema(self):
        schemas = pathlib.Path(cmsis_svd.__file__).parent / "schemas"
        document = etree.parse(str(IP / "platter_sched.svd"))
        for version in ("1_3_1", "1_3_11"):
            etree.XMLSchema(etree.parse(str(schemas / f"CMSIS-SVD_{version}.xsd"))).assertValid(
                document
            )

    def test_svd(self):
        device = SVDParser.for_xml_file(str(IP / "platter_sched.svd")).get_device()
        [peripheral] = device.peripherals
        self.assertEqual(peripheral.base_address, 0)
        wanted = expected(DEFAULTS)
        shown = {
            register["name"]: [
                f for f in register.get("fields", []) if f.get("constant", "0") in DEFAULTS
            ]
            for register in MAP["register"]
        }
        self.assertEqual([r.name for r in peripheral.registers], list(wanted))
        for register in peripheral.registers:
            offset, access, fields = wanted[register.name]
            self.assertEqual((register.address_offset, register.size), (offset, 32), register.name)
            self.assertEqual(
                {"r": "read-only", "rw": "read-write", "w": "write-only"}[access],
                register.access.value,
            )
            if list(fields) != ["VALUE"]:
                self.assertEqual(
                    {f.name: (f.bit_offset, f.bit_width) for f in register.fields},
                    {n: f[:2] for n, f in fields.items()},
                )
            # What an instance decides has no value after reset here.
            open_bits = sum((1 << f["width"]) - 1 << f["lsb"] for f in shown[register.name])
            self.assertEqual(
                register.reset_mask, 0 if access == "w" else 0xFFFFFFFF & ~open_bits, register.name
            )
            value = sum((f[2] or 0) << f[0] for f in fields.values()) & ~open_bits
            self.assertEqual(register.reset_value, value, register.name)

    def test_values_with_a_name(self):
        """Those of the map, in SystemRDL, in the SVD file and in IP-XACT."""
        wanted = {
            (register["name"], field["name"]): {
                value["name"]: value["value"] for value in field["values"]
            }
            for register in MAP["register"]
            for field in register.get("fields", [])
            if "values" in field
        }
        self.assertEqual(set(wanted), {("OP", "CODE"), ("E_POS", "CLASS"), ("E_POS", "LIMIT")})

        def of_tree(root):
            fields = [
                field
                for register in registers(root)
                for field in register.fields()
                if field.get_property("encode") is not None
            ]
            return {
                (field.parent.inst_name, field.inst_name): {
                    item.name: item.value for item in field.get_property("encode")
                }
                for field in fields
            }

        root = self.compile(IP / "platter_sched.rdl")
        self.assertEqual(of_tree(root), wanted)
        [peripheral] = (
            SVDParser.for_xml_file(str(IP / "platter_sched.svd")).get_device().peripherals
        )
        found = {
            (register.name, field.name): {
                value.name: value.value
                for group in field.enumerated_values
                for value in group.enumerated_values
            }
            for register in peripheral.registers
            for field in register.fields or []
            if field.is_enumerated_type
        }
        self.assertEqual(found, wanted)

    def test_c_header(self):
        text = subprocess.run(
            [
                os.environ.get("CC", "cc"),
                "-std=c99",
                "-dM",
                "-E",
                str(IP / "driver" / "platter_sched_regs.h"),
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        found = {
            name: int(value.rstrip("u"), 0)
            for name, value in re.findall(r"^#define PLATTER_SCHED_(\w+) (\w+)$", text, re.M)
        }
        wanted = {"MAP_MAJOR": 4, "MAP_MINOR": 0, "ID_VALUE": 0x504C5453}
        for part in MAP["part"]:
            wanted[re.sub("[ -]", "_", part["name"]).upper()] = part["feature"]
        for name, (offset, _, fields) in expected(DEFAULTS).items():
            wanted[name] = offset
            for field, (lsb, width, _) in fields.items():
                if field != "VALUE":
                    wanted |= {f"{name}_{field}_LSB": lsb, f"{name}_{field}_WIDTH": width}
        for register in MAP["register"]:
            for field in register.get("fields", []):
                wanted |= {
                    f"{register['name']}_{field['name']}_{value['name']}": value["value"]
                    for value in field.get("values", [])
                }
        self.assertEqual(found, wanted)


if __name__ == "__main__":
    unittest.main()
