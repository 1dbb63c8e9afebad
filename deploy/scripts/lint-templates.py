#!/usr/bin/env python3
"""Checks templates without building the program: Mustache tags and HTML elements are closed in the
reverse order of opening, partials and layouts exist, texts are in the English catalogue.

    lint-templates.py [FOLDER]      default: templates

Prints a line for each problem and exits with 1 if there is one. Names of views are checked when the
program compiles its templates (docs/developer/templates.md).
"""

import json
import re
import sys
from pathlib import Path

TAG = re.compile(r"{{\s*([#^/$<>!&{]?)\s*([^}]*?)\s*}?}}")
ELEMENT = re.compile(r"<(/?)([a-z][a-z0-9-]*)((?:\"[^\"]*\"|'[^']*'|[^>\"'])*)>", re.IGNORECASE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
        "track", "wbr"}
# Parts of mails that are not HTML.
PLAIN = (".text.mustache", ".subject.mustache")


class Problem(Exception):
    def __init__(self, text, at):
        super().__init__(text)
        self.at = at


def blank(match):
    """Spaces in place of a match, so that positions stay the same."""
    return re.sub(r"[^\n]", " ", match.group())


def check_tags(text, names, texts):
    """Checks that sections, blocks and parents are closed in order, and that named templates and
    texts exist. Raises Problem."""
    opened = []
    for tag in TAG.finditer(text):
        kind, name = tag.groups()
        if kind in "#^$<" and kind:
            opened.append((name, tag.start()))
        elif kind == "/":
            if not opened or opened[-1][0] != name:
                expected = f"{{{{/{opened[-1][0]}}}}}" if opened else "no closing tag"
                raise Problem(f"{{{{/{name}}}}} where {expected} is expected", tag.start())
            opened.pop()
        if kind and kind in "<>" and name not in names:
            raise Problem(f"there is no template {name}", tag.start())
        if kind in ("", "&", "{", "#", "^") and name.startswith("t."):
            if name.removeprefix("t.") not in texts:
                raise Problem(f"there is no text {name.removeprefix('t.')}", tag.start())
    if opened:
        raise Problem(f"{{{{/{opened[-1][0]}}}}} is missing", opened[-1][1])


def check_elements(text):
    """Checks that elements are closed in order, and in the section that opened them. Raises
    Problem."""
    opened = []
    for kind, name, at in marks(text):
        if kind == "open":
            opened.append((name, at))
            continue
        if not opened or opened[-1][0] != name:
            expected = opened[-1][0] if opened else "no closing tag"
            raise Problem(f"{name} where {expected} is expected", at)
        opened.pop()
    if opened:
        raise Problem(f"{opened[-1][0]} is missing", opened[-1][1])


def marks(text):
    """Opening and closing tags, each named by its closing tag, in the order of the text. Sections
    inside an element's own tag (around attributes) are omitted."""
    found = []
    without_tags = TAG.sub(lambda tag: re.sub(r"[^\n]", "_", tag.group()), text)
    elements = list(ELEMENT.finditer(COMMENT.sub(blank, without_tags)))
    insides = [(element.start(), element.end()) for element in elements]
    for tag in TAG.finditer(text):
        kind, name = tag.groups()
        if kind and kind in "#^$<" and not is_inside(tag.start(), insides):
            found.append((tag.start(), "open", f"{{{{/{name}}}}}"))
        elif kind == "/" and not is_inside(tag.start(), insides):
            found.append((tag.start(), "close", f"{{{{/{name}}}}}"))
    for element in elements:
        slash, name, rest = element.groups()
        if name.lower() in VOID or rest.endswith("/"):
            continue
        found.append((element.start(), "close" if slash else "open", f"</{name.lower()}>"))
    return [(kind, name, at) for at, kind, name in sorted(found)]


def is_inside(at, insides):
    return any(start < at < end for start, end in insides)


def problems(folder):
    """Lines `file:line: message`; only the first problem of each file."""
    files = sorted(folder.rglob("*.mustache"))
    names = {str(file.relative_to(folder).with_suffix("")) for file in files}
    texts = json.loads((folder / "locales/en.json").read_text(encoding="utf-8"))
    found = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        try:
            check_tags(text, names, texts)
            if not file.name.endswith(PLAIN):
                check_elements(text)
        except Problem as problem:
            line = text.count("\n", 0, problem.at) + 1
            found.append(f"{file}:{line}: {problem}")
    return found


def main():
    found = problems(Path(sys.argv[1] if len(sys.argv) > 1 else "templates"))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
