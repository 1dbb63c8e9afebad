#!/usr/bin/env python3
"""Writes the manual pages pairspot(1) and pairspot.conf(5): the commands as the program describes
them, the settings from docs/operator/settings.md.

    make-manual.py PROGRAM FOLDER
"""

import gzip
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def escape(text):
    """Plain text in roff: no escapes, no requests at the beginning of a line."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def plain(text):
    """Markdown without marks of code and links."""
    return re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", text).replace("`", "").replace("\\|", "|")


def header(name, section, purpose):
    return [f'.TH {name.upper()} {section} "" PairSpot', ".SH NAME",
            f"{name} \\- {escape(purpose)}"]


def options(command):
    for argument in command.get("arguments", []):
        if not argument["shouldDisplay"] or argument["valueName"] in ("help", "version"):
            continue
        names = [("--" if n["kind"] == "long" else "-") + n["name"]
                 for n in argument.get("names", [])]
        value = argument["valueName"].upper()
        if argument["kind"] == "positional":
            label = value
        else:
            label = ", ".join(names) + ("" if argument["kind"] == "flag" else f" {value}")
        yield [".TP", f".B {escape(label)}", escape(argument.get("abstract", ""))]


def commands(command, words):
    for child in command.get("subcommands", []):
        if not child.get("shouldDisplay", True) or child["commandName"] == "help":
            continue
        name = [*words, child["commandName"]]
        yield f".SS {escape(' '.join(name))}"
        yield escape(child.get("abstract", ""))
        if child.get("discussion"):
            yield ".PP"
            yield escape(child["discussion"])
        for lines in options(child):
            yield from lines
        yield from commands(child, name)


def command_page(program):
    described = json.loads(subprocess.run(
        [program, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout)
    command = described["command"]
    return [
        *header("pairspot", 1, "self-hosted website for couples"),
        ".SH SYNOPSIS", ".B pairspot", ".I command", "[options]",
        ".SH DESCRIPTION",
        "Runs and manages an instance of PairSpot. Settings are read from the environment and from",
        ".IR /etc/pairspot.conf ;", "see", ".BR pairspot.conf (5).",
        "Commands of root go on as the user who owns the data.",
        ".SH COMMANDS", *commands(command, ["pairspot"]),
        ".SH EXIT STATUS", "0: done. 1: failed; one line says why. 64: wrong arguments.",
        "78: wrong settings.",
        ".SH FILES", ".TP", ".I /etc/pairspot.conf", "settings", ".TP", ".I /var/lib/pairspot",
        "the data", ".TP", ".I /var/backups/pairspot", "nightly backups",
        ".SH SEE ALSO", ".BR pairspot.conf (5),", ".I /usr/share/doc/pairspot/operator",
    ]


def settings_page():
    lines = header("pairspot.conf", 5, "settings of PairSpot")
    text = (ROOT / "docs/operator/settings.md").read_text()
    for line in text.split("## How settings are read", 1)[1].splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)][1:-1]
        if line.startswith("## "):
            lines.append(f".SH {escape(line[3:].upper())}")
        elif len(cells) >= 4 and cells[0].startswith("`"):
            lines += [".TP", f".B {escape(plain(cells[0]))}",
                      escape(f"{plain(cells[1])} Default: {plain(cells[2])}.")]
        elif line.startswith("|"):
            continue
        elif line.startswith("    "):
            lines += [".nf", escape(line.strip()), ".fi"]
        elif line.strip():
            lines.append(escape(plain(line)))
        elif lines[-1] != ".PP":
            lines.append(".PP")
    return lines


def write(path, lines):
    # Without a time, so that the same sources give the same file.
    with gzip.GzipFile(path, "wb", mtime=0) as page:
        page.write(("\n".join(lines) + "\n").encode())


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    write(folder / "man1/pairspot.1.gz", command_page(program))
    write(folder / "man5/pairspot.conf.5.gz", settings_page())


main()
