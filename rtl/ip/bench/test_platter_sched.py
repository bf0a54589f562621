# SPDX-License-Identifier: Apache-2.0
"""A cocotb bench of platter_sched_axi that stands alone: registers by name from the SVD file,
AXI4-Lite by cocotbext-axi, and a model of the costs in twenty lines. Begin with `decisions` for
tests of your own."""

import os
import pathlib
import random
import xml.etree.ElementTree

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiProt, AxiResp

SVD = pathlib.Path(os.environ["PLATTER_RTL"]) / "ip" / "platter_sched.svd"
PRIVILEGED, SECURE = (
    os.environ.get(name, "0") == "1" for name in ("PrivilegedWrites", "SecureWrites")
)
ALLOWED = AxiProt.PRIVILEGED  # privileged and secure
PARTS = {
    "AGE_CAP": 1,
    "AGE_SCALE": 1,
    "DEFER": 1,
    "AHEAD": 2,
    "AHEAD_SHARE": 2,
    "E_LIMIT": 4,
    "GRACE": 4,
    "E_REST": 8,
}  # of optional parts


def registers():
    """{name: {offset, access, reset, mask, fields: {name: (lsb, width)}}} of the SVD file."""
    found = {}
    for node in xml.etree.ElementTree.parse(SVD).iter("register"):
        text = {child.tag: child.text for child in node}
        fields = {
            f.findtext("name"): (int(f.findtext("bitOffset")), int(f.findtext("bitWidth")))
            for f in node.iter("field")
        }
        found[text["name"]] = {
            "offset": int(text["addressOffset"], 0),
            "access": text["access"],
            "reset": int(text["resetValue"], 0),
            "mask": int(text["resetMask"], 0),
            "fields": fields or {"VALUE": (0, 32)},
        }
    return found


class Sched:
    """The design, its bus, and its registers by name."""

    def __init__(self, dut):
        self.dut = dut
        self.map = registers()
        self.master = AxiLiteMaster(
            AxiLiteBus.from_prefix(dut, "s_axi"), dut.aclk, dut.aresetn, reset_active_level=False
        )
        for part in (self.master, self.master.write_if, self.master.read_if):
            if hasattr(part, "log"):
                part.log.setLevel("WARNING")

    async def start(self):
        self.dut.aresetn.value = 0
        self.dut.scan_en.value = 0
        cocotb.start_soon(Clock(self.dut.aclk, 10, "ns").start())
        for _ in range(4):
            await RisingEdge(self.dut.aclk)
        await FallingEdge(self.dut.aclk)
        self.dut.aresetn.value = 1
        params = await self.read("PARAMS")
        self.entries, self.lanes, self.angle_w, self.cyl_w, self.seg_m, self.seg_w = (
            self.get("PARAMS", field, params)
            for field in ("ENTRIES", "LANES", "ANGLE_W", "CYL_W", "SEG_M", "SEG_W")
        )
        return self

    def put(self, register, **fields):
        """The value of a register from those of its fields."""
        value = 0
        for name, bits in fields.items():
            lsb, width = self.map[register]["fields"][name]
            value |= (bits & (1 << width) - 1) << lsb
        return value

    def get(self, register, field, value):
        lsb, width = self.map[register]["fields"][field]
        return value >> lsb & (1 << width) - 1

    async def try_write(self, address, value, prot=ALLOWED):
        return (
            await self.master.write(address, (value & 0xFFFFFFFF).to_bytes(4, "little"), prot=prot)
        ).resp

    async def try_read(self, address):
        answer = await self.master.read(address, 4)
        return answer.resp, int.from_bytes(answer.data, "little")

    async def write(self, register, value=None, **fields):
        resp = await self.try_write(
            self.map[register]["offset"], self.put(register, **fields) if value is None else value
        )
        assert resp == AxiResp.OKAY, f"the write to {register} was refused"

    async def read(self, register):
        resp, value = await self.try_read(self.map[register]["offset"])
        assert resp == AxiResp.OKAY, f"the read of {register} was refused"
        return value

    async def decide(self):
        """The tag and its key, or nothing; ends by the interrupt."""
        await self.write("CLEAR", DONE=1)
        await self.write("CTRL", IRQ_EN=1)
        await self.write("OP", CODE=0)
        while not int(self.dut.irq.value):
            await RisingEdge(self.dut.aclk)
        result, key = await self.read("RESULT"), await self.read("RESULT_KEY")
        if not self.get("RESULT", "VALID", result):
            return None
        return self.get("RESULT", "TAG", result), key - (key >> 31 << 32)


def test(function):
    async def run(dut):
        await with_timeout(function(await Sched(dut).start()), 2, "ms")

    run.__name__ = run.__qualname__ = function.__name__
    run.__doc__ = function.__doc__
    run.__module__ = function.__module__
    return cocotb.test()(run)


@test
async def after_reset(sched):
    """Every register is where the SVD file has it, with its value after reset and its access;
    other addresses are refused."""
    for name, register in sched.map.items():
        resp, value = await sched.try_read(register["offset"])
        if register["access"] == "write-only":
            assert resp == AxiResp.SLVERR, name
        else:
            assert resp == AxiResp.OKAY, name
            assert value & register["mask"] == register["reset"] & register["mask"], (
                f"{name} is {value:#x}"
            )
        if register["access"] == "read-only":
            assert await sched.try_write(register["offset"], 0) == AxiResp.SLVERR, name
    known = {register["offset"] for register in sched.map.values()}
    for address in (0x134, 0x200, 0xFFC):
        assert address not in known
        assert (await sched.try_read(address))[0] == AxiResp.SLVERR, hex(address)
        assert await sched.try_write(address, 0) == AxiResp.SLVERR, hex(address)


@test
async def values_are_kept(sched):
    """What is written is read back, in the bits that the fields have;
    nothing of a part that the instance lacks."""
    parts = await sched.read("FEATURES")
    for name, register in sched.map.items():
        if register["access"] != "read-write":
            continue
        bits = sum((1 << width) - 1 << lsb for lsb, width in register["fields"].values())
        await sched.write(name, 0xFFFFFFFF)
        ones = await sched.read(name)
        assert ones & ~bits == 0, f"{name} keeps {ones:#x}"
        there = (
            int(name[4:]) * 32 < sched.entries
            if name.startswith("MASK")
            else PARTS.get(name, parts) & parts == PARTS.get(name, parts)
        )
        assert bool(ones) == there, f"{name} keeps {ones:#x}"
        await sched.write(name, 0)
        assert await sched.read(name) == 0, name


@test
async def protection(sched):
    """A write that lacks a right is refused and changes nothing, at rest and at work; one that has
    it is not; reads always are allowed."""
    kinds = {
        AxiProt.PRIVILEGED: True,
        AxiProt.PRIVILEGED | AxiProt.INSTRUCTION: True,
        AxiProt.PRIVILEGED | AxiProt.NONSECURE: not SECURE,
        AxiProt(0): not PRIVILEGED,
        AxiProt.NONSECURE: not (PRIVILEGED or SECURE),
    }
    margin = sched.map["MARGIN"]["offset"]
    for busy in (False, True):
        for value, (prot, allowed) in enumerate(kinds.items(), 1):
            await sched.write("MARGIN", 100)
            if busy:
                await sched.write("OP", CODE=0)
            resp = await sched.try_write(margin, value, prot)
            assert resp == (AxiResp.OKAY if allowed else AxiResp.SLVERR), f"{prot!r}: {resp!r}"
            assert await sched.read("MARGIN") == (value if allowed else 100), f"{prot!r}"
    # Not even a soft reset, nor writes that come one behind the other.
    clear = sched.map["CLEAR"]["offset"]
    await sched.write("MARGIN", 7)
    events = []
    for value in range(20):
        prot = random.choice(list(kinds))
        events.append(
            (
                prot,
                value,
                sched.master.init_write(
                    margin if value % 4 else clear, (value + 256).to_bytes(4, "little"), prot=prot
                ),
            )
        )
    expected = 7
    for prot, value, event in events:
        await event.wait()
        assert (event.data.resp == AxiResp.OKAY) == kinds[prot], f"{prot!r}"
        if kinds[prot]:
            expected = value + 256 if value % 4 else 0
    assert await sched.read("MARGIN") == expected


@test
async def decisions(sched):
    """Random commands, all of them reads of one block:
    the one reached soonest is picked, of equals the oldest."""
    turn = 1 << sched.angle_w
    cells = (sched.cyl_w - sched.seg_m + 1) << sched.seg_m
    frac_w = sched.cyl_w - 1 - sched.seg_m
    places = (1 << min(frac_w, 9)) - 1
    # The seek table: one line a cell, that begins at 30 ticks a cell and rises to the next.
    await sched.write("SEEK_INDEX", 0)
    await sched.write("SEEK_CELL", 0)
    for cell in range(cells):
        await sched.write("SEEK_BASE", 30 * cell)
        await sched.write("SEEK_DELTA", 30)
        await sched.write("SEEK_LAST", FIRST=places, SECOND=places)
        await sched.write("SEEK_GROUP", SEGMENT=cell, THIRD=places)
    overhead, margin, head_switch = 11, 5, 50
    await sched.write("OVERHEAD_RR", overhead)
    await sched.write("MARGIN", margin)
    await sched.write("HEAD_SWITCH", head_switch)

    def seek(distance):
        if distance < 1 << sched.seg_m:
            return 30 * distance
        below = distance.bit_length() - 1 - sched.seg_m
        cell = (below << sched.seg_m) + (distance >> below)
        frac = (distance & (1 << below) - 1) << (frac_w - below)
        return 30 * cell + (30 * frac >> frac_w)

    def cost(command, cylinder, head, time):
        position = max(seek(abs(command[0] - cylinder)), head_switch if command[1] != head else 0)
        t = overhead + position
        wait = (command[2] - time - t) % turn
        return t + wait + (turn if wait < margin else 0)

    table, cylinder, head, time, picked = {}, 0, 0, 0, 0
    for _ in range(60):
        for tag in random.sample(range(sched.entries), random.randrange(sched.entries)):
            if tag not in table:
                command = (
                    random.randrange(1 << sched.cyl_w),
                    random.randrange(2),
                    random.randrange(16) * turn // 16,
                )
                table[tag] = command  # a dictionary keeps the order of insertion
                await sched.write("E_POS", CYL=command[0], HEAD=command[1])
                await sched.write("E_ANGLE", command[2])
                await sched.write("E_END_POS", CYL=command[0], HEAD=command[1])
                await sched.write("INSERT", tag)
        time += random.randrange(turn)
        await sched.write("HEAD_TIME", time)
        found = await sched.decide()
        costs = {tag: cost(command, cylinder, head, time) for tag, command in table.items()}
        assert found == (
            min(((tag, ticks) for tag, ticks in costs.items()), key=lambda pair: pair[1])
            if table
            else None
        ), f"{found}, costs {costs}"
        assert await sched.read("CYCLES") == sched.entries // sched.lanes + 12
        if found:
            picked += 1
            await sched.write("SERVE", found[0])
            cylinder, head, _ = table.pop(found[0])
    assert picked > 30
