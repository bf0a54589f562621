# SPDX-License-Identifier: Apache-2.0
"""What MkDocs cannot do itself. It accepts no links that leave its folder: a link to a file of the
project becomes the name of that file, and a link without a target fails the build. Doxygen's pages
of the public headers become a part of the site; docs/reference/api.md names the headers."""

import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree

import mkdocs.exceptions

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")
API_PAGE = "reference/api.md"
HEADER = re.compile(r"`(platter/[\w/]+\.h)`")
API = ROOT / "build" / "api"  # Doxygen's output
GENERATED = ROOT / "build" / "api-generated"  # headers that CMake makes


def name_links(markdown, page, config):
    folder = pathlib.Path(config["docs_dir"], page.file.src_path).parent

    def name_of(link):
        text, target = link[1], link[2]
        if "://" in target or target.startswith("mailto:"):
            return link[0]
        path = (folder / target).resolve()
        if path.is_relative_to(config["docs_dir"]):
            return link[0]
        if not path.exists() or not path.is_relative_to(ROOT):
            raise mkdocs.exceptions.PluginError(
                f"{page.file.src_path}: links to {target}, which does not exist"
            )
        name = f"`{path.relative_to(ROOT)}`"
        return name if text.strip("`") in (name.strip("`"), path.name) else f"{text} ({name})"

    return LINK.sub(name_of, markdown)


def path_of(header):
    return next(
        (folder / header for folder in (ROOT / "models", GENERATED) if (folder / header).exists()),
        None,
    )


def on_pre_build(config):
    """Doxygen: a warning is an error."""
    headers = HEADER.findall(pathlib.Path(config["docs_dir"], API_PAGE).read_text(encoding="utf-8"))
    shutil.rmtree(API, ignore_errors=True)
    API.mkdir(parents=True)
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    GENERATED.joinpath("platter").mkdir(parents=True, exist_ok=True)
    template = (ROOT / "models" / "platter" / "version.h.in").read_text(encoding="utf-8")
    names = ("_MAJOR", "_MINOR", "_PATCH", "")
    parts = dict(zip(names, [*version.split("."), version], strict=True))
    GENERATED.joinpath("platter", "version.h").write_text(
        re.sub(r"@PROJECT_VERSION(\w*)@", lambda name: parts[name[1]], template), encoding="utf-8"
    )
    files = [path_of(header) for header in headers]
    if None in files:
        raise mkdocs.exceptions.PluginError(
            f"{API_PAGE}: names {headers[files.index(None)]}, which does not exist"
        )
    settings = (ROOT / "scripts" / "Doxyfile").read_text(encoding="utf-8") + "\n".join(
        [
            f"PROJECT_NUMBER = {version}",
            f"OUTPUT_DIRECTORY = {API}",
            f"GENERATE_TAGFILE = {API}/tags.xml",
            f"STRIP_FROM_PATH = {ROOT}/models {GENERATED}",
            f"INPUT = {' '.join(map(str, files))}",
        ]
    )
    done = subprocess.run(
        ["doxygen", "-"], input=settings, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise mkdocs.exceptions.PluginError(f"Doxygen: {done.stderr}")


def on_page_markdown(markdown, page, config, **_):
    if page.file.src_path == API_PAGE:
        files = xml.etree.ElementTree.parse(API / "tags.xml").iterfind("compound[@kind='file']")
        pages = {}  # Doxygen 1.9.4 has the whole path, a newer one what is below the folder
        for file in files:
            path = file.findtext("path") + file.findtext("name")
            header = path.removeprefix(f"{ROOT}/models/").removeprefix(f"{GENERATED}/")
            pages[header] = file.findtext("filename")
        place = "../" * page.url.count("/") + "api/"
        markdown = HEADER.sub(
            lambda name: f'<a href="{place}{pages[name[1]]}"><code>{name[1]}</code></a>',
            markdown,
        )
    return name_links(markdown, page, config)


def on_post_build(config):
    shutil.copytree(API / "html", pathlib.Path(config["site_dir"], "api"))
