# SPDX-License-Identifier: Apache-2.0
"""A driver's use of an AHCI adapter, step by step:
what its registers and frames say after each step."""

import struct

from adapters import patiently

CAP, GHC, IS, PI, VS = 0x00, 0x04, 0x08, 0x0C, 0x10
PORT = 0x100
CLB, CLBU, FB, FBU, PXIS, PXIE, CMD, TFD, SIG, SSTS, SCTL, SERR, SACT, CI = (
    0x00,
    0x04,
    0x08,
    0x0C,
    0x10,
    0x14,
    0x18,
    0x20,
    0x24,
    0x28,
    0x2C,
    0x30,
    0x34,
    0x38,
)
NAMES = {
    CMD: "PxCMD",
    TFD: "PxTFD",
    SIG: "PxSIG",
    SSTS: "PxSSTS",
    SCTL: "PxSCTL",
    SERR: "PxSERR",
    PXIS: "PxIS",
    PXIE: "PxIE",
    SACT: "PxSACT",
    CI: "PxCI",
}
LIST, RECEIVED, TABLES, DATA = 0x1000, 0x2000, 0x10000, 0x100000
STRIDE = 0x10000  # of a slot's data
ST, FRE = 1, 0x10


def frame(command, lba=0, count=0, features=0, device=0x40):
    """A register FIS with a command (Serial ATA 3.x, 10.5.5)."""
    low, high = lba & 0xFF_FFFF, lba >> 24
    return (
        struct.pack("<BBBB", 0x27, 0x80, command, features & 0xFF)
        + low.to_bytes(3, "little")
        + bytes([device])
        + high.to_bytes(3, "little")
        + bytes([features >> 8])
        + struct.pack("<HBB4x", count, 0, 0)
    )


def queued(write, lba, sectors, tag, fua=False):
    return frame(0x61 if write else 0x60, lba, tag << 3, sectors, 0xC0 if fua else 0x40)


class Driver:
    """Port 0 of an adapter; `said` has what was seen, by step and item."""

    def __init__(self, adapter):
        self.a = adapter
        self.said = {}

    def port(self, register):
        return self.a.read(PORT + register)

    def set_port(self, register, value):
        self.a.write(PORT + register, value)

    def see(self, step, **items):
        self.said.update({f"{step}: {name}": value for name, value in items.items()})

    def see_port(self, step, *registers):
        self.see(step, **{NAMES[register]: self.port(register) for register in registers})

    def start(self):
        for register, value in (
            (CLB, LIST),
            (CLBU, 0),
            (FB, RECEIVED),
            (FBU, 0),
            (SERR, 0xFFFF_FFFF),
            (CMD, FRE | 6),
        ):
            self.set_port(register, value)
        patiently(lambda: self.port(TFD) & 0x88 == 0)
        self.set_port(CMD, ST | FRE | 6)
        self.set_port(SERR, 0xFFFF_FFFF)
        self.set_port(PXIS, 0xFFFF_FFFF)
        self.a.write(IS, 0xFFFF_FFFF)

    def restart(self):
        self.set_port(CMD, FRE | 6)
        self.set_port(CMD, ST | FRE | 6)
        self.set_port(SERR, 0xFFFF_FFFF)
        self.set_port(PXIS, 0xFFFF_FFFF)

    def issue(self, fis, slot=0, size=0, write=False, regions=None, tag=None, control=0):
        """Puts a command into a slot. `tag`: of a queued one."""
        regions = (
            regions if regions is not None else ([(DATA + slot * STRIDE, size)] if size else [])
        )
        table = TABLES + slot * 0x1000
        self.a.put(
            LIST + 32 * slot,
            struct.pack("<HHIQ16x", 5 | (0x40 if write else 0) | control, len(regions), 0, table),
        )
        self.a.put(table, fis)
        for i, (address, length) in enumerate(regions):
            self.a.put(table + 0x80 + 16 * i, struct.pack("<QII", address, 0, length - 1))
        if tag is not None:
            self.set_port(SACT, 1 << tag)
        self.set_port(CI, 1 << slot)

    def ended(self, slot=0, tag=None):
        return patiently(
            lambda: (
                self.port(PXIS) & 0x4000_0000
                or (
                    not self.port(CI) >> slot & 1
                    and (tag is None or not self.port(SACT) >> tag & 1)
                )
            ),
            5,
        )

    def run(self, step, fis, received=0x40, length=20, **options):
        """Issues a command, waits for its end, and sees status,
        events and the frame that the adapter has received."""
        self.set_port(PXIS, 0xFFFF_FFFF)
        self.a.put(RECEIVED, bytes(0x100))
        self.issue(fis, **options)
        self.ended(options.get("slot", 0), options.get("tag"))
        self.see_port(step, TFD, PXIS, CI, SACT)
        slot = options.get("slot", 0)
        self.see(
            step,
            frame=self.a.get(RECEIVED + received, length).hex(" "),
            PRDBC=struct.unpack("<I", self.a.get(LIST + 32 * slot + 4, 4))[0],
        )

    def data(self, size, slot=0):
        return self.a.get(DATA + slot * STRIDE, size)

    def words(self):
        return struct.unpack("<256H", self.data(512))


def play(adapter, sectors):
    """The script. `sectors`: capacity of the disk. Returns what was seen."""
    d = Driver(adapter)
    a = adapter
    d.see("power-up", CAP=a.read(CAP), GHC=a.read(GHC), IS=a.read(IS), PI=a.read(PI), VS=a.read(VS))
    d.see_port("power-up", CMD, TFD, SIG, SSTS, SCTL, SERR, PXIS, PXIE, SACT, CI)
    a.write(GHC, 0x8000_0001)
    patiently(lambda: a.read(GHC) & 1 == 0)
    d.see("HBA reset", GHC=a.read(GHC), IS=a.read(IS))
    a.write(GHC, 0x8000_0000)
    d.see_port("HBA reset", CMD, TFD, SSTS, PXIE, CI)
    d.set_port(CI, 1)
    d.see_port("CI without ST", CI)
    d.start()
    d.see_port("started", CMD, TFD, SIG, SSTS, SERR, PXIS)
    d.set_port(PXIE, 0xFFFF_FFFF)
    d.see_port("PxIE", PXIE)
    d.set_port(PXIE, 0)

    d.run("IDENTIFY", frame(0xEC), received=0x20, size=512)
    w = d.words()
    d.see(
        "IDENTIFY",
        words49=w[49] & 0x0300,
        words83=w[83] & 0x6400,
        depth=w[75],
        ncq=w[76] >> 8 & 1,
        checksum=sum(d.data(512)) & 0xFF,
        capacity=w[100] | w[101] << 16 | w[102] << 32 == sectors,
        rotation=w[217],
    )
    d.run(
        "IDENTIFY in two regions",
        frame(0xEC),
        received=0x20,
        regions=[(DATA, 2), (DATA + 0x1000, 510)],
    )
    d.see(
        "IDENTIFY in two regions",
        parts=a.get(DATA, 2) + a.get(DATA + 0x1000, 510) == struct.pack("<256H", *w),
    )
    d.restart()

    pattern = bytes((7 * i + i // 512) & 0xFF for i in range(4096))

    def write_and_read(step, write, read, lba, **options):
        a.put(DATA, pattern)
        d.run(f"{step}, write", write, size=4096, write=True, **options)
        a.put(DATA, bytes(4096))
        d.run(f"{step}, read", read, size=4096, **options)
        d.see(f"{step}, read", data=d.data(4096) == pattern)

    write_and_read("DMA EXT", frame(0x35, 1000, 8), frame(0x25, 1000, 8), 1000)
    write_and_read("DMA", frame(0xCA, 2000, 8), frame(0xC8, 2000, 8), 2000)
    write_and_read("PIO EXT", frame(0x34, 3000, 8), frame(0x24, 3000, 8), 3000, received=0x20)
    write_and_read("PIO", frame(0x30, 4000, 8), frame(0x20, 4000, 8), 4000, received=0x20)
    d.restart()
    a.put(DATA + 3 * STRIDE, pattern)
    d.run(
        "NCQ write in slot 3",
        queued(True, 5000, 8, 3),
        slot=3,
        tag=3,
        size=4096,
        write=True,
        received=0x58,
        length=8,
    )
    d.run(
        "NCQ write FUA in slot 3",
        queued(True, 5000, 8, 3, True),
        slot=3,
        tag=3,
        size=4096,
        write=True,
        received=0x58,
        length=8,
    )
    a.put(DATA + 3 * STRIDE, bytes(4096))
    d.run(
        "NCQ read in slot 3",
        queued(False, 5000, 8, 3),
        slot=3,
        tag=3,
        size=4096,
        received=0x58,
        length=8,
    )
    d.see("NCQ read in slot 3", data=d.data(4096, 3) == pattern)

    for slot in range(32):  # a full queue
        a.put(DATA + slot * STRIDE, pattern[slot:] + pattern[:slot])
        d.issue(
            queued(True, 10000 + 100 * (slot * 7 % 32), 8, slot),
            slot=slot,
            tag=slot,
            size=4096,
            write=True,
        )
    full = patiently(lambda: d.port(SACT) == 0)
    for slot in range(32):
        a.put(DATA + slot * STRIDE, bytes(4096))
        d.issue(
            queued(False, 10000 + 100 * (slot * 7 % 32), 8, slot), slot=slot, tag=slot, size=4096
        )
    full = patiently(lambda: d.port(SACT) == 0) and full
    d.see(
        "32 queued",
        ended=full,
        data=all(d.data(4096, slot) == pattern[slot:] + pattern[:slot] for slot in range(32)),
    )
    d.see_port("32 queued", TFD, CI, SACT)
    d.restart()

    for name, fis in (
        ("FLUSH CACHE", frame(0xE7)),
        ("FLUSH CACHE EXT", frame(0xEA)),
        ("READ VERIFY EXT", frame(0x42, 0, 8)),
        ("SET FEATURES, write cache off", frame(0xEF, features=0x82)),
        ("SET FEATURES, write cache on", frame(0xEF, features=0x02)),
        ("SET FEATURES, look-ahead off", frame(0xEF, features=0x55)),
        ("SET FEATURES, look-ahead on", frame(0xEF, features=0xAA)),
        ("SET FEATURES, UDMA 5", frame(0xEF, count=0x45, features=0x03)),
        ("CHECK POWER MODE", frame(0xE5)),
        ("IDLE IMMEDIATE", frame(0xE1)),
        ("SMART RETURN STATUS", frame(0xB0, 0xC24F00, features=0xDA)),
    ):
        d.run(name, fis)
    for name, fis in (
        ("IDENTIFY PACKET DEVICE", frame(0xA1)),
        ("NOP", frame(0x00)),
        ("an unknown command", frame(0xFF)),
        ("SET FEATURES, unknown", frame(0xEF, features=0x77)),
        ("READ DMA EXT past the end", frame(0x25, sectors, 1)),
        ("READ DMA EXT across the end", frame(0x25, sectors - 1, 2)),
        ("WRITE DMA EXT past the end", frame(0x35, sectors, 1)),
    ):
        d.run(name, fis, size=512 if "DMA" in name else 0, write="WRITE" in name)
        d.restart()
        d.see_port(f"{name}, restarted", CI, SACT, PXIS)

    d.run(
        "NCQ past the end",
        queued(False, sectors, 8, 5),
        slot=5,
        tag=5,
        size=4096,
        received=0x58,
        length=8,
    )
    d.restart()
    d.see_port("NCQ past the end, restarted", CI, SACT, TFD)
    d.run("log 10h", frame(0x2F, 0x10, 1), received=0x20, size=512)
    page = d.data(512)
    d.see("log 10h", tag=page[0], status=page[2], error=page[3], checksum=sum(page) & 0xFF)
    d.restart()
    d.run(
        "after the error", queued(False, 0, 8, 5), slot=5, tag=5, size=4096, received=0x58, length=8
    )

    d.set_port(SCTL, 0x301)
    d.see_port("COMRESET begun", SSTS)
    d.set_port(CMD, FRE | 6)
    d.set_port(SCTL, 0x300)
    patiently(lambda: d.port(SSTS) & 0xF == 3 and d.port(TFD) & 0x88 == 0)
    d.see_port("COMRESET ended", SSTS, SIG, TFD, SERR)
    d.start()
    d.run("after COMRESET", frame(0xEC), received=0x20, size=512)

    soft = bytearray(frame(0))
    soft[1], soft[15] = 0, 4
    d.issue(bytes(soft), control=0x500)
    patiently(lambda: d.port(CI) & 1 == 0)
    soft[15] = 0
    d.issue(bytes(soft))
    patiently(lambda: d.port(CI) & 1 == 0)
    patiently(lambda: d.port(TFD) & 0x88 == 0)
    d.see_port("soft reset", TFD, SIG, CI)
    d.restart()
    d.run(
        "after the soft reset",
        queued(False, 0, 8, 1),
        slot=1,
        tag=1,
        size=4096,
        received=0x58,
        length=8,
    )
    return d.said
