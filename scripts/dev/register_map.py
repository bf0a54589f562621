# SPDX-License-Identifier: Apache-2.0
"""Reads and checks rtl/registers.toml, the description of the accelerator's registers and cycles,
and renders its formulas.

A formula is an expression of integers, names, + - * // **, min, max and `A if B < C else D`. Names
are parameters of sched_top, rows of [widths] and [[cycles]], and, in [[cycles]], the row's own
arguments.
"""

import ast
import re
import tomllib
from typing import ClassVar

SOURCE = "rtl/registers.toml"
# The defaults of its parameters are those of the instance that the integrators' formats describe.
TOP = "rtl/sched_top.sv"
ADDRESS_BITS = 12

# What a register is, and so what the bus may do with it.
ACCESS = {
    "constant": "ro",  # follows from the parameters
    "status": "ro",  # written by the hardware
    "copied": "rw",  # written by the host alone, and read back from a copy in a memory
    "direct": "rw",  # read back from the register itself
    "command": "wo",  # a write does something
}
TOP_KEYS = {
    "name": str,
    "decision_latency": int,
    "copy_fold": int,
    "widths": dict,
    "part": list,
    "cycles": list,
    "register": list,
}
PART_KEYS = {"name": str, "feature": int, "description": str}
CYCLE_KEYS = {"name": str, "formula": str, "arguments": dict, "description": str}
REGISTER_KEYS = {
    "name": str,
    "offset": int,
    "kind": str,
    "volatile": bool,
    "early": bool,
    "hops": bool,
    "aside": bool,
    "part": str,
    "held": str,
    "constant": str,
    "description": str,
    "fields": list,
}
REGISTER_OPTIONAL = ("volatile", "early", "hops", "aside", "part", "held", "constant", "fields")
FIELD_KEYS = {
    "name": str,
    "lsb": int,
    "width": int,
    "held": str,
    "part": str,
    "constant": str,
    "max": int,
    "fraction": int,
    "description": str,
    "values": list,
}
FIELD_OPTIONAL = ("held", "part", "constant", "max", "fraction", "values")
VALUE_KEYS = {"name": str, "value": int, "description": str}
NAME = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
CYCLE_NAME = re.compile(r"[a-z]+(_[a-z]+)*")


class MapError(Exception):
    """The register map is not valid; the text holds one problem a line."""


def camel(name):
    return "".join(part.capitalize() for part in re.split("[_ -]", name))


def snake(name):
    """AngleW -> angle_w."""
    return "".join(
        f"_{letter}" if letter.isupper() and at else letter for at, letter in enumerate(name)
    ).lower()


class Formula:
    """One expression. `names`: what it may use."""

    OPERATORS: ClassVar = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/"}

    def __init__(self, text, names):
        self.text = text
        try:
            self.tree = ast.parse(text, mode="eval").body
        except SyntaxError as error:
            raise MapError(f"formula '{text}': {error.msg}") from error
        self.names = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)} - {
            "min",
            "max",
        }
        calls = {
            node.func.id
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        self.calls = calls - {"min", "max"}
        for name in sorted((self.names | calls) - set(names) - {"min", "max"}):
            raise MapError(
                f"formula '{text}': unknown name '{name}' (known: {', '.join(sorted(names))})"
            )

    def evaluate(self, values):
        """Its value, with `values` of the names."""
        code = compile(ast.Expression(self.tree), self.text, "eval")
        return eval(code, {"__builtins__": {}}, {"min": min, "max": max, **values})

    def render(self, name_of, select, power):
        """As an expression of another language: `name_of(name)`, `select(condition, a, b)` and
        `power(exponent)` of two render the parts."""

        def walk(node):
            if isinstance(node, ast.Constant) and isinstance(node.value, int):
                return str(node.value)
            if isinstance(node, ast.Name):
                return name_of(node.id)
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
                if isinstance(node.left, ast.Constant) and node.left.value == 2:
                    return power(walk(node.right))
                if isinstance(node.right, ast.Constant) and node.right.value == 2:
                    return f"{walk(node.left)} * {walk(node.left)}"
            if isinstance(node, ast.BinOp) and type(node.op) in self.OPERATORS:
                left, right = (
                    (
                        f"({walk(side)})"
                        if isinstance(side, ast.BinOp)
                        and not (at == 0 and isinstance(side.op, (ast.Mult, ast.Pow)))
                        and not (at == 0 and isinstance(node.op, (ast.Add, ast.Sub)))
                        and not (
                            isinstance(side.op, (ast.Mult, ast.Pow))
                            and isinstance(node.op, (ast.Add, ast.Sub))
                        )
                        else walk(side)
                    )
                    for at, side in enumerate((node.left, node.right))
                )
                return f"{left} {self.OPERATORS[type(node.op)]} {right}"
            if (
                isinstance(node, ast.Call)
                and node.func.id in ("min", "max")
                and len(node.args) == 2
            ):
                a, b = (walk(argument) for argument in node.args)
                return select(f"{a} {'<' if node.func.id == 'min' else '>'} {b}", a, b)
            if isinstance(node, ast.Call):
                arguments = ", ".join(walk(argument) for argument in node.args)
                return f"{name_of(node.func.id)}({arguments})"
            if (
                isinstance(node, ast.IfExp)
                and isinstance(node.test, ast.Compare)
                and isinstance(node.test.ops[0], ast.Lt)
            ):
                return select(
                    f"{walk(node.test.left)} < {walk(node.test.comparators[0])}",
                    walk(node.body),
                    walk(node.orelse),
                )
            raise MapError(f"formula '{self.text}': cannot be rendered")

        return walk(self.tree)


def check_keys(table, keys, optional, where, problems):
    """Report unknown, missing and mistyped keys; true when the table can be read further."""
    if not isinstance(table, dict):
        problems.append(f"{where}: must be a table")
        return False
    before = len(problems)
    for key in table.keys() - keys.keys():
        problems.append(f"{where}: unknown key '{key}' (known: {', '.join(keys)})")
    for key, kind in keys.items():
        if key not in table:
            if key not in optional:
                problems.append(f"{where}: key '{key}' is missing")
        elif not isinstance(table[key], kind) or (
            isinstance(table[key], bool) and kind is not bool
        ):
            problems.append(f"{where}: '{key}' must be of type {kind.__name__}")
    return len(problems) == before


def check_range(value, low, high, what, problems):
    if not low <= value <= high:
        problems.append(f"{what} is {value}, must be {low} to {high}")
        return False
    return True


def check_part(item, parts, what, problems):
    if "part" in item and item["part"] not in parts:
        problems.append(f"{what}: part '{item['part']}' must be one of {', '.join(parts)}")


def check_register(register, parts, where, problems):
    if not NAME.fullmatch(register["name"]):
        problems.append(f"{where}: name must be UPPER_CASE")
    offset = register["offset"]
    if check_range(offset, 0, 2**ADDRESS_BITS - 4, f"{where}: offset", problems) and offset % 4:
        problems.append(f"{where}: offset {offset:#05x} is not a multiple of 4")
    if register["kind"] not in ACCESS:
        problems.append(f"{where}: kind '{register['kind']}' must be one of {', '.join(ACCESS)}")
    check_part(register, parts, where, problems)
    owner = {}
    names = set()
    for number, field in enumerate(register.setdefault("fields", [])):
        what = f"{where} field {number}"
        if not check_keys(field, FIELD_KEYS, FIELD_OPTIONAL, what, problems):
            continue
        what = f"{where} field {field['name']}"
        check_part(field, parts, what, problems)
        if not NAME.fullmatch(field["name"]):
            problems.append(f"{what}: name must be UPPER_CASE")
        if field["name"] in names:
            problems.append(f"{what}: the name is used twice")
        names.add(field["name"])
        fits = check_range(field["lsb"], 0, 31, f"{what}: lsb", problems)
        fits = check_range(field["width"], 1, 32, f"{what}: width", problems) and fits
        if not fits:
            continue
        for key, most in (("max", 2 ** field["width"] - 1), ("fraction", field["width"])):
            if key in field:
                check_range(field[key], 1, most, f"{what}: {key}", problems)
        top = field["lsb"] + field["width"] - 1
        if top > 31:
            problems.append(f"{what}: bits {top}:{field['lsb']} do not fit into 32 bits")
        meanings = [
            value
            for at, value in enumerate(field.get("values", []))
            if check_keys(value, VALUE_KEYS, (), f"{what} value {at}", problems)
        ]
        for value in meanings:
            check_range(
                value["value"],
                0,
                2 ** field["width"] - 1,
                f"{what} value {value['name']}",
                problems,
            )
            if not NAME.fullmatch(value["name"]):
                problems.append(f"{what} value {value['name']}: name must be UPPER_CASE")
        for key in ("name", "value"):
            if len({value[key] for value in meanings}) != len(meanings):
                problems.append(f"{what}: a {key} of values is used twice")
        for bit in range(field["lsb"], top + 1):
            if bit in owner:
                problems.append(f"{what}: bit {bit} already belongs to field {owner[bit]}")
                break
            owner[bit] = field["name"]


def parameters_of(path):
    """The parameters of the design and their defaults."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise MapError(f"{path}: {error}") from error
    return {
        name: int(value)
        for name, value in re.findall(r"^  parameter int unsigned (\w+) = (\d+)", text, re.M)
    }


def read_formulas(data, parameters, problems):
    """Replaces the texts of formulas by Formula objects."""

    def formula(table, key, names, where):
        if key in table:
            try:
                table[key] = Formula(table[key], names)
            except MapError as error:
                problems.append(f"{where}: {error}")

    known = set(parameters)
    for name in list(data["widths"]):
        formula(data["widths"], name, known, f"width {name}")
        known.add(name)
    cycles = {*known, "DecisionLatency"}
    for row in data["cycles"]:
        where = f"cycles {row['name']}"
        if not CYCLE_NAME.fullmatch(row["name"]) or row["name"] in cycles:
            problems.append(f"{where}: the name must be lower_case and its own")
        formula(row, "formula", cycles | set(row["arguments"]), where)
        cycles.add(row["name"])
    for register in data["register"]:
        where = f"register {register['name']}"
        formula(register, "held", known, where)
        formula(register, "constant", known, where)
        for field in register["fields"]:
            formula(field, "held", known, f"{where} field {field['name']}")
            formula(field, "constant", known, f"{where} field {field['name']}")


def load(path, parameters):
    """Read and validate the description."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise MapError(f"{path}: {error}") from error
    problems = []
    if check_keys(data, TOP_KEYS, (), "top level", problems):
        check_range(data["decision_latency"], 1, 64, "decision_latency", problems)
        check_range(data["copy_fold"], 0, 31, "copy_fold", problems)
        if not data["register"]:
            problems.append("top level: there is no register")
        parts = [
            part["name"]
            for at, part in enumerate(data["part"])
            if check_keys(part, PART_KEYS, (), f"part {at}", problems)
        ]
        for at, row in enumerate(data["cycles"]):
            check_keys(row, CYCLE_KEYS, (), f"cycles {at}", problems)
        offsets, names = {}, set()
        for number, register in enumerate(data["register"]):
            where = f"register {number}"
            if not check_keys(register, REGISTER_KEYS, REGISTER_OPTIONAL, where, problems):
                continue
            where = f"register {register['name']}"
            check_register(register, parts, where, problems)
            if register["name"] in names:
                problems.append(f"{where}: the name is used twice")
            names.add(register["name"])
            if register["offset"] in offsets:
                problems.append(
                    f"{where}: offset {register['offset']:#05x} already belongs to "
                    f"{offsets[register['offset']]}"
                )
            offsets[register["offset"]] = register["name"]
        if not problems:
            read_formulas(data, parameters, problems)
        if not problems:
            check_copies(data, problems)
    if problems:
        raise MapError("\n".join(f"{SOURCE}: {problem}" for problem in problems))
    for register in data["register"]:
        register["access"] = ACCESS[register["kind"]]
    return data


def check_copies(data, problems):
    """The words of copied registers go to different places of a memory of 32 words."""
    places = {}
    for register in data["register"]:
        if register["kind"] == "copied":
            place = copy_place(data, register["offset"])
            if register["offset"] >= 256 or place in places:
                problems.append(
                    f"copy_fold: {register['name']} and {places.get(place, 'nothing')} go to place "
                    f"{place} of the copies"
                )
            places[place] = register["name"]


def copy_place(data, offset):
    word = offset // 4
    return word % 32 ^ (data["copy_fold"] if word >= 32 else 0)


def fields_of(register):
    """Its fields; of a register without fields, one that is the whole of it."""
    whole = {"name": "VALUE", "lsb": 0, "width": 32, "description": register["description"]}
    return register["fields"] or [
        {**whole, **{key: register[key] for key in ("held", "constant") if key in register}}
    ]


def in_file(register):
    """Does the register file hold it? What the hardware writes too is held elsewhere."""
    return register["kind"] == "copied" or (
        register["kind"] == "direct" and not register.get("volatile")
    )


def part_of(register, field):
    """The optional part that a field needs, or None."""
    return field.get("part", register.get("part"))
