#!/usr/bin/env python3
"""Compares the Swift of docs/developer with the sources: what an example calls is declared, with these
labels; members and files that the text names are there.

Nothing is compiled. Types of values are not known, so a call of a method passes if any type has
such a method. What the examples declare themselves counts as declared.
"""
import re
import sys
from pathlib import Path

# What Swift, Foundation and Testing declare.
STANDARD = {
    "Array", "Status", "String", "UUID", "components", "contains", "count", "description", "firstMatch",
    "isEmpty", "lowercased", "map", "max", "min", "output", "utf8", "uuidString",
}
# What files of the feature are called that the examples add.
ADDED = "Wish"
KEYWORDS = {"case", "catch", "for", "guard", "if", "in", "init", "is", "let", "return", "self", "switch",
            "throw", "try", "var", "where", "while"}
CLOSING = {"(": ")", "[": "]", "{": "}"}


def plain(code):
    """The code without comments and texts; what is interpolated stays."""
    kept, at = [], 0
    while at < len(code):
        if code.startswith("//", at):
            at = code.find("\n", at) if "\n" in code[at:] else len(code)
        elif code[at] == '"':
            quote = '"""' if code.startswith('"""', at) else '"'
            at += len(quote)
            kept.append('""')
            while at < len(code) and not code.startswith(quote, at):
                if code.startswith("\\(", at):
                    end = closing(code, at + 1)
                    kept.append(f"({plain(code[at + 2:end])})")
                    at = end + 1
                else:
                    at += 2 if code[at] == "\\" else 1
            at += len(quote)
        else:
            kept.append(code[at])
            at += 1
    return "".join(kept)


def closing(code, start):
    """The place of the bracket that closes the one at `start`."""
    depth = 0
    for at in range(start, len(code)):
        if code[at] in CLOSING:
            depth += 1
        elif code[at] in CLOSING.values():
            depth -= 1
            if depth == 0:
                return at
    return len(code)


def parts(code):
    """The code between commas outside of brackets."""
    found, depth, start = [], 0, 0
    for at, character in enumerate(code):
        depth += (character in CLOSING) - (character in CLOSING.values())
        if character == "," and depth == 0:
            found.append(code[start:at])
            start = at + 1
    return [part.strip() for part in found + [code[start:]] if part.strip()]


class Declarations:
    """What some files declare, by file. Examples may belong to any type."""

    def __init__(self, sources, examples=()):
        self.examples = range(len(sources), len(sources) + len(examples))
        self.types = {}
        self.functions = {}
        self.names = set()
        self.labels = set()
        for number, text in enumerate([*sources, *examples]):
            code = plain(text)
            for found in re.finditer(r"\b(?:struct|class|enum|actor|protocol|extension)\s+([\w.]+)", code):
                self.types.setdefault(found[1].split(".")[-1], set()).add(number)
            for found in re.finditer(r"\b(?:let|var|typealias)\s+(\w+)", code):
                self.add(found[1], number, None)
            for found in re.finditer(r"\b(?:let|var)\s+\(([^)]*)\)", code):
                self.names.update(re.findall(r"\w+", found[1]))
            for found in re.finditer(r"\b(?:func\s+(\w+)|(init)\??)\s*(?:<[^>]*>)?\s*(?=\()", code):
                inside = code[found.end() + 1:closing(code, found.end())]
                self.add(found[1] or "init", number, [self.parameter(part) for part in parts(inside)])
            for found in re.finditer(r"^\s*(?:indirect )?case ([a-z]\w*.*)", code, re.MULTILINE):
                for case in parts(found[1].split(" where ")[0]):
                    name = re.match(r"\w+", case)
                    if name:
                        inside = case[name.end() + 1:-1] if "(" in case else ""
                        self.add(name[0], number, [self.parameter(part) for part in parts(inside)])

    def add(self, name, number, parameters):
        self.names.add(name)
        self.functions.setdefault(name, []).append((number, parameters))
        self.labels.update(label for label, *_ in parameters or [])

    @staticmethod
    def parameter(text):
        """The label of a parameter; whether it may be left out, has several values, or is a closure."""
        before, colon, kind = re.sub(r"@\w+ ", "", text).partition(":")
        label = before.split()[0] if colon and before.split() else "_"
        return "" if label == "_" else label, "=" in kind or not colon, "..." in kind, "->" in kind

    def call(self, owner, name, labels, isClosed):
        """The problem of a call; none if it fits a declaration."""
        if name in STANDARD:
            return None
        if name[0].isupper():
            files = self.types.get(name)
            if files is None:
                return f"there is no type {name}"
            known = [p for at, p in self.functions.get("init", []) if at in files]
            properties = {n for n, all in self.functions.items() for at, p in all if at in files and p is None}
            if set(labels) <= properties:
                return None
        else:
            files = self.types.get(owner)
            known = [p for at, p in self.functions.get(name, [])
                     if files is None or at in files or at in self.examples]
            if not known:
                return f"there is no {owner + '.' if files else ''}{name}"
        if any(self.fits(parameters, labels, isClosed) for parameters in known):
            return None
        return f"no {name} takes ({''.join((label or '_') + ':' for label in labels)})"

    @staticmethod
    def fits(parameters, labels, isClosed):
        if parameters is None:
            return not any(labels)
        left = list(labels)
        for label, isOptional, isSeveral, isClosure in parameters:
            if left and left[0] == label:
                left.pop(0)
                while isSeveral and left and left[0] == "":
                    left.pop(0)
            elif not isOptional and not isSeveral and not (isClosed and isClosure):
                return False
        return not left


def calls(code):
    """Owner, name and labels of each call, and whether a closure follows it."""
    for found in re.finditer(r"(?<![\w#@])((?:\w+\??\.)*)\.?(\w+)(?:<[^<>()]*>)?\(", code):
        name = found[2]
        before = code[:found.start()].rstrip().split()[-1:]
        if name in KEYWORDS or name.isdigit() or before == ["func"]:
            continue
        end = closing(code, found.end() - 1)
        labels = []
        for part in parts(code[found.end():end]):
            label = re.match(r"(\w+)\s*:", part)
            labels.append(label[1] if label else "")
        owner = found[1].rstrip(".").split(".")[-1]
        yield owner if owner[:1].isupper() else "", name, labels, code[end + 1:].lstrip().startswith("{")


def members(code):
    return re.findall(r"(?<=[\w)\]}?])\.(\w+)\b(?!\s*\()", code)


def problems(root):
    root = Path(root)
    texts = {path: path.read_text() for path in sorted(root.glob("docs/developer/*.md"))}
    examples = {
        path: [(text[:found.start()].count("\n") + 2, found[1])
               for found in re.finditer(r"^ *```swift\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)]
        for path, text in texts.items()
    }
    sources = [path.read_text() for folder in ("Sources", "Tests") for path in root.glob(f"{folder}/**/*.swift")]
    declared = Declarations(sources, [code for all in examples.values() for _, code in all])
    found = []
    for path, all in examples.items():
        for line, code in all:
            code = plain(code)
            wrong = [declared.call(*call) for call in calls(code)]
            wrong += [f"there is no {name}" for name in members(code)
                      if name not in declared.names | STANDARD | {"self"} and not name.isdigit()]
            found += [f"{path}:{line}: {problem}" for problem in wrong if problem]
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            for owner, name in re.findall(r"`([A-Z]\w+)\.(\w+)[^`]*`", line):
                if owner in declared.types and name not in declared.names | declared.types.keys() | {"swift"}:
                    found.append(f"{path}:{number}: there is no {owner}.{name}")
            for label in re.findall(r"`(\w+): (?:true|false)`", line):
                if label not in declared.labels:
                    found.append(f"{path}:{number}: nothing takes {label}:")
            for name in re.findall(r"`((?:Sources|Tests)/[\w/+.-]+)`", line):
                if ADDED not in name and not (root / name).exists():
                    found.append(f"{path}:{number}: there is no {name}")
    return found


if __name__ == "__main__":
    wrong = problems(Path(__file__).resolve().parents[2])
    for line in wrong:
        print(line)
    sys.exit(bool(wrong))
