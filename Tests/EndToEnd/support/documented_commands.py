"""The commands of the operator's guide, which tests run as they stand there."""

import re

from instance import CHECKOUT

GUIDE = CHECKOUT / "docs/operator"


def sections(page):
    """The command lines below each heading of a page: code blocks, and tables of `make`."""
    found, heading, is_open = {}, "", False
    for line in (GUIDE / page).read_text().splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        row = re.match(r"\| `(make [^`]+)` \|", line)
        if not row and not line.startswith("    "):
            continue
        command = row[1] if row else line.strip()
        lines = found.setdefault(heading, [])
        if is_open:
            command = f"{lines.pop()} {command}"
        is_open = command.endswith("\\")
        lines.append(command.rstrip("\\ "))
    return found


def commands(page, section):
    """The command lines below a heading, in their order."""
    return sections(page)[section]
