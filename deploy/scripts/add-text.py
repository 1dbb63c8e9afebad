#!/usr/bin/env python3
"""Writes a text into the catalogues of all three languages, at the same place.

    make add-text KEY=wishes.title EN='Wishes' HANT='願望' HANS='愿望'
    make add-text KEY=wishes.count ONE='{count} wish' EN='{count} wishes' HANT=… HANS=… [BY=number]

The place is after the last key of the same area, or after the key AFTER=…. Refuses a key that
exists, and texts whose parameters differ (docs/developer/add-a-text.md).
"""

import json
import os
import re
import sys
from pathlib import Path

FILES = {"EN": "en.json", "HANT": "zh-Hant.json", "HANS": "zh-Hans.json"}
KEY = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)+")
PARAMETER = re.compile(r"{([^{}]*)}")


class Refused(Exception):
    """An invalid option; the message is for the user at the terminal."""


def entries(options):
    """The new entry of each file, from the options: a string, or an object of plural forms.
    Raises Refused."""
    missing = [name for name in ("KEY", *FILES) if not options.get(name)]
    if missing:
        raise Refused(f"missing: {', '.join(f'{name}=…' for name in missing)}")
    if not KEY.fullmatch(options["KEY"]):
        raise Refused(f"{options['KEY']} is no key: area.name, in lower case with underscores")
    parameters = {name: set(PARAMETER.findall(options[name])) for name in FILES}
    for name in FILES:
        if parameters[name] != parameters["EN"]:
            raise Refused(
                f"{name} has the parameters {sorted(parameters[name])},"
                f" EN has {sorted(parameters['EN'])}")
    if not options.get("ONE"):
        return {name: options[name] for name in FILES}
    by = {"by": options["BY"]} if options.get("BY") else {}
    # The form for one may say "One recovery code" without a parameter.
    if not set(PARAMETER.findall(options["ONE"])) <= parameters["EN"]:
        raise Refused("ONE has a parameter that EN does not have")
    return {
        name: ({"one": options["ONE"]} if name == "EN" else {}) | {"other": options[name]} | by
        for name in FILES}


def neighbour(keys, key, after=None):
    """The key after which a new one is inserted: the last with the most leading parts in common.
    Raises Refused."""
    if key in keys:
        raise Refused(f"{key} is there already")
    if after:
        if after not in keys:
            raise Refused(f"there is no key {after}")
        return after
    parts = key.split(".")[:-1]
    while parts:
        area = ".".join(parts) + "."
        found = [known for known in keys if known.startswith(area)]
        if found:
            return found[-1]
        parts.pop()
    return keys[-1]


def add(folder, options):
    """Writes the texts; returns the key before them. Raises Refused before it changes a file."""
    new = entries(options)
    key = options["KEY"]
    written = {}
    for name, file in FILES.items():
        catalogue = json.loads((folder / file).read_text(encoding="utf-8"))
        place = neighbour(list(catalogue), key, options.get("AFTER"))
        after = {}
        for known, text in catalogue.items():
            after[known] = text
            if known == place:
                after[key] = new[name]
        written[folder / file] = json.dumps(after, ensure_ascii=False, indent=2) + "\n"
    for path, text in written.items():
        path.write_text(text, encoding="utf-8")
    return place


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "templates/locales")
    try:
        place = add(folder, os.environ)
    except Refused as refused:
        sys.exit(f"add-text: {refused}")
    print(f"Added {os.environ['KEY']} after {place} in {', '.join(FILES.values())}.")


if __name__ == "__main__":
    main()
