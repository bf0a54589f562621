# SPDX-License-Identifier: Apache-2.0
"""The C++ header of the accelerator's contract:
register map, bits that an instance holds, and cycles."""

from register_map import ADDRESS_BITS, SOURCE, MapError, camel, fields_of, part_of, snake

KIND = {
    "constant": "Constant",
    "status": "Status",
    "command": "Command",
    "copied": "Copied",
    "direct": "Direct",
}
ACCESS = {"ro": "ReadOnly", "rw": "ReadWrite", "wo": "WriteOnly"}


def constants(data):
    """(register, identifier, [(identifier, value)]) in the order of the map;
    identifiers are unique."""
    seen = {}
    for register in data["register"]:
        name = camel(register["name"])
        fields = []
        for field in register["fields"]:
            stem = name + camel(field["name"])
            fields += [(stem + "Lsb", field["lsb"]), (stem + "Width", field["width"])]
            fields += [
                (stem + key.capitalize(), field[key]) for key in ("max", "fraction") if key in field
            ]
        for identifier in [name] + [identifier for identifier, _ in fields]:
            if identifier in seen:
                raise MapError(
                    f"{SOURCE}: {register['name']} and {seen[identifier]} both make the "
                    f"identifier {identifier}"
                )
            seen[identifier] = register["name"]
        yield register, name, fields


def render(formula, data, owner="p."):
    """A formula in C++; parameters and widths are members of `owner`."""

    def name_of(name):
        if name in data["widths"]:
            return f"{owner}{snake(name)}()"
        if name[0].islower():
            return name if name in data["arguments"] else call(name)
        return "kDecisionLatency" if name == "DecisionLatency" else f"{owner}{snake(name)}"

    def call(name):
        return (
            f"{name}(p)"
            if data["needs"][name] and not data["takes"][name]
            else name
            if data["takes"][name]
            else f"{name}()"
        )

    return formula.render(
        name_of,
        lambda condition, a, b: f"({condition} ? {a} : {b})",
        lambda exponent: f"(1u << {exponent})",
    )


def cycles(data):
    lines = [
        (
            "/// Cycles. A write that starts work is accepted in cycle 0; BUSY is set from cycle 1 "
            "for the number of cycles given."
        ),
        "namespace cycles {",
    ]
    data["needs"], data["takes"] = {}, {}
    for row in data["cycles"]:
        data["needs"][row["name"]] = any(
            (name[0].isupper() and name != "DecisionLatency") or data["needs"].get(name)
            for name in row["formula"].names
        )
        data["takes"][row["name"]] = bool(row["arguments"])
        data["arguments"] = row["arguments"]
        arguments = ["const Parameters& p"] * data["needs"][row["name"]] + [
            f"std::uint32_t {name}" for name in row["arguments"]
        ]
        lines += ["", f"/// {row['description']}."]
        lines += [f"/// `{name}`: {meaning}." for name, meaning in row["arguments"].items()]
        lines += [
            f"constexpr std::uint32_t {row['name']}({', '.join(arguments)}) {{",
            f"  return {render(row['formula'], data)};",
            "}",
        ]
    return [*lines, "", "}  // namespace cycles"]


def bits(field, data):
    """The bits of a field, as an expression."""
    if "held" in field and not field["held"].text.isdigit():
        text = f"ones({render(field['held'], data)})"
    else:
        text = f"0x{(1 << field['width']) - 1:X}u"
    return f"{text} << {field['lsb']}" if field["lsb"] else text


def cases(data, value_of, selected):
    """A case for each register, registers of the same value together."""
    groups = {}
    for register in data["register"]:
        if register["kind"] in selected:
            groups.setdefault(value_of(register), []).append(register["name"])
    for value, names in groups.items():
        yield from (f"    case k{camel(name)}:" for name in names[:-1])
        yield f"    case k{camel(names[-1])}: return {value};"


def held(data):
    def value_of(register):
        by_part = {}
        for field in fields_of(register):
            by_part.setdefault(part_of(register, field), []).append(field)
        terms = []
        for part, fields in by_part.items():
            plain = sum(
                (1 << field["width"]) - 1 << field["lsb"] for field in fields if "held" not in field
            )
            texts = [f"0x{plain:X}u"] * (plain > 0) + [
                bits(field, data) for field in fields if "held" in field
            ]
            text = " | ".join(
                f"({t})" if "<<" in t and len(texts) + len(by_part) > 2 else t for t in texts
            )
            terms.append(text if part is None else f"(p.has(k{camel(part)}) ? {text} : 0)")
        return " | ".join(terms)

    return [
        (
            "/// Bits that an instance holds of a register which the bus may write and read; "
            "a write sets the others to 0."
        ),
        "constexpr std::uint32_t held(std::uint32_t address, const Parameters& p) {",
        "  switch (address) {",
        *cases(data, value_of, ("copied", "direct")),
        "    default: return 0;",
        "  }",
        "}",
    ]


def fixed(data):
    def value_of(register):
        texts = []
        for field in fields_of(register):
            text = (
                render(field["constant"], data)
                if not field["constant"].text.startswith("0x")
                else f"{field['constant'].text}u"
            )
            texts.append(f"({text} << {field['lsb']})" if field["lsb"] else text)
        return " | ".join(texts)

    return [
        "/// What a register of kind Constant reads as.",
        "constexpr std::uint32_t constant(std::uint32_t address, const Parameters& p) {",
        "  switch (address) {",
        *cases(data, value_of, ("constant",)),
        "    default: return 0;",
        "  }",
        "}",
    ]


def value_of_constant(data, register, field):
    found = next(r for r in data["register"] if r["name"] == register)
    return next(f for f in fields_of(found) if f["name"] == field)["constant"].evaluate({})


def header(data, parameters):
    used = [name for name in parameters if name != "SeqW"]
    data["needs"], data["takes"], data["arguments"] = {}, {}, {}
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        f"// Generated by scripts/registers from {SOURCE}; do not edit.",
        "// clang-format off",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        "namespace platter::accelerator {",
        "",
        "/// Optional parts of the accelerator (register FEATURES).",
        "enum Feature : std::uint32_t {",
        *(
            f"  k{camel(part['name'])} = {part['feature']},  ///< {part['description']}"
            for part in data["part"]
        ),
        f"  kAllFeatures = {sum(part['feature'] for part in data['part'])},",
        "};",
        "",
        "}  // namespace platter::accelerator",
        "",
        "namespace platter::accelerator::reg {",
        "",
        "/// What the bus may do with a register.",
        "enum class Access { ReadOnly, ReadWrite, WriteOnly };",
        "",
        (
            "/// What a register is: Constant follows from the parameters; the hardware writes "
            "Status; a write of Command does something; the host"
        ),
        "/// alone writes Copied; Direct is written by the bus and, some of them, by the hardware.",
        "enum class Kind { Constant, Status, Command, Copied, Direct };",
        "",
        "/// One row of the register map.",
        "struct RegisterInfo {",
        "  const char* name;",
        "  std::uint32_t offset;  // bytes",
        "  Access access;",
        "  Kind kind;",
        "  bool hops;  // a write changes what hops cost",
        "};",
        "",
        (
            "inline constexpr std::uint32_t kVersionMajor = "
            f"{value_of_constant(data, 'VERSION', 'MAJOR')};"
        ),
        (
            "inline constexpr std::uint32_t kVersionMinor = "
            f"{value_of_constant(data, 'VERSION', 'MINOR')};"
        ),
        (
            "inline constexpr std::uint32_t kIdValue = "
            f"0x{value_of_constant(data, 'ID', 'VALUE'):08X};"
        ),
        "",
        "/// Bytes of the address range.",
        f"inline constexpr std::uint32_t kBytes = 0x{1 << ADDRESS_BITS:X};",
        "",
        "/// Cycles of a decision beyond one a row of the table.",
        f"inline constexpr std::uint32_t kDecisionLatency = {data['decision_latency']};",
        "",
        "/// Bits of an insertion number, by default of sched_top. Every instance here has them.",
        f"inline constexpr std::uint32_t kSeqW = {parameters['SeqW']};",
        "",
        "/// Parameters of an instance (those of sched_top), and the widths that follow from them.",
        "struct Parameters {",
        *(f"  std::uint32_t {snake(name)} = {parameters[name]};" for name in used),
        "",
        *(
            f"  constexpr std::uint32_t {snake(name)}() const {{ return "
            f"{render(formula, data, '')}; }}"
            for name, formula in data["widths"].items()
        ),
        "  constexpr bool has(Feature part) const { return (features & part) != 0; }",
        "};",
        "",
        *cycles(data),
    ]
    for register, name, fields in constants(data):
        lines += ["", f"// {register['name']} ({register['access']}): {register['description']}"]
        lines.append(f"inline constexpr std::uint32_t k{name} = 0x{register['offset']:03X};")
        lines += [
            f"inline constexpr std::uint32_t k{identifier} = {value};"
            for identifier, value in fields
        ]
        lines += [
            f"inline constexpr std::uint32_t k{name}{camel(field['name'])}{camel(value['name'])} = "
            f"{value['value']};  // {value['description']}"
            for field in register["fields"]
            for value in field.get("values", [])
        ]
    data["arguments"] = {}
    lines += [
        "",
        "/// The lowest `width` bits.",
        "constexpr std::uint32_t ones(std::uint32_t width) {",
        "  return static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1);",
        "}",
        "",
        *held(data),
        "",
        *fixed(data),
    ]
    lines += [
        "",
        "/// Every register, in the order of the map.",
        "inline constexpr RegisterInfo kRegisters[] = {",
    ]
    for register in data["register"]:
        lines.append(
            f'    {{"{register["name"]}", k{camel(register["name"])}, '
            f"Access::{ACCESS[register['access']]}, "
            f"Kind::{KIND[register['kind']]}, {'true' if register.get('hops') else 'false'}}},"
        )
    lines += [
        "};",
        "",
        "/// One field of a register; of a register without fields, one that is the whole of it.",
        "struct FieldInfo {",
        "  const char* register_name;",
        "  const char* name;",
        "  std::uint32_t offset;  // of the register, bytes",
        "  std::uint32_t lsb;",
        "  std::uint32_t width;",
        "  Access access;",
        "};",
        "",
        "/// Every field, in the order of the map.",
        "inline constexpr FieldInfo kFields[] = {",
    ]
    for register in data["register"]:
        for field in fields_of(register):
            lines.append(
                f'    {{"{register["name"]}", "{field["name"]}", k{camel(register["name"])}, '
                f"{field['lsb']}, {field['width']}, "
                f"Access::{ACCESS[register['access']]}}},"
            )
    lines += ["};", "", "}  // namespace platter::accelerator::reg", ""]
    return "\n".join(lines)
