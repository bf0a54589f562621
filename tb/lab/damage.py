# SPDX-License-Identifier: Apache-2.0
"""Files that something has damaged: by chance, but the same for the same seed."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from typing import Any

import polars as pl

_STRANGE = (
    None,
    True,
    "",
    "a text",
    -1,
    0,
    1,
    0.5,
    1e308,
    -1e308,
    10**400,
    2**63,
    [],
    [1, "two", None],
    {},
    {"mean": None},
    [[]],
    "\u0000",
    "</script>",
)


def _places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value in a JSON."""
    if way:
        yield way
    for key, inner in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield from _places(inner, (*way, key))


def damage_json(value: Any, dice: random.Random) -> tuple[str, str]:
    """The text of a JSON in which one value is another one, or gone, or doubled;
    and what was done."""
    value = json.loads(json.dumps(value))
    ways = list(_places(value))
    way = min(
        dice.sample(ways, min(3, len(ways))), key=len
    )  # the configuration has most of them, far down
    above = value
    for key in way[:-1]:
        above = above[key]
    what = dice.randrange(4)
    if what == 0:
        del above[way[-1]]
        said = "deleted"
    elif what == 1 and isinstance(above, dict):
        above[f"{way[-1]}_"] = above.pop(way[-1])
        said = "renamed"
    else:
        above[way[-1]] = dice.choice(_STRANGE)
        said = f"= {str(above[way[-1]])[:20]!r}"
    text = json.dumps(value)
    if dice.random() < 0.05:
        text = text.replace("null", "NaN", 1)
    return text, f"{'.'.join(map(str, way))} {said}"


def damage_bytes(content: bytes, dice: random.Random) -> tuple[bytes, str]:
    """Some bytes cut off, changed, left out or doubled; and what was done."""
    changed = bytearray(content)
    at = dice.randrange(len(changed))
    if dice.random() < 0.3:  # where formats have their tables
        at = dice.choice(
            (
                dice.randrange(min(200, len(changed))),
                len(changed) - 1 - dice.randrange(min(2000, len(changed))),
            )
        )
    what = dice.choice(("cut", "flipped", "changed", "left out", "doubled", "zeros"))
    count = dice.choice((1, 2, 8, 40))
    if what == "cut":
        del changed[at:]
    elif what == "flipped":
        changed[at] ^= 1 << dice.randrange(8)
    elif what == "changed":
        changed[at : at + count] = dice.randbytes(count)
    elif what == "left out":
        del changed[at : at + count]
    elif what == "doubled":
        changed[at:at] = changed[at : at + count]
    else:
        changed[at : at + count] = bytes(count)
    return bytes(changed), f"{count} bytes at {at} of {len(content)} {what}"


def damage_table(
    frame: pl.DataFrame, metadata: dict[str, str], dice: random.Random
) -> tuple[bytes, str]:
    """A Parquet file in which a column, a cell or the metadata are other ones;
    and what was done."""
    name = dice.choice(frame.columns)
    what = dice.choice(
        (
            "dropped",
            "renamed",
            "text",
            "null",
            "one null",
            "nan",
            "no rows",
            "lists",
            "metadata",
            "metadata",
        )
    )
    if what == "dropped":
        frame = frame.drop(name)
    elif what == "renamed":
        frame = frame.rename({name: f"{name}_"})
    elif what == "text":
        frame = frame.with_columns(pl.lit("a text").alias(name))
    elif what == "null":
        frame = frame.with_columns(pl.lit(None).alias(name))
    elif what == "one null":
        row = dice.randrange(frame.height)
        frame = frame.with_columns(
            pl.when(pl.int_range(pl.len()) == row).then(None).otherwise(pl.col(name)).alias(name)
        )
    elif what == "nan":
        frame = frame.with_columns(
            pl.lit(dice.choice((float("nan"), float("inf"), -1e308, 1e308))).alias(name)
        )
    elif what == "no rows":
        frame = frame.head(dice.randrange(2))
    elif what == "lists":
        frame = frame.with_columns(pl.lit([1, 2]).alias(name))
    else:
        key = dice.choice(list(metadata))
        text, name = damage_json(json.loads(metadata[key]), dice)
        metadata = {**metadata, key: text}
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata=metadata)
    return buffer.getvalue(), f"{name} {what}"
