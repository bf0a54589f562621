# SPDX-License-Identifier: Apache-2.0
"""Code that a page quotes stands in the tree.

The line before the block says where: `<!-- quote: PATH -->`, with the path from the root. The lines
of the block are lines of that file, one below the other. `...` or `…` alone on a line stands for
any that the page leaves out. The block may be indented otherwise than the file, all its lines by
the same.

Environment: PLATTER_SOURCE (the tree).
"""

import re
import textwrap
import unittest

from documents_test import SOURCE, pages

MARK = re.compile(r"^<!-- quote\b.*", re.M)
QUOTE = re.compile(r"<!-- quote: (\S+) -->\n```\w*\n(.+?)^```$", re.M | re.S)
GAPS = ("...", "…")


def quotes(text):
    """Of a page: (number of the first line, path, lines) of each block.

    Path and lines are None for a mark without a block.
    """
    for mark in MARK.finditer(text):
        quote = QUOTE.match(text, mark.start())
        number = text.count("\n", 0, mark.start()) + 1
        yield (
            (number + 2, quote[1], textwrap.dedent(quote[2]).splitlines())
            if quote
            else (number, None, None)
        )


def pattern(lines):
    found, indentation = "^", "(?P<indentation> *)"
    for line in lines:
        if line.strip() in GAPS:
            found += r"(?:.*\n)*?"
        elif line:
            found += indentation + re.escape(line) + r"\n"
            indentation = "(?P=indentation)"
        else:
            found += r"\n"
    return re.compile(found, re.M)


def drift(lines, code):
    """None if the code has these lines.

    Otherwise the index of the first that it lacks at its place, and the line that it has there:
    None if any line could be there.
    """
    end = 0
    for index in range(len(lines)):
        found = pattern(lines[: index + 1]).search(code)
        if not found:
            contiguous = index > 0 and lines[index - 1].strip() not in GAPS
            return index, code[end:].partition("\n")[0] if contiguous else None
        end = found.end()
    return None


def misquotes(page, text, read):
    """What is wrong on a page; `read` gives the text of a file, or None."""
    for number, path, lines in quotes(text):
        code = read(path) if path else None
        if path is None:
            yield f"{page}:{number}: expected `<!-- quote: PATH -->` and a block of code below it"
        elif code is None:
            yield f"{page}:{number}: quotes {path}, which is not there"
        elif (first := drift(lines, code)) is not None:
            index, there = first
            expected = f"a line of {path}" if there is None else f"{there!r} as in {path}"
            yield f"{page}:{number + index}: expected {expected}, found {lines[index]!r}"


def read_source(path):
    return (SOURCE / path).read_text() if (SOURCE / path).is_file() else None


class Quotes(unittest.TestCase):
    def test_quoted_code_is_that_of_the_tree(self):
        self.assertGreaterEqual(sum(1 for page in pages() for _ in quotes(page.read_text())), 8)
        self.assertEqual(
            [
                wrong
                for page in pages()
                for wrong in misquotes(page.relative_to(SOURCE), page.read_text(), read_source)
            ],
            [],
        )

    def test_a_quote_that_drifted_is_found(self):
        code = "class A {\n  int first;\n\n  int second;\n  void f() {\n    g();\n  }\n};\n"

        def wrong(*lines, path="a.h"):
            return list(
                misquotes(
                    "page.md",
                    "\n".join(["# Page", f"<!-- quote: {path} -->", "```cpp", *lines, "```", ""]),
                    {"a.h": code}.get,
                )
            )

        for good in (
            ["  int first;", "", "  int second;"],
            ["int second;", "void f() {", "  g();", "}"],
            ["class A {", "…", "};"],
            ["    int first;", "    ...", "    void f() {", "      g();"],
        ):
            self.assertEqual(wrong(*good), [])
        for bad, said in (
            (["int third;"], "page.md:4: expected a line of a.h, found 'int third;'"),
            (["int fir"], "page.md:4: expected a line of a.h, found 'int fir'"),
            (
                ["int second;", "void f(int) {"],
                "page.md:5: expected '  void f() {' as in a.h, found 'void f(int) {'",
            ),
            (
                ["int first;", "int second;"],
                "page.md:5: expected '' as in a.h, found 'int second;'",
            ),
            (["void f() {", "g();"], "page.md:5: expected '    g();' as in a.h, found 'g();'"),
            (
                ["int second;", "...", "int first;"],
                "page.md:6: expected a line of a.h, found 'int first;'",
            ),
        ):
            self.assertEqual(wrong(*bad), [said])
        self.assertEqual(
            wrong("int first;", path="b.h"), ["page.md:4: quotes b.h, which is not there"]
        )
        for text in (
            "<!-- quote: a.h -->\n\n```cpp\nint first;\n```\n",
            "<!-- quote a.h -->\n```cpp\nint first;\n```\n",
            "<!-- quote: a.h -->\n```cpp\n```\n",
        ):
            self.assertEqual(
                list(misquotes("page.md", text, {"a.h": code}.get)),
                ["page.md:1: expected `<!-- quote: PATH -->` and a block of code below it"],
            )


if __name__ == "__main__":
    unittest.main()
