# SPDX-License-Identifier: Apache-2.0
"""Code that a page quotes stands in the tree.

The line before the block says where: `<!-- quote: PATH -->`, with the path from the root. The lines
of the block are lines of that file, one below the other. `...` or `…` alone on a line stands for
any that the page leaves out. The block may be indented otherwise than the file, all its lines by
the same.

A block of code that quotes nothing has the line `<!-- example -->` before it, or another mark of
tb/cli/tutorials_test.py. A block without a mark is refused.

Environment: PLATTER_SOURCE (the tree).
"""

import re
import textwrap
import unittest

from documents_test import SOURCE, pages

MARK = re.compile(r"^[ \t]*<!-- *quote\b.*", re.M)
QUOTE = re.compile(r"<!-- quote: (\S+) -->\n```\w*\n(.+?)^```$", re.M | re.S)
GAPS = ("...", "…")
CODE = ("c", "cpp", "python", "systemverilog", "toml", "verilog")
FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*(\w*)")
MARKED = re.compile(r"<!-- (?:quote|file|not run): \S.* -->|<!-- example -->")


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


def unmarked(page, text):
    """The blocks of code on a page that have no mark."""
    before, inside = "", False
    for number, line in enumerate(text.splitlines(), 1):
        if fence := FENCE.match(line):
            inside = not inside
            if inside and fence[1].lower() in CODE and not MARKED.fullmatch(before):
                yield (
                    f"{page}:{number}: expected `<!-- quote: PATH -->` or `<!-- example -->` "
                    f"before a block of {fence[1]}"
                )
        before = line


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

    def test_every_block_of_code_has_a_mark(self):
        self.assertEqual(
            [
                wrong
                for page in pages()
                for wrong in unmarked(page.relative_to(SOURCE), page.read_text())
            ],
            [],
        )

    def test_a_block_without_a_mark_is_found(self):
        block = "```cpp\nint a;\n```\n"
        for good in (
            f"<!-- example -->\n{block}",
            f"<!-- quote: a.h -->\n{block}",
            "```\nplain\n```\n```sh\nls\n```\n",
        ):
            self.assertEqual(list(unmarked("page.md", good)), [])
        for bad, number in (
            (block, 1),
            (f"<!-- example -->\n\n{block}", 3),
            (f"<!-- examples -->\n{block}", 2),
            (f"<!-- quote: -->\n{block}", 2),
            (f"```\nplain\n```\n{block}", 4),
            (f"- item\n\n  {block}", 3),
        ):
            found = list(unmarked("page.md", bad))
            self.assertEqual([one.split(": ")[0] for one in found], [f"page.md:{number}"])

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
            "  <!-- quote: a.h -->\n  ```cpp\n  int first;\n  ```\n",
        ):
            self.assertEqual(
                list(misquotes("page.md", text, {"a.h": code}.get)),
                ["page.md:1: expected `<!-- quote: PATH -->` and a block of code below it"],
            )


if __name__ == "__main__":
    unittest.main()
