# SPDX-License-Identifier: Apache-2.0
"""Debian packages of another release, which apt downloads with a state of its own. They are
unpacked and not installed."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
from collections.abc import Iterable

KEYRING = pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg")


class Unavailable(Exception):
    """The packages cannot be had here; the text says why."""


def mirror() -> str:
    """This machine's Debian mirror."""
    found = subprocess.run(
        [
            "apt-get",
            "indextargets",
            "--format",
            "$(REPO_URI)",
            "Created-By: Packages",
            "Component: main",
        ],
        capture_output=True,
        text=True,
    )
    uris = [line for line in found.stdout.splitlines() if re.search(r"/debian/?$", line)]
    if not uris:
        raise Unavailable("apt has no Debian mirror with the component main")
    return uris[0]


class Tree:
    """A folder with packages and all that they depend on."""

    def __init__(
        self, folder: pathlib.Path, packages: Iterable[str], suites: Iterable[str]
    ) -> None:
        """`suites`: of Debian; the last one is preferred."""
        self.folder = pathlib.Path(folder).resolve()
        self.root = self.folder / "root"
        self.packages = tuple(packages)
        self.suites = tuple(suites)

    def _apt(self, *arguments: str) -> None:
        state = self.folder / "apt"
        options = {
            "Dir::State": state / "state",
            "Dir::State::status": state / "status",
            "Dir::Cache": state / "cache",
            "Dir::Etc::sourcelist": state / "sources.list",
            "Dir::Etc::sourceparts": "/dev/null",
            "Dir::Etc::preferencesparts": "/dev/null",
            "APT::Default-Release": self.suites[-1],
            "APT::Install-Recommends": "false",
            "APT::Sandbox::User": "root",
            "Debug::NoLocking": "1",
        }
        done = subprocess.run(
            ["apt-get", "-q", *(f"-o{key}={value}" for key, value in options.items()), *arguments],
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
        )
        if done.returncode != 0 or "\nE:" in done.stderr or "\nW: Failed to fetch" in done.stderr:
            raise Unavailable(
                f"apt-get {arguments[0]}: {(done.stderr or done.stdout).strip().splitlines()[-1]}"
            )

    def make(self) -> None:
        """Fetches and unpacks, unless that has been done."""
        stamp = self.folder / "unpacked"
        wanted = " ".join((*self.suites, *self.packages))
        if stamp.exists() and stamp.read_text() == wanted:
            return
        if not KEYRING.exists():
            raise Unavailable(f"{KEYRING} is missing (package debian-archive-keyring)")
        state = self.folder / "apt"
        for folder in ("state/lists/partial", "cache/archives/partial"):
            (state / folder).mkdir(parents=True, exist_ok=True)
        (state / "status").write_text("")
        (state / "sources.list").write_text(
            "".join(f"deb [signed-by={KEYRING}] {mirror()} {suite} main\n" for suite in self.suites)
        )
        self._apt("update")
        self._apt("--download-only", "-y", "install", *self.packages)
        self.root.mkdir(exist_ok=True)
        for package in sorted((state / "cache/archives").glob("*.deb")):
            subprocess.run(["dpkg", "-x", str(package), str(self.root)], check=True)
            package.unlink()
        stamp.write_text(wanted)

    def _loader(self) -> list[str]:
        # Debian 13 has its libraries below usr, Debian 12 beside. The link in Debian 12's lib64 has
        # an absolute path, which leads out of this tree.
        folders = [self.root / top / "x86_64-linux-gnu" for top in ("usr/lib", "lib")]
        names = [folder / "ld-linux-x86-64.so.2" for folder in folders]
        loader = next(path for path in names if path.exists())
        return [
            str(loader),
            "--library-path",
            ":".join(str(path) for folder in folders for path in (folder, folder / "ceph")),
        ]

    def command(self, program: str) -> list[str]:
        """The beginning of a command line that runs a program of the tree, with the tree's
        libraries."""
        return [*self._loader(), str(self.root / program)]

    def libraries(self, program: str) -> list[pathlib.Path]:
        """The files of the tree that a program loads."""
        listed = subprocess.run(
            [*self._loader(), "--list", str(self.root / program)], capture_output=True, text=True
        )
        return [pathlib.Path(path) for path in re.findall(r"=> (\S+) ", listed.stdout)]
