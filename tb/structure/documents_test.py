# SPDX-License-Identifier: Apache-2.0
"""What the pages name is there: files that they link, and files and folders of the project between backticks.

Environment: PLATTER_SOURCE (the tree).
"""
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
FOLDERS = {"docs", "models", "rtl", "scripts", "tb", "waves"}
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
NAMED = re.compile(r"`((?:%s)/[\w./{},*-]*)(?: [^`]*)?`" % "|".join(sorted(FOLDERS)))


def pages():
    found = [SOURCE / "README.md", SOURCE / "CHANGELOG.md"]
    for folder in sorted(FOLDERS):
        found += sorted((SOURCE / folder).rglob("*.md"))
    return found


def is_there(path):
    """`{a,b}` stands for either, `*` and a last NAME for anything."""
    path = re.sub(r"/[A-Z]+$", "/*", path)
    brace = re.search(r"\{([^{}]*)\}", path)
    if brace:
        return all(is_there(path[:brace.start()] + one + path[brace.end():]) for one in brace[1].split(","))
    return any(True for _ in SOURCE.glob(path.rstrip("/"))) if "*" in path else (SOURCE / path).exists()


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        links = [(page, link) for page in pages() for link in LINK.findall(page.read_text()) if "://" not in link]
        self.assertGreater(len(links), 200)
        self.assertEqual([f"{page.relative_to(SOURCE)}: {link}" for page, link in links if not (page.parent / link).exists()], [])

    def test_files_that_are_named_exist(self):
        named = [(page, path) for page in pages() if page.name != "CHANGELOG.md" for path in NAMED.findall(page.read_text())]
        self.assertGreater(len(named), 200)
        self.assertEqual([f"{page.relative_to(SOURCE)}: {path}" for page, path in named if not is_there(path)], [])


if __name__ == "__main__":
    unittest.main()
