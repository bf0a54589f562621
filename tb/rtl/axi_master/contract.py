# SPDX-License-Identifier: Apache-2.0
"""The scheduling accelerator as docs/reference/scheduler_accelerator.md describes it, for accesses
one after the other: addresses and fields from rtl/registers.toml, all else as on the page. It
shares no code with the golden model, the reference model or the RTL. Bits that an instance holds,
optional parts and cycles are written here by hand on purpose, although the description has them: an
error in it must show as a difference."""

import itertools
import pathlib
import tomllib

REGISTERS = pathlib.Path(__file__).resolve().parent.parent.parent.parent / "rtl" / "registers.toml"
DOCUMENT = tomllib.loads(REGISTERS.read_text(encoding="utf-8"))
OFFSET = {register["name"]: register["offset"] for register in DOCUMENT["register"]}
ACCESS = {
    register["name"]: {"constant": "ro", "status": "ro", "command": "wo"}.get(
        register["kind"], "rw"
    )
    for register in DOCUMENT["register"]
}
NAME = {offset: name for name, offset in OFFSET.items()}
# orderer of docs/reference/scheduler_accelerator.md
ORDER_CYCLES = {1: 9, 2: 12, 3: 24, 4: 40, 5: 64, 6: 104}

SUMS_STALE = {
    "CTRL",
    "MARGIN",
    "RISK",
    "HEAD_SWITCH",
    "WRITE_SETTLE",
    "OVERHEAD_RR",
    "OVERHEAD_RW",
    "OVERHEAD_WR",
    "OVERHEAD_WW",
    "DELAY",
    "SEEK_DELTA",
    "SEEK_GROUP",
}
COUNTERS = ("DECISIONS", "BUSY_CYCLES", "REFUSED_COUNT", "FORCED_COUNT")
# What is there with each optional part only: registers, or fields of them.
AGEING, LOOK_AHEAD, LIMITS, ZERO_LATENCY = 1, 2, 4, 8
PART = {
    "AGE_CAP": AGEING,
    "AGE_SCALE": AGEING,
    "DEFER": AGEING,
    "CTRL.DEFER_C": AGEING,
    "AHEAD": LOOK_AHEAD,
    "AHEAD_SHARE": LOOK_AHEAD,
    "E_LIMIT": LIMITS,
    "E_POS.LIMIT": LIMITS,
    "GRACE": LIMITS,
    "E_REST": ZERO_LATENCY,
    "CTRL.REST_COST": ZERO_LATENCY,
}
UNKNOWN = object()  # depends on when the accesses came


def signed(value, width):
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


class Contract:
    def __init__(self, parameters):
        self.entries, self.lanes, self.order_m = (
            parameters["Entries"],
            parameters["Lanes"],
            parameters["OrderM"],
        )
        self.angle_w, self.cyl_w = parameters["AngleW"], parameters["CylW"]
        self.seg_m, self.seg_w, self.seq_w = (
            parameters["SegM"],
            parameters["SegW"],
            parameters["SeqW"],
        )
        self.features = parameters["Features"]
        self.time_w, self.sum_w = self.angle_w + 4, self.angle_w + 12
        self.frac_w = self.cyl_w - 1 - self.seg_m
        self.place_w = min(self.frac_w, 9)
        self.base_w, self.delta_w = self.time_w + 2, self.time_w - 2
        self.cells = (self.cyl_w - self.seg_m + 1) << self.seg_m
        self.rows = self.entries // self.lanes
        self.turn, self.time_limit, self.sum_limit = (
            1 << self.angle_w,
            (1 << self.time_w) - 1,
            (1 << self.sum_w) - 1,
        )
        self.segments = [(0, 0)] * (1 << self.seg_w)  # base, delta
        self.cell = [(0, (0, 0, 0))] * self.cells  # group, last places
        self.kept = {
            register["name"]: self.kept_bits(register) for register in DOCUMENT["register"]
        }
        self.reset()

    def kept_bits(self, register):
        """The bits of a register that are stored."""
        name = register["name"]
        if name.startswith("MASK"):
            return ((1 << self.entries) - 1) >> 32 * int(name[4:]) & 0xFFFFFFFF
        widths = {"CYL": self.cyl_w, "FIRST": self.place_w, "SECOND": self.place_w}
        if name in ("MARGIN", "RISK", "RISK_CHARGE", "E_ANGLE", "E_END_ANGLE", "E_REST"):
            widths["TICKS"] = self.angle_w
        elif name in (
            "HEAD_TIME",
            "RESERVE",
            "AGE_NOW",
            "E_TRANSFER",
            "E_DEADLINE",
            "E_AGE",
            "E_LIMIT",
            "GRACE",
        ):
            widths["TICKS"] = self.sum_w
        elif name == "DEFER":
            widths["TICKS"] = self.time_w - 1
        elif name == "AHEAD_SHARE":
            widths = {}
        elif name == "SEEK_BASE":
            widths["TICKS"] = self.base_w
        else:
            widths["TICKS"] = self.time_w
        return sum(
            ((1 << min(field["width"], widths.get(field["name"], 32))) - 1) << field["lsb"]
            for field in register.get("fields", [])
            if all(self.has(PART.get(place, 0)) for place in (name, f"{name}.{field['name']}"))
        )

    def has(self, part):
        return self.features & part == part

    def reset(self):
        """Hard or soft: the seek table stays."""
        self.value = dict.fromkeys(OFFSET, 0)
        self.value |= {
            "ID": 0x504C5453,
            "VERSION": 4 << 8,
            "PARAMS": self.entries
            | self.lanes << 9
            | self.angle_w << 14
            | self.cyl_w << 19
            | self.seg_m << 24
            | self.seg_w << 27,
            "ORDERER": self.order_m,
            "FEATURES": self.features,
        }
        self.table = {}  # tag: entry
        self.order = []  # tags in the order of the list
        self.next_seq = 0
        self.done = self.error = False
        self.sums_stale, self.debts_stale = True, False
        self.debt = {}
        self.events = set()  # of the last decision, so that a test can see what it reached

    # ------------------------------------------------------------------------------------- accesses

    def field(self, name, field):
        register = next(r for r in DOCUMENT["register"] if r["name"] == name)
        place = next(f for f in register["fields"] if f["name"] == field)
        return self.value[name] >> place["lsb"] & (1 << place["width"]) - 1

    def read(self, address):
        """The data, None for SLVERR."""
        name = NAME.get(address)
        if name is None or ACCESS[name] == "wo":
            return None
        if name == "STATUS":
            return self.done << 1 | self.error << 2 | len(self.table) << 8
        return UNKNOWN if name == "STALL_CYCLES" else self.value[name]

    def write(self, address, data, strobe=0xF):
        """Whether it is answered by OKAY. What it starts has ended when the next access comes."""
        name = NAME.get(address)
        if name is None or ACCESS[name] == "ro" or strobe != 0xF:
            return False
        if name in ("INSERT", "REMOVE", "SERVE"):
            return self.command(name, data & 0xFFFF)
        if name in SUMS_STALE:
            self.sums_stale = True
        if name == "OP":
            self.cluster() if data & 1 else self.decide()
        elif name == "CLEAR":
            self.done = self.done and not data & 1
            self.error = self.error and not data & 2
            if data & 4:
                self.value |= dict.fromkeys(COUNTERS, 0)
            if data >> 8 & 1:
                self.reset()
        elif name == "SEEK_DELTA":
            index = self.value["SEEK_INDEX"]
            if index < len(self.segments):
                self.segments[index] = (
                    signed(self.value["SEEK_BASE"], self.base_w),
                    signed(data, self.delta_w),
                )
            self.value["SEEK_INDEX"] = (index + 1) % 1024
        elif name == "SEEK_GROUP":
            index, places = self.value["SEEK_CELL"], (1 << self.place_w) - 1
            if index < self.cells:
                lasts = (
                    self.field("SEEK_LAST", "FIRST"),
                    self.field("SEEK_LAST", "SECOND"),
                    data >> 16 & places,
                )
                self.cell[index] = (data & (1 << self.seg_w) - 1, lasts)
            self.value["SEEK_CELL"] = (index + 1) % 1024
        else:
            self.value[name] = data & self.kept[name]
        return True

    def busy(self, cycles):
        self.value["BUSY_CYCLES"] += cycles

    def command(self, name, tag):
        if tag >= self.entries or (tag in self.table) == (name == "INSERT"):
            self.error = True
            return False
        if name == "INSERT":
            entry = {
                "cyl": self.field("E_POS", "CYL"),
                "head": self.field("E_POS", "HEAD"),
                "write": self.field("E_POS", "WRITE"),
                "continuous": self.field("E_POS", "CLASS") == 1,
                "angle": self.value["E_ANGLE"],
                "end": (
                    self.field("E_END_POS", "CYL"),
                    self.field("E_END_POS", "HEAD"),
                    self.value["E_END_ANGLE"],
                ),
                "transfer": self.value["E_TRANSFER"],
                "deadline": self.value["E_DEADLINE"],
                "age": self.value["E_AGE"],
                "kind": self.field("E_POS", "LIMIT"),
                "limit": self.value["E_LIMIT"],
                "rest": self.value["E_REST"],
                "seq": self.next_seq,
            }
            self.next_seq = (self.next_seq + 1) % (1 << self.seq_w)
            higher = sum(other["cyl"] > entry["cyl"] for other in self.table.values())
            self.table[tag] = entry
            self.order.insert(len(self.order) - higher, tag)
            self.busy(higher + 2)
            self.debts_stale |= self.value["NEXT"] >> 8 & 1 == 1
        else:
            self.busy(len(self.order) + 1)
            entry = self.table.pop(tag)
            self.order.remove(tag)
            if name == "SERVE":
                self.value["HEAD_POS"] = (
                    entry["end"][0] | entry["end"][1] << 21 | entry["write"] << 27
                )
        self.sums_stale |= entry["continuous"]
        return True

    # ----------------------------------------------------------------------------------------- hops

    def sat(self, value):
        return min(max(value, 0), self.time_limit)

    def seek(self, distance):
        if distance < 1 << self.seg_m:
            cell, frac = distance, 0
        else:
            k = distance.bit_length() - 1
            below = k - self.seg_m
            mantissa = (distance >> below) & (1 << self.seg_m) - 1
            cell = (below + 1) * (1 << self.seg_m) + mantissa
            frac = (distance & (1 << below) - 1) << (self.frac_w - below)
        place = frac >> (self.frac_w - self.place_w)
        group, lasts = self.cell[cell]
        base, delta = self.segments[group | sum(place > last for last in lasts)]
        return self.sat(base + (delta * frac >> self.frac_w))

    def overhead(self, write, after_write):
        return self.value["OVERHEAD_" + "RW"[write] + "RW"[after_write]]

    def hop(self, start, entry, overhead, rest=0):
        """(cost, worst) from (cylinder, head, angle) to the entry."""
        distance, switch = abs(entry["cyl"] - start[0]), entry["head"] != start[1]
        pos = max(self.seek(distance), self.value["HEAD_SWITCH"] if switch else 0)
        if entry["write"] and (distance or switch):
            pos = self.sat(pos + signed(self.value["WRITE_SETTLE"], self.time_w))
        t = self.sat(overhead + pos)
        wait = (entry["angle"] - (start[2] + t)) % self.turn
        late = wait < self.value["MARGIN"]
        risky = not late and wait < self.value["RISK"]
        reach = self.sat(t + wait + late * self.turn)
        cost = reach + risky * self.value["RISK_CHARGE"]
        if rest:
            cost = self.sat(t + (wait if wait < rest else self.field("CTRL", "REST_COST") * rest))
        return cost, self.sat(reach + risky * self.turn)

    def from_head(self, tag, rest=0):
        entry = self.table[tag]
        start = (
            self.field("HEAD_POS", "CYL"),
            self.field("HEAD_POS", "HEAD"),
            self.value["HEAD_TIME"] % self.turn,
        )
        return self.hop(
            start, entry, self.overhead(entry["write"], self.field("HEAD_POS", "WRITE")), rest
        )

    def between(self, before, tag):
        before, entry = self.table[before], self.table[tag]
        return self.hop(
            before["end"],
            entry,
            self.sat(self.value["DELAY"] + self.overhead(entry["write"], before["write"])),
        )

    # --------------------------------------------------------------------------------------- DECIDE

    def sweep_order(self):
        sweep = [tag for tag in self.order if self.table[tag]["continuous"]]
        return sweep[::-1] if self.field("CTRL", "SWEEP_DOWN") else sweep

    def work_out_sums(self):
        sweep = self.sweep_order()
        tail = due = 0
        for i, tag in reversed(list(enumerate(sweep))):
            entry = self.table[tag]
            if tag == sweep[-1]:
                tail, due = min(entry["transfer"], self.sum_limit), entry["deadline"]
            else:
                tail = min(
                    entry["transfer"] + self.between(tag, sweep[i + 1])[1] + tail, self.sum_limit
                )
                if (entry["deadline"] - due) & self.sum_limit > self.sum_limit // 2:
                    due = entry["deadline"]
        self.value |= {"SWEEP": tail, "DUE": due, "NEXT": sweep[0] | 1 << 8 if sweep else 0}
        self.sums_stale, self.debts_stale = False, bool(sweep)

    def work_out_debts(self):
        sweep = self.sweep_order()
        part = {tag: entry["transfer"] for tag, entry in self.table.items()}
        for i in range(1, len(sweep)):
            part[sweep[i]] = -self.between(sweep[i - 1], sweep[i])[1]
            if i + 1 < len(sweep):
                part[sweep[i]] += (
                    self.between(sweep[i - 1], sweep[i + 1])[1]
                    - self.between(sweep[i], sweep[i + 1])[1]
                )
        self.debt = {tag: part[tag] + self.between(tag, sweep[0])[1] for tag in self.table}
        self.debts_stale = False

    def decide(self):
        latency = DOCUMENT["decision_latency"]
        guard = self.field("CTRL", "GUARD_EN")
        cycles = self.rows + latency
        if guard and (self.sums_stale or self.debts_stale):
            cycles += 2
            if self.sums_stale:
                self.work_out_sums()
                cycles += len(self.table) + max(len(self.sweep_order()) - 2, 0) + 13
            if self.debts_stale:
                self.work_out_debts()
                cycles += self.rows + latency + 2
        next_valid, next_tag = self.value["NEXT"] >> 8 & 1, self.value["NEXT"] & 0xFF
        active = guard and next_valid
        left = (
            signed(self.value["DUE"] - self.value["HEAD_TIME"], self.sum_w) - self.value["RESERVE"]
        )
        candidates, refused, expired = [], 0, []
        self.events = set()
        for tag, entry in self.table.items():
            is_next = next_valid and tag == next_tag
            if not self.in_mask(tag):
                continue
            cost, worst = self.from_head(tag, entry["rest"])
            to_limit = signed(entry["limit"] - self.value["HEAD_TIME"], self.sum_w)
            missed = worst > to_limit
            if entry["kind"] == 2 and missed:
                expired.append(tag)
                continue
            if active and self.field("CTRL", "NEXT_C_ONLY") and entry["continuous"] and not is_next:
                continue
            if active and worst + self.value["SWEEP"] + (0 if is_next else self.debt[tag]) > left:
                refused += 1
                continue
            due = (entry["kind"] == 1 and missed) or (
                entry["kind"] == 3 and not missed and to_limit < self.value["GRACE"]
            )
            key = cost + (
                self.value["DEFER"]
                if entry["continuous"] and self.field("CTRL", "DEFER_C")
                else -self.aged(entry)
            )
            candidates.append((not due, key, self.age(tag), tag))
        candidates.sort()
        result = key = 0
        if candidates:
            _, key, _, tag = candidates[0]
            if self.looks_ahead():
                key, tag, more = self.look_ahead(candidates)
                cycles += more
                self.events |= {"another by the look-ahead"} if tag != candidates[0][3] else set()
            result = tag | 1 << 8
        else:
            cycles += 2 if self.looks_ahead() else 0
            if active:
                result = next_tag | 3 << 8
                self.value["FORCED_COUNT"] += 1
        self.events |= {"expired"} if expired else set()
        self.value |= {
            "RESULT": result,
            "RESULT_KEY": key & 0xFFFFFFFF,
            "REFUSED": refused,
            "EXPIRED": min(expired) | 1 << 8 if expired else 0,
        }
        self.value["DECISIONS"] += 1
        self.value["REFUSED_COUNT"] += refused
        self.ends(cycles)

    def in_mask(self, tag):
        return (
            not self.field("CTRL", "MASK_EN") or self.value[f"MASK{tag // 32}"] >> tag % 32 & 1 == 1
        )

    def age(self, tag):
        return (self.table[tag]["seq"] - self.next_seq) % (1 << self.seq_w)

    def aged(self, entry):
        waited = (self.value["AGE_NOW"] - entry["age"]) & self.sum_limit
        scale = self.value["AGE_SCALE"]
        return min(
            min(waited, self.value["AGE_CAP"]) * scale >> 6 if scale else waited, self.time_limit
        )

    # ----------------------------------------------------------------------------------- look-ahead

    def looks_ahead(self):
        return self.field("AHEAD", "MOST") > 0 and self.field("AHEAD", "DEPTH") > 0

    def accesses(self, tag):
        """(what they add to the total, searches for them)"""
        shares = [self.value["AHEAD_SHARE"] >> 8 * i & 0xFF for i in range(4)]
        left = {other for other in self.table if self.in_mask(other)} - {tag}
        added = 0
        depth = min(self.field("AHEAD", "DEPTH"), 4)
        for access in range(depth):
            if not left:
                return added, access + 1
            before = self.table[tag]

            def cost(other, before=before):
                return self.hop(
                    before["end"],
                    self.table[other],
                    self.overhead(self.table[other]["write"], before["write"]),
                )[0]

            tag = min(left, key=lambda other: (cost(other), self.age(other), other))
            added += cost(tag) * shares[access] >> 8
            left.remove(tag)
        return added, depth

    def look_ahead(self, candidates):
        """(total, tag, cycles) of the candidates in their order"""
        search = self.rows + DOCUMENT["decision_latency"] + 1
        best, cycles = None, 1
        for count, (not_due, key, _, tag) in enumerate(candidates):
            if best is not None and ((not_due and not best[2]) or key >= best[0]):
                self.events.add("ended by the look-ahead's key")
                return best[0], best[1], cycles + 1
            added, searches = self.accesses(tag)
            cycles += 2 + searches * (search + 4)
            if best is None or key + added < best[0]:
                best = (key + added, tag, not_due)
            if count + 1 == self.field("AHEAD", "MOST"):
                return best[0], best[1], cycles
            cycles += search
        return best[0], best[1], cycles + 1

    def ends(self, cycles):
        self.value["CYCLES"] = cycles
        self.busy(cycles)
        self.done = True

    # -------------------------------------------------------------------------------------- CLUSTER

    def cluster(self):
        setting = {
            name: self.field("CLUSTER", name)
            for name in ("MAX", "TAKE_C", "TAKE_D", "STOP_AT_C", "DOWN", "ORDER")
        }
        begin, span = self.value["CLUSTER_FROM"], self.value["CLUSTER_SPAN"]
        collected, looked_at = [], 0
        for tag in reversed(self.order) if setting["DOWN"] else self.order:
            entry = self.table[tag]
            looked_at += 1
            if entry["cyl"] > begin if setting["DOWN"] else entry["cyl"] < begin:
                continue
            if setting["STOP_AT_C"] and entry["continuous"]:
                break
            if not setting["TAKE_C" if entry["continuous"] else "TAKE_D"]:
                continue
            if collected and abs(entry["cyl"] - self.table[collected[0]]["cyl"]) > span:
                break
            collected.append(tag)
            if len(collected) == setting["MAX"]:
                break
        for word in range(8):
            self.value[f"MASK{word}"] = sum(1 << tag % 32 for tag in collected if tag // 32 == word)
        c = len(collected)
        ordered = setting["ORDER"] and 1 <= c <= self.order_m
        self.value["CLUSTER_COUNT"] = c | ordered << 9
        cost, tags = self.best_order(collected) if ordered else (0, [])
        self.value["ORDER_COST"] = cost
        for word in range(3):
            self.value[f"ORDER_TAGS{word}"] = sum(
                tag << 8 * i for i, tag in enumerate(tags[4 * word : 4 * word + 4])
            )
        self.ends(looked_at + 2 + (c * c + 13 + ORDER_CYCLES[c] if ordered else 0))

    def best_order(self, collected):
        """All orders are tried: (cost, tags)."""

        def cost(path):
            hops = [self.from_head(collected[path[0]])[0]] + [
                self.between(collected[a], collected[b])[0] for a, b in itertools.pairwise(path)
            ]
            return sum(min(hop, self.time_limit) for hop in hops)

        best = min(
            itertools.permutations(range(len(collected))), key=lambda path: (cost(path), path[::-1])
        )
        return cost(best), [collected[i] for i in best]
