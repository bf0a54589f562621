# SPDX-License-Identifier: Apache-2.0
"""MkDocs takes no links that leave its folder: one to a file of the project becomes that file's name; one to nothing fails the build."""

import pathlib
import re

import mkdocs.exceptions

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, **_):
    folder = pathlib.Path(config["docs_dir"], page.file.src_path).parent

    def name_of(link):
        text, target = link[1], link[2]
        if "://" in target or target.startswith("mailto:"):
            return link[0]
        path = (folder / target).resolve()
        if path.is_relative_to(config["docs_dir"]):
            return link[0]
        if not path.exists() or not path.is_relative_to(ROOT):
            raise mkdocs.exceptions.PluginError(f"{page.file.src_path}: links to {target}, which does not exist")
        name = f"`{path.relative_to(ROOT)}`"
        return name if text.strip("`") in (name.strip("`"), path.name) else f"{text} ({name})"

    return LINK.sub(name_of, markdown)
