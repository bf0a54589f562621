# SPDX-License-Identifier: Apache-2.0
"""Tests of the accelerator's bus by cocotbext-axi's AXI4-Lite master, which queues accesses and
pauses every channel. What is expected comes from contract.py."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiLiteReadBus, AxiLiteWriteBus, AxiResp
from cocotbext.axi.axil_channels import (
    AxiLiteARBus,
    AxiLiteAWBus,
    AxiLiteBBus,
    AxiLiteRBus,
    AxiLiteWBus,
)
from contract import ACCESS, LIMITS, LOOK_AHEAD, NAME, OFFSET, UNKNOWN, Contract
from run import PARAMETERS

SOFT_RESET, CLEAR_ALL = 0x100, 7
READABLE = [offset for name, offset in OFFSET.items() if ACCESS[name] != "wo"]
TIMEOUT_US = 2_000  # of simulated time, for one test: none takes a fourth of it


def channel(kind, dut):
    """A bus of cocotbext-axi at ports that end in _i and _o."""

    def ports(names):
        return {
            name: name + end
            for name in names
            for end in ("_i", "_o")
            if hasattr(dut, f"s_axil_{name}{end}")
        }

    return type(
        kind.__name__,
        (kind,),
        {"_signals": ports(kind._signals), "_optional_signals": ports(kind._optional_signals)},
    )(dut, "s_axil")


class Bench:
    """The design out of reset, the master, and what is expected of it."""

    def __init__(self, dut, seed):
        self.dut = dut
        self.random = random.Random(f"{os.environ.get('PLATTER_RTL_SEED', '1')} {seed}")
        self.expected = Contract(PARAMETERS)

    async def start(self):
        dut = self.dut
        dut.rst_ni.value = 0
        for name in ("awaddr", "wdata", "wstrb", "araddr"):
            getattr(dut, f"s_axil_{name}_i").value = 0
        bus = AxiLiteBus(
            AxiLiteWriteBus(
                channel(AxiLiteAWBus, dut), channel(AxiLiteWBus, dut), channel(AxiLiteBBus, dut)
            ),
            AxiLiteReadBus(channel(AxiLiteARBus, dut), channel(AxiLiteRBus, dut)),
        )
        self.master = AxiLiteMaster(bus, dut.clk_i, dut.rst_ni, reset_active_level=False)
        for part in (self.master, self.master.write_if, self.master.read_if):
            if hasattr(part, "log"):
                part.log.setLevel("ERROR")
        writes, reads = self.master.write_if, self.master.read_if
        self.channels = {
            "aw": writes.aw_channel,
            "w": writes.w_channel,
            "b": writes.b_channel,
            "ar": reads.ar_channel,
            "r": reads.r_channel,
        }
        for one in self.channels.values():
            one.log.setLevel("ERROR")
        cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
        cocotb.start_soon(self.watch())
        await self.cycles(3)
        await self.release()

    async def release(self):
        await RisingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1
        await self.cycles(1)

    async def cycles(self, count):
        for _ in range(count):
            await RisingEdge(self.dut.clk_i)

    async def watch(self):
        """A response that is not taken stays as it is, unless a reset takes it back;
        none comes that was not asked for."""
        dut = self.dut
        ports = {
            "b": (dut.s_axil_bvalid_o, dut.s_axil_bready_i, (dut.s_axil_bresp_o,)),
            "r": (
                dut.s_axil_rvalid_o,
                dut.s_axil_rready_i,
                (dut.s_axil_rdata_o, dut.s_axil_rresp_o),
            ),
        }
        waiting = dict.fromkeys(ports)
        while True:
            await FallingEdge(dut.clk_i)
            for name, (valid, ready, payload) in ports.items():
                now = [int(port.value) for port in payload] if int(valid.value) else None
                assert waiting[name] is None or now == waiting[name], (
                    f"the response at {name} was {waiting[name]} and is {now}"
                )
                waiting[name] = (
                    now
                    if now is not None and not int(ready.value) and int(dut.rst_ni.value)
                    else None
                )

    def pause(self, percent):
        """Each channel of its own at random; None: no pauses."""

        def pauses(source):
            while True:
                yield source.randrange(100) < percent

        for one in self.channels.values():
            source = random.Random(self.random.random())
            one.set_pause_generator(pauses(source) if percent else None)
            one.pause = False

    # ------------------------------------------------------------------------------------- accesses

    def post(self, address, data, length=4, offset=0):
        """Queues a write of `length` bytes from byte `offset` of the word on; a function that
        awaits its answer and compares it."""
        strobe = ((1 << length) - 1) << offset & 0xF
        okay = self.expected.write(address + offset, data, strobe)
        event = self.master.init_write(
            address + offset, (data & 0xFFFFFFFF).to_bytes(4, "little")[offset : offset + length]
        )

        async def answer():
            await event.wait()
            assert (event.data.resp == AxiResp.OKAY) == okay, (
                f"write of {data:#x} to {NAME.get(address, hex(address))}: {event.data.resp}"
            )
            assert event.data.resp in (AxiResp.OKAY, AxiResp.SLVERR)

        return answer

    async def write(self, address, data):
        await self.post(OFFSET.get(address, address), data)()

    async def write_all(self, writes):
        """Queued one behind the other."""
        for answer in [self.post(OFFSET.get(address, address), data) for address, data in writes]:
            await answer()

    def ask(self, address):
        """Queues a read; a function that awaits its answer and compares it with what is expected
        now."""
        expected = self.expected.read(address)
        event = self.master.init_read(address, 4)

        async def answer():
            await event.wait()
            data = int.from_bytes(event.data.data, "little")
            text = (
                f"read of {NAME.get(address, hex(address))}: {event.data.resp.name} {data:#x}, "
                f"expected {expected}"
            )
            assert event.data.resp == (AxiResp.SLVERR if expected is None else AxiResp.OKAY), text
            assert expected is None or expected is UNKNOWN or data == expected, (
                text + f" ({expected:#x})"
            )

        return answer

    async def idle(self):
        while int(self.dut.busy_o.value):
            await RisingEdge(self.dut.clk_i)
        await RisingEdge(self.dut.clk_i)

    async def check(self, addresses=READABLE):
        """At rest: reads queued behind each other."""
        await self.idle()
        for answer in [self.ask(address) for address in addresses]:
            await answer()

    async def raw(self, address, data, strobe, okay):
        """A write with any strobe, the master's own queues being empty."""
        aw, w = self.channels["aw"], self.channels["w"]
        await aw.send(aw._transaction_obj(awaddr=address))
        await w.send(w._transaction_obj(wdata=data, wstrb=strobe))
        response = await self.channels["b"].recv()
        assert (int(response.bresp) == AxiResp.OKAY) == okay, f"strobe {strobe:04b} to {address:#x}"

    # -------------------------------------------------------------------------------------- stimuli

    def bits(self, width):
        return self.random.getrandbits(width)

    def staging(self):
        e = self.expected
        few = self.random.random() < 0.3
        angle = self.bits(2) * 7 if few else self.bits(e.angle_w)
        deadline = e.value["HEAD_TIME"] + self.random.choice((1, 16, 256)) * self.random.randrange(
            e.turn
        )
        limit = (e.value["HEAD_TIME"] + self.random.randrange(-e.turn, 6 * e.turn)) & e.sum_limit
        return [
            (
                "E_POS",
                self.bits(e.cyl_w)
                | self.bits(1) << 21
                | self.bits(1) << 27
                | self.bits(2) << 28
                | self.random.choice((0, 0, 0, 1, 2, 3)) << 30,
            ),
            ("E_ANGLE", angle),
            ("E_LIMIT", limit),
            ("E_REST", self.random.choice((0, self.bits(e.angle_w)))),
            ("E_END_POS", self.bits(e.cyl_w) | self.bits(2) << 21),
            ("E_END_ANGLE", self.bits(e.angle_w)),
            ("E_TRANSFER", self.random.randrange(e.turn)),
            ("E_DEADLINE", deadline),
            ("E_AGE", self.bits(e.angle_w + 2)),
        ]

    def configuration(self):
        e = self.expected
        times = (
            "HEAD_SWITCH",
            "WRITE_SETTLE",
            "OVERHEAD_RR",
            "OVERHEAD_RW",
            "OVERHEAD_WR",
            "OVERHEAD_WW",
            "DELAY",
        )
        writes = [(name, self.random.randrange(e.turn // 4)) for name in times]
        writes += [
            ("MARGIN", self.random.randrange(64)),
            ("RISK", self.random.randrange(512)),
            ("RISK_CHARGE", self.bits(e.angle_w)),
        ]
        writes += [
            ("DEFER", self.random.randrange(e.turn)),
            ("GRACE", self.random.randrange(4 * e.turn)),
            ("AGE_CAP", self.bits(e.angle_w)),
            ("AGE_SCALE", self.random.choice((0, 64, self.bits(9)))),
            ("AHEAD", self.random.choice((0, 1, 3, 5, 511)) | self.bits(3) << 16),
            ("AHEAD_SHARE", self.random.choice((self.bits(32), 0x40404040, 0xFFFFFFFF))),
        ]
        return self.random.sample(writes, len(writes))

    def head(self):
        e = self.expected
        return [
            ("HEAD_POS", self.bits(e.cyl_w) | self.bits(1) << 21 | self.bits(1) << 27),
            ("HEAD_TIME", self.bits(e.sum_w)),
            ("AGE_NOW", self.bits(e.angle_w + 2)),
            ("RESERVE", self.random.choice((0, self.random.randrange(8 * e.turn)))),
        ]

    async def load_seek_table(self):
        """Anything at all: every segment and cell is some number."""
        e = self.expected
        writes = [("SEEK_INDEX", 0), ("SEEK_CELL", 0)]
        for _ in e.segments:
            writes += [
                ("SEEK_BASE", self.random.randrange(-e.turn // 4, 3 * e.turn)),
                ("SEEK_DELTA", self.random.randrange(-e.turn, e.turn)),
            ]
        for _ in e.cell:
            writes += [
                ("SEEK_LAST", self.bits(e.place_w) | self.bits(e.place_w) << 16),
                ("SEEK_GROUP", self.bits(e.seg_w) | self.bits(e.place_w) << 16),
            ]
        await self.write_all(writes)


def test(function):
    async def run(dut):
        bench = Bench(dut, function.__name__)
        await bench.start()
        await with_timeout(function(bench), TIMEOUT_US, "us")

    run.__name__ = run.__qualname__ = function.__name__
    run.__doc__ = function.__doc__
    run.__module__ = function.__module__
    return cocotb.test()(run)


@test
async def register_map(bench):
    """Values after reset; what each register keeps; which accesses are refused; with queued
    accesses and without pauses."""
    await bench.check()
    for answer in [
        bench.ask(address)
        for address in (
            *range(0, 0x200, 3),
            0x134,
            0xFFC,
            0x200,
            *(OFFSET[n] for n in OFFSET if ACCESS[n] == "wo"),
        )
    ]:
        await answer()
    for pattern in (0xFFFFFFFF, 0xA5A5A5A5, 0x5A5A5A5A):
        await bench.write_all([(name, pattern) for name in OFFSET if ACCESS[name] == "rw"])
        await bench.check()
    for answer in [
        bench.post(offset, 0xFFFFFFFF)
        for offset in [OFFSET[n] for n in OFFSET if ACCESS[n] == "ro"] + [0x01C, 0x134, 0xFFC]
    ]:
        await answer()
    for answer in [
        bench.post(offset, 0xFFFFFFFF, length, at)
        for offset in OFFSET.values()
        for length in (1, 2, 3)
        for at in range(5 - length)
    ]:
        await answer()
    await bench.check()
    await bench.write("CLEAR", SOFT_RESET)
    await bench.check()


@test
async def partial_strobes(bench):
    """Every strobe but 1111 at every register that is written, CLEAR with SOFT_RESET among them."""
    await bench.write_all(bench.configuration() + bench.staging() + [("INSERT", 3)])
    for address in [OFFSET[name] for name in OFFSET if ACCESS[name] != "ro"]:
        for strobe in range(15):
            await bench.raw(address, 0xFFFFFFFF, strobe, False)
    await bench.check()


@test
async def queued_with_pauses(bench):
    """Writes queued while reads of other registers are, all channels pausing."""
    constant = [OFFSET[name] for name in ("ID", "VERSION", "PARAMS", "ORDERER", "CLEAR")] + [0x400]
    for percent in (0, 30, 60, 85):
        bench.pause(percent)
        for _ in range(4):
            answers = [
                bench.post(OFFSET[name], data)
                for name, data in bench.configuration() + bench.staging()
            ]
            answers += [bench.ask(bench.random.choice(constant)) for _ in range(12)]
            for answer in answers:
                await answer()
            await bench.check()


@test
async def halves_of_a_write(bench):
    """One channel runs ahead by as much as the design takes; among the writes CLEAR, whole and
    lacking bytes, at rest and at work."""
    for ahead in ("aw", "w"):
        behind = bench.channels["w" if ahead == "aw" else "aw"]
        for busy in (False, True):
            for bits in (SOFT_RESET, CLEAR_ALL):
                for length in (4, 3, 2, 1):
                    for gap in (1, 2, 5):
                        await bench.write_all(
                            bench.configuration() + bench.staging() + [("INSERT", 5), ("INSERT", 5)]
                        )
                        if busy:
                            await bench.write("OP", 1)
                        behind.pause = True
                        # What comes next stands at the channel meanwhile.
                        answers = [
                            bench.post(OFFSET["CLEAR"], bits | bits << 8, length),
                            bench.post(OFFSET["RESERVE"], 77),
                        ]
                        await bench.cycles(gap)
                        await bench.ask(OFFSET["PARAMS"])()
                        behind.pause = False
                        for answer in answers:
                            await answer()
                        # Counters and DONE that are cleared at work tell when;
                        # a soft reset leaves nothing.
                        timed = busy and length == 4 and bits == CLEAR_ALL
                        await bench.check(
                            [OFFSET[name] for name in ("RESERVE", "MARGIN", "NEXT", "MASK0")]
                            if timed
                            else READABLE
                        )
                        await bench.write("CLEAR", SOFT_RESET)


@test
async def resets_in_flight(bench):
    """A reset while accesses are queued, held, answered and not taken; then all is as after
    power-up but for the seek table."""
    await bench.load_seek_table()
    for percent in (0, 30, 60, 85):
        for _ in range(12):
            bench.pause(percent)
            if bench.random.random() < 0.5:  # READY stays low
                bench.channels["b"].set_pause_generator(None)
                bench.channels["r"].set_pause_generator(None)
                bench.channels["b"].pause = bench.channels["r"].pause = True
            for name, data in [
                *bench.staging(),
                ("INSERT", 1),
                ("OP", 1),
                ("RESERVE", 5),
                ("OP", 0),
                ("CTRL", 31),
            ]:
                bench.master.init_write(OFFSET[name], data.to_bytes(4, "little"))
                bench.master.init_read(OFFSET[name], 4)
            await bench.cycles(bench.random.randrange(60))
            bench.dut.rst_ni.value = 0
            await bench.cycles(1 + bench.random.randrange(3))
            await FallingEdge(bench.dut.clk_i)
            for port in (
                bench.dut.s_axil_bvalid_o,
                bench.dut.s_axil_rvalid_o,
                bench.dut.busy_o,
                bench.dut.irq_o,
            ):
                assert int(port.value) == 0, port._name
            bench.pause(0)
            bench.expected.reset()
            await bench.release()
            await bench.check()
    await decide_and_compare(bench, 3)


@test
async def random_traffic(bench):
    """Anything, in queues: commands good and refused, operations, bytes, CLEAR,
    addresses that name nothing."""
    await bench.load_seek_table()
    targets = [offset for name, offset in OFFSET.items() if not name.startswith("SEEK")]
    for _ in range(60):
        bench.pause(bench.random.choice((0, 0, 30, 70)))
        answers = []
        for _ in range(bench.random.randrange(4, 24)):
            kind = bench.random.randrange(100)
            if kind < 30:
                address, data = (
                    OFFSET[bench.random.choice(("INSERT", "INSERT", "REMOVE", "SERVE"))],
                    bench.random.randrange(PARAMETERS["Entries"] + 3),
                )
            elif kind < 40:
                address, data = OFFSET["OP"], bench.bits(32)
            elif kind < 45:
                # Counters and DONE would tell when it came;
                # what is under way has ended behind another write.
                answers.append(bench.post(OFFSET["RESERVE"], bench.bits(32)))
                address, data = OFFSET["CLEAR"], bench.random.choice((2, 7, SOFT_RESET))
            elif kind < 50:
                address, data = (
                    bench.random.choice([word for word in range(0, 0x1000, 4) if word not in NAME]),
                    bench.bits(32),
                )
            else:
                address, data = bench.random.choice(targets), bench.bits(32)
                if NAME[address] == "CLEAR":
                    continue
            length = 4 if kind < 85 else bench.random.randrange(1, 4)
            answers.append(bench.post(address, data, length))
        for answer in answers:
            await answer()
        await bench.check()


async def decide_and_compare(bench, rounds):
    e = bench.expected
    for _ in range(rounds):
        await bench.write_all(bench.configuration() + bench.head())
        for tag in bench.random.sample(range(e.entries), bench.random.randrange(e.entries + 1)):
            if tag not in e.table:
                await bench.write_all([*bench.staging(), ("INSERT", tag)])
        await bench.write_all(
            [
                ("CTRL", bench.bits(7) | 16),
                ("MASK0", bench.bits(32)),
                ("CLEAR", 1),
                ("OP", bench.bits(32) & ~1),
            ]
        )
        while not int(bench.dut.irq_o.value):
            await RisingEdge(bench.dut.clk_i)
        await bench.check()
        await bench.write_all(
            [
                (
                    "CLUSTER",
                    bench.random.choice((0, 1, 2, 4, 511))
                    | bench.bits(5) << 9
                    | bench.bits(1) << 13,
                ),
                ("CLUSTER_FROM", bench.bits(e.cyl_w)),
                ("CLUSTER_SPAN", bench.bits(e.cyl_w)),
                ("OP", 1),
            ]
        )
        await bench.check()
        if e.value["RESULT"] >> 8 & 1:
            await bench.write("SERVE", e.value["RESULT"] & 0xFF)
        for tag in bench.random.sample(sorted(e.table), len(e.table) // 2):
            await bench.write("REMOVE", tag)


@test
async def decisions(bench):
    """Whole decisions and clusters with tables of any content, worked out a second time in Python:
    what is picked, its key, the sweep, who is refused, the mask, the best order, and the cycles of
    each."""
    e = bench.expected
    seen = {"picked": 0, "forced": 0, "refused": 0, "ordered": 0, "key below zero": 0}
    seen |= {"expired": 0} if e.has(LIMITS) else {}
    seen |= (
        {"another by the look-ahead": 0, "ended by the look-ahead's key": 0}
        if e.has(LOOK_AHEAD)
        else {}
    )
    for _ in range(2):
        await bench.load_seek_table()
        for _ in range(40):
            await decide_and_compare(bench, 1)
            seen["forced"] += e.value["RESULT"] >> 9 & 1
            seen["picked"] += e.value["RESULT"] >> 8 == 1
            seen["refused"] += e.value["REFUSED"] > 0
            seen["ordered"] += e.value["CLUSTER_COUNT"] >> 9
            seen["key below zero"] += e.value["RESULT_KEY"] >> 31
            for event in e.events & seen.keys():
                seen[event] += 1
    assert all(seen.values()), f"the stimuli do not reach all: {seen}"
