# SPDX-License-Identifier: Apache-2.0
"""Power of the accelerator in standard cells: the changes of every net, counted while the netlist
replays the accesses of the main job, and the energies of the library's tables.
docs/reference/accelerator_ppa.md, section "Power", says what is in it.

OpenSTA 2.0.17 has no reader of activities. Those given for single pins count at inputs and at
outputs of flip-flops; it estimates the others by probabilities, gives every clock pin the whole
clock, and adds the energies of a rise and a fall for each change. So the sum is made here, and
OpenSTA's report is compared with it where both have the same activity: flip-flops and clock buffers
of the netlist without gates.
"""

import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess

from . import flows, page
from .flows import LIBERTY, ROOT, Failure

SCENARIO = ROOT / "models" / "configs" / "scenarios" / "mixed_media.toml"
CLOCK_MHZ = 100
WINDOWS = (
    (5.0, 15.0),
    (15.0, 25.0),
    (25.0, 35.0),
)  # seconds of the job, which measures from 5 s on
FAN_OUT = 16  # of a clock buffer
CLOCK_BUFFER = "CLKBUF1"
REPLAY = pathlib.Path(__file__).with_name("replay.cpp")
COLUMNS = [
    "entries",
    "lanes",
    "order_m",
    "seg_m",
    "seg_w",
    "features",
    "gates",
    "clock_mhz",
    "from_s",
    "to_s",
    "decisions",
    "accesses",
    "busy_cycles",
    "kge",
    "clock_buffers",
    "power_mw",
    "clock_mw",
    "register_mw",
    "logic_mw",
    "leakage_uw",
    "idle_mw",
    "nj_beyond_idle",
    "nj_with_clock",
    "nj_with_glitches",
    "sta_switching",
    "sta_internal",
    "rtl",
    "tools",
]


# --- the library ----------------------------------------------------------------------------------


class Group:
    """A group of a Liberty file: attributes by name, groups inside in order."""

    def __init__(self, kind, arguments):
        self.kind, self.name, self.attributes, self.groups = (
            kind,
            arguments.strip().strip('"'),
            {},
            [],
        )

    def all(self, kind):
        return [g for g in self.groups if g.kind == kind]


def parse_liberty(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S).replace("\\\n", " ")
    top = Group("", "")
    stack = [top]
    for head, arguments, brace, plain, value, end in re.findall(
        r'(\w+)\s*\(([^)]*)\)\s*(\{|;)|(\w+)\s*:\s*("[^"]*"|[^;"]+?)\s*;|(\})', text
    ):
        if brace == "{":
            stack[-1].groups.append(Group(head, arguments))
            stack.append(stack[-1].groups[-1])
        elif end:
            stack.pop()
        elif plain:
            stack[-1].attributes[plain] = value.strip('"')
        else:
            stack[-1].attributes[head] = arguments
    return top.groups[0]


class LookUp:
    """A table; outside of it the value at its edge, between its points linear."""

    def __init__(self, group, template):
        self.axes = []
        for i in (1, 2):
            if f"variable_{i}" in template.attributes:
                index = [float(v) for v in re.findall(r"[-\d.e]+", group.attributes[f"index_{i}"])]
                self.axes.append((template.attributes[f"variable_{i}"], index))
        self.values = [float(v) for v in re.findall(r"[-\d.e]+", group.attributes["values"])]

    def __call__(self, load, slew):
        points = [(0, 1.0)]
        for variable, index in self.axes:
            value = min(
                max(load if variable == "total_output_net_capacitance" else slew, index[0]),
                index[-1],
            )
            high = next((i for i in range(1, len(index)) if value <= index[i]), len(index) - 1)
            share = (
                (value - index[high - 1]) / (index[high] - index[high - 1])
                if len(index) > 1
                else 1.0
            )
            points = [
                (at * len(index) + i, weight * part)
                for at, weight in points
                for i, part in ((high - 1, 1 - share), (high, share))
            ]
        return sum(self.values[at] * weight for at, weight in points)


@dataclasses.dataclass
class Arc:
    """From an input to an output: transition times (ns) and energies (pJ) of a rise and a fall at
    the output."""

    source: str
    sense: str
    slews: tuple
    energies: tuple


@dataclasses.dataclass
class Cell:
    area: float
    leakage_nw: float
    inputs: dict  # name: capacitance (pF)
    passive: dict  # name: tables of the energy of a rise and a fall at this input alone
    outputs: dict  # name: [Arc]
    functions: dict
    state: tuple  # (data, clock, kind), or nothing


class Library:
    def __init__(self, file=LIBERTY):
        library = parse_liberty(pathlib.Path(file).read_text(encoding="utf-8"))
        self.volt = float(library.attributes["nom_voltage"])
        # The units that the energies and capacitances below are in: pJ = pF V^2, nW.
        found = [
            library.attributes[name]
            for name in ("voltage_unit", "time_unit", "leakage_power_unit", "capacitive_load_unit")
        ]
        if [re.sub(r"[\s\"]", "", value) for value in found] != ["1V", "1ns", "1nW", "1,pf"]:
            raise Failure(f"{file}: expected the units 1 V, 1 ns, 1 nW and 1 pF, found {found}")
        templates = {g.name: g for g in library.groups if g.kind.endswith("_template")}
        self.cells = {}
        for group in library.all("cell"):
            self.cells[group.name] = self.cell(group, templates)

    @staticmethod
    def cell(group, templates):
        def tables(of, *kinds):
            found = [
                next((LookUp(g, templates[g.name]) for g in of.all(kind)), None) for kind in kinds
            ]
            return tuple(found) if all(found) else None

        inputs, passive, outputs, functions, state = {}, {}, {}, {}, None
        for register in (*group.all("ff"), *group.all("latch")):
            a = register.attributes
            state = (
                a.get("next_state") or a.get("data_in"),
                a.get("clocked_on") or a.get("enable"),
                register.kind,
            )
        for pin in group.all("pin"):
            power = [
                (p.attributes.get("related_pin"), tables(p, "rise_power", "fall_power"))
                for p in pin.all("internal_power")
            ]
            if pin.attributes["direction"] == "input":
                inputs[pin.name] = float(pin.attributes["capacitance"])
                for source, both in power:
                    if source is None and both:
                        passive[pin.name] = both
                continue
            functions[pin.name] = pin.attributes.get("function", "")
            arcs = []
            for timing in pin.all("timing"):
                slews = tables(timing, "rise_transition", "fall_transition")
                source = timing.attributes["related_pin"]
                energies = next((both for name, both in power if name == source and both), None)
                if slews:
                    arcs.append(
                        Arc(
                            source,
                            timing.attributes.get("timing_sense", "non_unate"),
                            slews,
                            energies,
                        )
                    )
            outputs[pin.name] = arcs
        return Cell(
            float(group.attributes["area"]),
            float(group.attributes.get("cell_leakage_power", 0)),
            inputs,
            passive,
            outputs,
            functions,
            state,
        )


@functools.cache
def truth_table(function):
    """Liberty's expression: its inputs, and the outputs for all their values, a bit each.
    A blank between operands is an AND."""
    out = []
    for token in re.findall(r"\w+|[()!'*&+|^]", function):
        if (
            out
            and (token in "(!" or re.match(r"\w", token))
            and (out[-1] == ")" or re.match(r"\w", out[-1]))
        ):
            out.append("&")
        out.append({"!": " 1 ^ ", "*": "&", "+": "|"}.get(token, token))
    inputs = sorted({token for token in out if re.match(r"[A-Za-z_]", token)})
    # "!" binds most tightly.
    expression = compile(re.sub(r"1 \^\s*(\w+)", r"(1 ^ \1)", " ".join(out)), function, "eval")
    values = [
        {name: (i >> bit) & 1 for bit, name in enumerate(inputs)} for i in range(1 << len(inputs))
    ]
    return tuple(inputs), sum(eval(expression, {}, row) << i for i, row in enumerate(values))


def levels(nodes):
    """The nodes with their levels: each is above those that drive it."""
    driver = {net: i for i, node in enumerate(nodes) for net in node[0]}
    level = [None] * len(nodes)
    for root in range(len(nodes)):
        stack = [root]
        while stack:
            node = stack[-1]
            before = {driver[net] for net in nodes[node][1] if net in driver}
            missing = [i for i in before if level[i] is None]
            if level[node] is not None or not missing:
                if level[node] is None:
                    level[node] = 1 + max((level[i] for i in before), default=0)
                stack.pop()
            else:
                if len(stack) > len(nodes):
                    raise Failure("a netlist has a loop of gates")
                stack += missing
    return [(*node, of) for node, of in zip(nodes, level, strict=True)]


# --- the netlist ----------------------------------------------------------------------------------


@dataclasses.dataclass
class Instance:
    name: str
    cell: str
    pins: dict  # name: net


class Netlist:
    """What Yosys wrote, all nets of one bit: instances, and ports by direction."""

    def __init__(self, text, library):
        identifier = r"(?:\\\S+|[\w$]+)"

        def plain(name):
            return name.strip().lstrip("\\").strip()

        self.library = library
        self.ports = {
            direction: [
                plain(n) for n in re.findall(rf"^  {direction} ({identifier})\s*;", text, re.M)
            ]
            for direction in ("input", "output")
        }
        text = text.replace("1'b", "1'h")
        alias = {
            plain(a): plain(b)
            for a, b in re.findall(
                rf"^  assign ({identifier})\s*= ({identifier}|1'h[01])\s*;", text, re.M
            )
        }

        def net(name):
            while name in alias:
                name = alias[name]
            return name

        self.driver_of_port = {port: net(port) for port in self.ports["output"]}
        self.instances = []
        for cell, name, body in re.findall(
            rf"^  ([A-Z]\w+) ({identifier})\s*\(\n(.*?)\n  \);", text, re.M | re.S
        ):
            pins = {
                pin: net(plain(value))
                for pin, value in re.findall(rf"\.(\w+)\(\s*({identifier}|1'h[01])\s*\)", body)
            }
            self.instances.append(Instance(plain(name), cell, pins))
        unknown = {i.cell for i in self.instances} - set(library.cells)
        if unknown or not self.instances:
            raise Failure(
                f"a netlist has {len(self.instances)} cells and of those the library does not know "
                f"{sorted(unknown)}"
            )

    def is_output(self, instance, pin):
        return pin in self.library.cells[instance.cell].outputs

    def buffer_clocks(self):
        """Gives every net of many clock pins a tree of clock buffers,
        and the clock's port one in any case."""
        sinks = {}
        for instance in self.instances:
            state = self.library.cells[instance.cell].state
            if state:
                sinks.setdefault(instance.pins[state[1]], []).append((instance, state[1]))
        clocks = set(sinks)
        driver = {
            i.pins[pin]: i
            for i in self.instances
            for pin in self.library.cells[i.cell].outputs
            if pin in i.pins
        }
        pending = list(clocks)
        while pending:  # inverters and gates upstream
            instance = driver.get(pending.pop())
            if instance and not self.library.cells[instance.cell].state:
                for pin in self.library.cells[instance.cell].inputs:
                    if (
                        pin in instance.pins
                        and instance.pins[pin] not in clocks
                        and not self.from_register(instance.pins[pin], driver)
                    ):
                        clocks.add(instance.pins[pin])
                        pending.append(instance.pins[pin])
        for instance in self.instances:
            if not self.library.cells[instance.cell].state:
                for pin in self.library.cells[instance.cell].inputs:
                    if instance.pins.get(pin) in clocks:
                        sinks.setdefault(instance.pins[pin], []).append((instance, pin))
        added = 0
        for net, of in list(sinks.items()):
            level = 0
            while len(of) > FAN_OUT or (level == 0 and net in self.ports["input"]):
                parents = []
                for begin in range(0, len(of), FAN_OUT):
                    buffer = Instance(
                        f"clock_buffer_{added}", CLOCK_BUFFER, {"A": net, "Y": f"clock_{added}"}
                    )
                    added += 1
                    for instance, pin in of[begin : begin + FAN_OUT]:
                        instance.pins[pin] = buffer.pins["Y"]
                    self.instances.append(buffer)
                    parents.append((buffer, "A"))
                of, level = parents, level + 1
        return added

    def from_register(self, net, driver):
        """Does this net come from a latch or flip-flop directly? Then it is an enable."""
        return net in driver and self.library.cells[driver[net].cell].state is not None

    def nets(self):
        names = {
            net: None
            for i in self.instances
            for net in i.pins.values()
            if not net.startswith("1'h")
        }
        names.update(dict.fromkeys(self.ports["input"]))
        names.update(
            {net: None for net in self.driver_of_port.values() if not net.startswith("1'h")}
        )
        return list(names)

    def area(self):
        return sum(self.library.cells[i.cell].area for i in self.instances)

    def simulation(self, memories):
        """Lines for replay.cpp; nets 0 and 1 are the constants, the others are nets() in order."""
        number = {net: i + 2 for i, net in enumerate(self.nets())}
        number.update({"1'h0": 0, "1'h1": 1})
        ports = {}
        for names in self.ports.values():
            for name in names:
                base, bit = re.fullmatch(r"(.*?)(?:\[(\d+)\])?", name).groups()
                ports.setdefault(base, {})[int(bit or 0)] = self.driver_of_port.get(name, name)

        def bits(base, least, size):
            return [ports[base][i] for i in range(least, least + size)]

        # Gates, latches and read ports: (outputs, inputs, head of the line); flip-flops and write
        # ports are not between levels.
        nodes, lines, at_memory = [], [], {}
        for instance in self.instances:
            cell = self.library.cells[instance.cell]
            if cell.state:
                data, clock, kind = (instance.pins.get(pin, pin) for pin in cell.state)
                output = instance.pins.get(next(iter(cell.outputs)))
                if output is not None and kind == "ff":
                    lines.append(f"flop {number[output]} {number[data]} {number[clock]}")
                elif output is not None:
                    nodes.append(([output], [data, clock], "latch", 0, None))
                continue
            for pin, function in cell.functions.items():
                if pin in instance.pins:
                    inputs, table = truth_table(function)
                    nodes.append(
                        (
                            [instance.pins[pin]],
                            [instance.pins[name] for name in inputs],
                            "gate",
                            table,
                            None,
                        )
                    )
        for memory in memories:
            base, width, abits = f"memory{memory['name']}", memory["width"], memory["abits"]
            nodes += [
                (
                    bits(base + "_RD_DATA", port * width, width),
                    bits(base + "_RD_ADDR", port * abits, abits),
                    "read",
                    None,
                    memory["name"],
                )
                for port in range(memory["rd_ports"])
            ]
        for outputs, inputs, kind, table, memory, level in levels(nodes):
            numbers = " ".join(str(number[net]) for net in inputs)
            targets = " ".join(str(number[net]) for net in outputs)
            if kind == "read":
                at_memory.setdefault(memory, []).append(f"read {level} {targets} {numbers}")
            else:
                lines.append(f"{kind} {level} {table} {targets} {numbers}")
        for memory in memories:
            base, width, abits = f"memory{memory['name']}", memory["width"], memory["abits"]
            lines += [f"memory {width} {memory['size']}", *at_memory.get(memory["name"], [])]
            for port in range(memory["wr_ports"]):
                pins = [
                    ports[base + "_WR_CLK"][port],
                    *bits(base + "_WR_EN", port * width, width),
                    *bits(base + "_WR_DATA", port * width, width),
                    *bits(base + "_WR_ADDR", port * abits, abits),
                ]
                lines.append("write " + " ".join(str(number[net]) for net in pins))
        for base, of in ports.items():
            if not base.startswith("memory_"):
                lines.append(f"port {base} " + " ".join(str(number[of[i]]) for i in sorted(of)))
        return "\n".join([f"nets {len(self.nets()) + 2}", *lines, ""])

    # The same for OpenSTA.
    def verilog(self):
        def name(text):
            return (
                text
                if re.fullmatch(r"[A-Za-z_]\w*", text) or text.startswith("1'h")
                else f"\\{text} "
            )

        ports = [*self.ports["input"], *self.ports["output"]]
        lines = [f"module sched_top({', '.join(map(name, ports))});"]
        lines += [
            f"  {direction} {name(port)};"
            for direction, names in self.ports.items()
            for port in names
        ]
        lines += [f"  wire {name(net)};" for net in self.nets() if net not in ports]
        lines += [
            f"  assign {name(port)} = {name(net)};"
            for port, net in self.driver_of_port.items()
            if net != port
        ]
        lines += [
            f"  {i.cell} {name(i.name)} ("
            + ", ".join(f".{pin}({name(net)})" for pin, net in i.pins.items())
            + ");"
            for i in self.instances
        ]
        return "\n".join([*lines, "endmodule", ""])


# --- energy ---------------------------------------------------------------------------------------


class Energies:
    """Loads and transition times of a netlist, and from them the energy of counted changes."""

    def __init__(self, netlist):
        self.netlist, library = netlist, netlist.library
        self.load, self.sinks = {}, {}
        for instance in netlist.instances:
            for pin, capacitance in library.cells[instance.cell].inputs.items():
                if pin in instance.pins:
                    self.load[instance.pins[pin]] = (
                        self.load.get(instance.pins[pin], 0.0) + capacitance
                    )
        self.slews = {}
        for instance in self.in_order():
            self.propagate(instance)
        self.clock_nets = self.find_clock_nets()

    def in_order(self):
        """Drivers before those they drive; a flip-flop is behind its clock, not its data."""
        netlist, library = self.netlist, self.netlist.library
        driver = {
            i.pins[pin]: i
            for i in netlist.instances
            for pin in library.cells[i.cell].outputs
            if pin in i.pins
        }
        done, order = set(), []
        for root in netlist.instances:
            stack = [(root, False)]
            while stack:
                instance, ready = stack.pop()
                if ready:
                    order.append(instance)
                    continue
                if id(instance) in done:
                    continue
                done.add(id(instance))
                stack.append((instance, True))
                for source in {
                    arc.source
                    for arcs in library.cells[instance.cell].outputs.values()
                    for arc in arcs
                }:
                    before = driver.get(instance.pins.get(source))
                    if before is not None and id(before) not in done:
                        stack.append((before, False))
        return order

    def propagate(self, instance):
        for pin, arcs in self.netlist.library.cells[instance.cell].outputs.items():
            net = instance.pins.get(pin)
            if net is None:
                continue
            load, slowest = self.load.get(net, 0.0), [0.0, 0.0]
            for arc in arcs:
                rise, fall = self.slews.get(instance.pins.get(arc.source), (0.0, 0.0))
                before = {"positive_unate": (rise, fall), "negative_unate": (fall, rise)}.get(
                    arc.sense, (max(rise, fall),) * 2
                )
                for edge in (0, 1):
                    slowest[edge] = max(slowest[edge], arc.slews[edge](load, before[edge]))
            self.slews[net] = tuple(slowest)

    def find_clock_nets(self):
        """Of the clock's tree: what a clock pin hangs on, back to the port."""
        library = self.netlist.library
        driver = {
            i.pins[pin]: i
            for i in self.netlist.instances
            for pin in library.cells[i.cell].outputs
            if pin in i.pins
        }
        found, pending = set(), []
        for instance in self.netlist.instances:
            state = library.cells[instance.cell].state
            if state:
                pending.append(instance.pins[state[1]])
        while pending:
            net = pending.pop()
            if net in found:
                continue
            found.add(net)
            before = driver.get(net)
            if before is not None and not library.cells[before.cell].state:
                pending += [
                    before.pins[pin]
                    for pin in library.cells[before.cell].inputs
                    if pin in before.pins
                    and not self.netlist.from_register(before.pins[pin], driver)
                ]
        return found

    @functools.cached_property
    def per_change(self):
        """[(instance, part, net, pJ of its mean change, of it switching)], and the arcs to be
        weighed by their sources' changes."""
        library, rows = self.netlist.library, []
        half_v2 = 0.5 * library.volt**2
        for instance in self.netlist.instances:
            cell = library.cells[instance.cell]
            for pin, both in cell.passive.items():
                net = instance.pins.get(pin)
                if net is not None:
                    rise, fall = self.slews.get(net, (0.0, 0.0))
                    clock = cell.state and pin == cell.state[1]
                    rows.append(
                        (
                            instance,
                            "clock" if clock else "register" if cell.state else "logic",
                            net,
                            0.0,
                            [(None, (both[0](0, rise) + both[1](0, fall)) / 2)],
                        )
                    )
            for pin, arcs in cell.outputs.items():
                net = instance.pins.get(pin)
                if net is None:
                    continue
                part = "clock" if net in self.clock_nets else "register" if cell.state else "logic"
                load = self.load.get(net, 0.0)
                internal = []
                for arc in arcs:
                    if arc.energies:
                        slew = sum(self.slews.get(instance.pins.get(arc.source), (0.0, 0.0))) / 2
                        internal.append(
                            (
                                instance.pins.get(arc.source),
                                (arc.energies[0](load, slew) + arc.energies[1](load, slew)) / 2,
                            )
                        )
                rows.append((instance, part, net, half_v2 * load, internal))
        return rows

    def instances(self, changes):
        """{instance: [switching, internal] in pJ}, by part, of {net: changes}."""
        result = {}
        for instance, part, net, switching, internal in self.per_change:
            count = changes.get(net, 0)
            if not count:
                continue
            weights = [
                changes.get(source, 0) if source is not None else 1 for source, _ in internal
            ]
            if internal and not sum(weights):
                weights = [1] * len(internal)
            mean = 0.0
            if internal:
                pairs = zip(weights, internal, strict=True)
                mean = sum(w * energy for w, (_, energy) in pairs) / sum(weights)
            entry = result.setdefault(instance.name, {}).setdefault(part, [0.0, 0.0])
            entry[0] += count * switching
            entry[1] += count * mean
        return result

    def parts(self, changes):
        """pJ of the clock, the registers and the logic."""
        total = dict.fromkeys(("clock", "register", "logic"), 0.0)
        for parts in self.instances(changes).values():
            for part, energies in parts.items():
                total[part] += sum(energies)
        return total

    def leakage_nw(self):
        return sum(self.netlist.library.cells[i.cell].leakage_nw for i in self.netlist.instances)


# --- the steps ------------------------------------------------------------------------------------


def program(folder):
    """replay.cpp, compiled."""
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O2", "-o", folder / "replay", REPLAY]
    code, _ = flows.logged([str(part) for part in command], folder / "compiler.log")
    if code != 0:
        raise Failure(f"the compiler failed: {folder / 'compiler.log'}")
    return folder / "replay"


def count(replay, netlist, memories, accesses, windows, folder, delay="zero", clock_mhz=CLOCK_MHZ):
    """For each window in seconds: cycles, those of them in which it rests, and {net: changes} in
    all and in those."""
    nets, files = netlist.nets(), []
    (folder / "netlist.txt").write_text(netlist.simulation(memories), encoding="utf-8")
    command = [replay, delay, folder / "netlist.txt", accesses, 1_000_000 // clock_mhz]
    for i, (begin, end) in enumerate(windows):
        files.append(folder / f"window{i}.txt")
        command += [round(begin * clock_mhz * 1e6), round(end * clock_mhz * 1e6), files[-1]]
    code, text = flows.logged([str(part) for part in command], folder / "replay.log")
    if code != 0:
        raise Failure(
            f"the netlist does not replay the accesses: {text.strip() or code}, "
            f"{folder / 'replay.log'}"
        )
    found = []
    for file in files:
        cycles, _, _, *lines = [
            tuple(map(int, line.split())) for line in file.read_text(encoding="utf-8").splitlines()
        ]
        found.append(
            (
                *cycles,
                *({net: line[i] for net, line in zip(nets, lines, strict=True)} for i in (0, 1)),
            )
        )
    return found


def record(point, folder):
    """The main job's accesses to an accelerator of this size."""
    if (
        subprocess.run([ROOT / "scripts" / "build", "release", "accesses"], check=False).returncode
        != 0
    ):
        raise Failure("tb/rtl/accesses_main.cpp could not be built")
    settings = {
        "engine": "model",
        "accelerator.clock_mhz": CLOCK_MHZ,
        "accelerator.entries": point.entries,
        "accelerator.lanes": point.lanes,
        "accelerator.order_m": point.order_m,
        "accelerator.features": point.feature_names,
    }
    file = folder / "accesses.txt"
    command = [
        ROOT / "build" / "release" / "tb" / "rtl" / "accesses",
        file,
        str(WINDOWS[-1][1]),
        SCENARIO,
        *(f"{key}={value}" for key, value in settings.items()),
    ]
    code, text = flows.logged([str(part) for part in command], folder / "accesses.log")
    if code != 0:
        raise Failure(text.strip())
    return file


STA_SCRIPT = """read_liberty {liberty}
read_verilog {netlist}
link_design sched_top
create_clock -name clock -period {period} [get_ports clk_i]
set_propagated_clock [get_clocks clock]
foreach port [all_inputs] {{
  if {{[get_full_name $port] ne "clk_i"}} {{ \
set_power_activity -input_ports $port -activity 0 -duty 0.5 }}
}}
foreach {{pin activity}} {{{activities}}} {{ \
sta::set_power_pin_activity [get_pins $pin] $activity 0.5 }}
report_power -digits 8 -instances [get_cells {{{cells}}}]
exit
"""
STA_INSTANCES = 400
STA_COUNTS_TWICE = 2  # a rise and a fall for each change; later versions take their mean


def compare(energies, changes, cycles, folder):
    """OpenSTA's power of clock buffers and flip-flops against the sum:
    (switching, internal), each as a ratio."""
    netlist, mine = energies.netlist, energies.instances(changes)
    cells = netlist.library.cells
    kept = [i for i in netlist.instances if i.cell == CLOCK_BUFFER][:STA_INSTANCES]
    flops = [i for i in netlist.instances if cells[i.cell].state and "Q" in i.pins]
    kept += sorted(flops, key=lambda i: -changes.get(i.pins["Q"], 0))[:STA_INSTANCES]
    period = 1000 / CLOCK_MHZ

    def escaped(name):
        return re.sub(r"([\[\]\\])", r"\\\1", name)

    activities = " ".join(
        f"{{{escaped(i.name)}/Q}} {changes.get(i.pins['Q'], 0) / cycles:.9f}" for i in flops
    )
    (folder / "sta.v").write_text(netlist.verilog(), encoding="utf-8")
    script = folder / "sta.tcl"
    script.write_text(
        STA_SCRIPT.format(
            liberty=LIBERTY,
            netlist=folder / "sta.v",
            period=period,
            activities=activities,
            cells=" ".join(f"{{{escaped(i.name)}}}" for i in kept),
        ),
        encoding="utf-8",
    )
    _, text = flows.logged(["sta", "-exit", str(script)], folder / "sta.log")
    rows = re.findall(
        r"^\s*([\d.e+-]+)\s+([\d.e+-]+)\s+([\d.e+-]+)\s+[\d.e+-]+\s+(\S+)\s*$", text, re.M
    )
    if len(rows) != len(kept):
        raise Failure(
            f"OpenSTA reported {len(rows)} of {len(kept)} instances: {folder / 'sta.log'}"
        )
    theirs = [sum(float(row[i]) for row in rows) for i in (0, 1)]
    seconds = cycles / (CLOCK_MHZ * 1e6)
    ours = [
        sum(e[i] for inst in kept for e in mine.get(inst.name, {}).values()) * 1e-12 / seconds
        for i in (0, 1)
    ]
    ratios = theirs[1] / ours[0], theirs[0] / ours[1]
    if abs(ratios[0] - 1) > 0.01 or abs(ratios[1] / STA_COUNTS_TWICE - 1) > 0.05:
        raise Failure(
            f"OpenSTA's switching power is {ratios[0]:.3f} and its internal power {ratios[1]:.3f} "
            f"times the sum; expected 1 and {STA_COUNTS_TWICE}"
        )
    return ratios


def power_of(energies, cycles, resting, changes, at_rest, decisions, clock_mhz=CLOCK_MHZ):
    """Power in the window and at rest (mW), and the energy of a decision (nJ): what it needs beyond
    rest, and that with the clock of its cycles."""
    parts, rest = energies.parts(changes), sum(energies.parts(at_rest).values())
    leakage_mw, total = energies.leakage_nw() * 1e-6, sum(parts.values())
    work, idle_pj = total - rest, rest / resting
    result = {f"{part}_mw": round(pj / cycles * clock_mhz * 1e-3, 4) for part, pj in parts.items()}
    return {
        **result,
        "power_mw": round(total / cycles * clock_mhz * 1e-3 + leakage_mw, 4),
        "leakage_uw": round(leakage_mw * 1000, 2),
        "idle_mw": round(idle_pj * clock_mhz * 1e-3 + leakage_mw, 4),
        "nj_beyond_idle": round((work - (cycles - resting) * idle_pj) / 1000 / decisions, 4)
        if decisions
        else "",
        "nj_with_clock": round(work / 1000 / decisions, 4) if decisions else "",
    }


def decisions_in(file, begin_s, end_s):
    """Accesses and decisions: operations are writes to OP."""
    operation = page.register_address("OP")
    accesses = decisions = busy = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        time, kind, address, _, _, cycles = line.split()
        if begin_s * 1e12 <= int(time) < end_s * 1e12:
            accesses += 1
            busy += int(cycles)
            decisions += kind == "w" and int(address) == operation
    return accesses, decisions, busy


def measure(tools, point, resume=True):
    """Rows of the table: with and without gates, a row a window."""
    used = tools.need("yosys", "opensta", "osu018")
    library, rows = Library(), []
    own = hashlib.sha256(
        pathlib.Path(__file__).read_bytes() + REPLAY.read_bytes() + SCENARIO.read_bytes()
    ).hexdigest()[:12]
    for gates in (False, True):
        kind = "osu018-gates" if gates else "osu018-plain"
        _, folder = flows.synthesize(tools, kind, point, resume)
        key = {
            "synthesis": flows.synthesis_key(tools, kind, point),
            "opensta": tools.versions["opensta"],
            "program": own,
        }

        def work(out, folder=folder, gates=gates):
            netlist = Netlist((folder / "netlist.v").read_text(encoding="utf-8"), library)
            buffers = netlist.buffer_clocks()
            memories = json.loads((folder / "memories.json").read_text(encoding="utf-8"))[
                "memories"
            ]
            accesses, energies, windows = record(point, out), Energies(netlist), []
            replay = program(out)
            counted = [
                count(replay, netlist, memories, accesses, WINDOWS, out, delay)
                for delay in ("zero", "unit")
            ]
            for window, (cycles, resting, changes, at_rest), glitching in zip(
                WINDOWS, *counted, strict=True
            ):
                number, decided, busy = decisions_in(accesses, *window)
                ratios = ("", "") if gates else compare(energies, changes, cycles, out)
                windows.append(
                    {
                        "from_s": window[0],
                        "to_s": window[1],
                        "decisions": decided,
                        "accesses": number,
                        "busy_cycles": busy,
                        **power_of(energies, cycles, resting, changes, at_rest, decided),
                        "nj_with_glitches": power_of(energies, *glitching, decided)[
                            "nj_with_clock"
                        ],
                        "sta_switching": ratios[0] and round(ratios[0], 4),
                        "sta_internal": ratios[1] and round(ratios[1], 4),
                    }
                )
            return {
                "windows": windows,
                "kge": round(netlist.area() / flows.GATE / 1000, 1),
                "clock_buffers": buffers,
            }

        result, _ = flows.step("power", key, work, resume)
        rows += [
            {
                **point.columns,
                "gates": int(gates),
                "clock_mhz": CLOCK_MHZ,
                "kge": result["kge"],
                "clock_buffers": result["clock_buffers"],
                **window,
                "rtl": flows.rtl_hash(),
                "tools": used,
            }
            for window in result["windows"]
        ]
    return rows
