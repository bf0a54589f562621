# SPDX-License-Identifier: Apache-2.0
"""An initial file system for Linux: programs of a tree of packages with their libraries, modules,
and a script."""

from __future__ import annotations

import gzip
import lzma
import pathlib
import stat
import subprocess
from collections.abc import Iterable, Mapping

from platter_lab.guest.packages import Tree

# Programs, by where they are in the tree.
PROGRAMS = (
    "usr/sbin/mkfs.ext4",
    "usr/sbin/e2fsck",
    "usr/sbin/mkfs.xfs",
    "usr/sbin/xfs_repair",
    "usr/sbin/mkfs.btrfs",
    "usr/bin/btrfs",
    "usr/bin/fio",
    "usr/sbin/hdparm",
    "usr/sbin/smartctl",
    "usr/sbin/blktrace",
    "usr/bin/blkparse",
)
# Modules with all that they need.
MODULES = (
    "crc32c_generic",
    "ahci",
    "sd_mod",
    "sg",
    "ext4",
    "xfs",
    "btrfs",
    "virtio_blk",
    "virtio_pci",
    "virtio_scsi",
)


class Archive:
    """A cpio archive of the form newc, compressed (Linux,
    driver-api/early-userspace/buffer-format)."""

    def __init__(self, path: pathlib.Path) -> None:
        self._to = gzip.GzipFile(path, "wb", compresslevel=1, mtime=0)
        self._number = 0
        self._folders: set[str] = set()

    def _entry(
        self, name: str, mode: int, content: bytes = b"", device: tuple[int, int] = (0, 0)
    ) -> None:
        self._number += 1
        encoded = name.encode() + b"\0"
        fields = (self._number, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(encoded), 0)
        self._to.write(b"070701" + b"".join(b"%08X" % field for field in fields) + encoded)
        self._to.write(b"\0" * (-(110 + len(encoded)) % 4) + content + b"\0" * (-len(content) % 4))

    def folder(self, name: str) -> None:
        parents = pathlib.PurePosixPath(name).parents
        for each in [*reversed([str(p) for p in parents if str(p) != "."]), name]:
            if each not in self._folders:
                self._folders.add(each)
                self._entry(each, stat.S_IFDIR | 0o755)

    def file(self, name: str, content: bytes, executable: bool = False) -> None:
        self.folder(str(pathlib.PurePosixPath(name).parent))
        self._entry(name, stat.S_IFREG | (0o755 if executable else 0o644), content)

    def link(self, name: str, target: str) -> None:
        self.folder(str(pathlib.PurePosixPath(name).parent))
        self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def device(self, name: str, major: int, minor: int) -> None:
        self.folder(str(pathlib.PurePosixPath(name).parent))
        self._entry(name, stat.S_IFCHR | 0o600, device=(major, minor))

    def close(self) -> None:
        self._entry("TRAILER!!!", 0)
        self._to.close()


def modules(tree: Tree, names: Iterable[str] = MODULES) -> list[pathlib.Path]:
    """The files of the modules and of what they need, in the order in which they are loaded."""
    folder = next((tree.root / "usr/lib/modules").iterdir())
    release = folder.name
    if not (folder / "modules.dep").exists():
        # depmod expects them below lib, which is usr/lib in a system.
        if not (tree.root / "lib").exists():
            (tree.root / "lib").symlink_to("usr/lib")
        subprocess.run(_as_depmod(tree, "-b", str(tree.root), release), check=True)
    needs = {}
    for line in (folder / "modules.dep").read_text().splitlines():
        file, _, others = line.partition(":")
        needs[pathlib.PurePosixPath(file).name.split(".")[0].replace("-", "_")] = [
            file,
            *others.split(),
        ]
    order: list[str] = []
    for name in names:
        for file in reversed(needs.get(name, [])):
            if file not in order:
                order.append(file)
    return [folder / file for file in order]


def _as_depmod(tree: Tree, *arguments: str) -> list[str]:
    """kmod is depmod by its own name."""
    depmod = tree.root / "usr/bin/depmod"
    if not depmod.exists():
        depmod.symlink_to("kmod")
    return [
        "bash",
        "-c",
        'exec -a depmod "$@"',
        "depmod",
        *tree.command("usr/bin/depmod"),
        *arguments,
    ]


def make(
    tree: Tree,
    path: pathlib.Path,
    script: str,
    programs: Iterable[str] = PROGRAMS,
    files: Iterable[tuple[str, bytes]] = (),
    with_modules: Iterable[str] = MODULES,
    more: Iterable[tuple[Tree, str]] = (),
    parameters: Mapping[str, str] | None = None,
) -> None:
    """Writes the archive to `path`; `script` is its /init, run by busybox's shell. `files`: names
    and contents of more files. `more`: programs of other trees, of the same release. `parameters`:
    of modules, by their names."""
    archive = Archive(path)
    for folder in ("dev", "proc", "sys", "tmp", "mnt", "sys/kernel/debug"):
        archive.folder(folder)
    archive.device("dev/console", 5, 1)
    archive.file("bin/busybox", (tree.root / "usr/bin/busybox").read_bytes(), True)
    archive.link("bin/sh", "busybox")
    libraries = {}
    for owner, program in (*more, *((tree, program) for program in programs)):
        archive.file(program, (owner.root / program).read_bytes(), True)
        for library in owner.libraries(program):
            libraries[library.name] = library
    for name, library in sorted(libraries.items()):
        archive.file(f"usr/lib/x86_64-linux-gnu/{name}", library.read_bytes(), True)
    archive.file(
        "lib64/ld-linux-x86-64.so.2",
        (tree.root / "usr/lib64/ld-linux-x86-64.so.2").read_bytes(),
        True,
    )
    archive.link("lib/x86_64-linux-gnu", "../usr/lib/x86_64-linux-gnu")
    loads = []
    for file in modules(tree, with_modules):
        content = file.read_bytes()
        if file.suffix == ".xz":
            content = lzma.decompress(content)
        name = f"modules/{file.name.removesuffix('.xz')}"
        archive.file(name, content)
        given = (parameters or {}).get(file.name.split(".")[0], "")
        loads.append(f"insmod /{name} {given}".rstrip())
    archive.file("modules/load", ("\n".join(loads) + "\n").encode())
    for name, content in files:
        archive.file(name, content, True)
    archive.file("init", script.encode(), True)
    archive.close()
