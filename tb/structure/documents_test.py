# SPDX-License-Identifier: Apache-2.0
"""What the pages name is there: files that they link,
and files and folders of the project between backticks.

Environment: PLATTER_SOURCE (the tree).
"""

import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ.get("PLATTER_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
FOLDERS = {"docs", "models", "rtl", "scripts", "tb", "waves"}
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
NAMED = re.compile(rf"`((?:{'|'.join(sorted(FOLDERS))})/[\w./{{}},*-]*)(?: [^`]*)?`")
# Folders of docs whose pages link the glossary if they use one of these terms.
EXPLAINED = ("reference", "tutorials", "how_to", "explanation", "verification", "validation")
GLOSSARY = SOURCE / "docs/reference/glossary.md"
TERMS = re.compile(r"\b(?:guard|hop|stall|debt|lane|orderer|entry|entries)s?\b", re.I)


def pages():
    found = [SOURCE / "README.md", SOURCE / "CHANGELOG.md", SOURCE / "CONTRIBUTING.md"]
    for folder in sorted(FOLDERS):
        found += sorted((SOURCE / folder).rglob("*.md"))
    return found


def is_there(path):
    """`{a,b}` stands for either, `*`, NAME and a last word of capitals for anything."""
    path = re.sub(r"NAME|(?<=/)[A-Z]+$", "*", path)
    brace = re.search(r"\{([^{}]*)\}", path)
    if brace:
        return all(
            is_there(path[: brace.start()] + one + path[brace.end() :])
            for one in brace[1].split(",")
        )
    return (
        any(True for _ in SOURCE.glob(path.rstrip("/")))
        if "*" in path
        else (SOURCE / path).exists()
    )


def anchors(page):
    """Of its headings, as the site and the forges make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    words = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in HEADING.findall(text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in words}


class Documents(unittest.TestCase):
    def test_links_lead_somewhere(self):
        links = [
            (page, *link)
            for page in pages()
            for link in LINK.findall(page.read_text())
            if "://" not in link[0]
        ]
        self.assertGreater(len(links), 200)
        self.assertEqual(
            [
                f"{page.relative_to(SOURCE)}: {link}"
                for page, link, _ in links
                if not (page.parent / link).exists()
            ],
            [],
        )
        to_headings = [
            (page, page.parent / link if link else page, anchor)
            for page, link, anchor in links
            if anchor
        ]
        self.assertGreater(len(to_headings), 20)
        self.assertEqual(
            [
                f"{page.relative_to(SOURCE)}: {target.name}#{anchor}"
                for page, target, anchor in to_headings
                if target.suffix == ".md" and anchor not in anchors(target)
            ],
            [],
        )

    def test_pages_link_the_glossary_if_they_use_its_terms(self):
        users = [
            page
            for folder in EXPLAINED
            for page in sorted((SOURCE / "docs" / folder).rglob("*.md"))
            if page != GLOSSARY and TERMS.search(CODE.sub("", page.read_text()))
        ]
        self.assertGreater(len(users), 40)
        self.assertEqual(
            [
                str(page.relative_to(SOURCE))
                for page in users
                if not any(
                    (page.parent / link).resolve() == GLOSSARY
                    for link, _ in LINK.findall(page.read_text())
                )
            ],
            [],
        )

    def test_links_are_written_in_one_way(self):
        """By reference, or in HTML, they would be seen by no test."""
        for page in pages():
            text = CODE.sub("", page.read_text())
            self.assertIsNone(re.search(r"\]\[|href=|^\[[^\]]+\]:", text, re.M), page)

    def test_files_that_are_named_exist(self):
        named = [
            (page, path)
            for page in pages()
            if page.name != "CHANGELOG.md"
            for path in NAMED.findall(page.read_text())
        ]
        self.assertGreater(len(named), 200)
        self.assertEqual(
            [f"{page.relative_to(SOURCE)}: {path}" for page, path in named if not is_there(path)],
            [],
        )

    def test_the_page_on_extensions_names_every_function_of_a_policy(self):
        interface = (SOURCE / "models/platter/scheduling/scheduler_if.h").read_text()
        functions = re.findall(r"^  virtual [^~(]*?(\w+)\(", interface, re.M)
        self.assertGreater(len(functions), 10)
        page = (SOURCE / "docs/how_to/extend.md").read_text()
        self.assertEqual([name for name in functions if f"`{name}()`" not in page], [])


if __name__ == "__main__":
    unittest.main()
