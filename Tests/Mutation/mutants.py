"""Mutants of Swift sources: small changes that tests should notice.

All mutants are compiled into one program; an environment variable chooses the one that is active,
so that a mutant costs a run of tests and no build.
"""

import re

# Operators outside of strings, each with what it becomes.
OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
    "+": "-", "-": "+"}
SQL = {
    " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " <> ": " = ",
    " IS NULL": " IS NOT NULL", " IS NOT NULL": " IS NULL", " AND ": " OR ", " OR ": " AND ",
    " NOT EXISTS": " EXISTS", " NOT IN ": " IN ", " + ": " - ", " - ": " + ", " ASC": " DESC",
    " DESC": "", "min(": "max(", "max(": "min("}
CODE = re.compile(r"(?<= )(<=|>=|==|!=|&&|\|\||<|>|\+|-)(?= )")
STATEMENT = re.compile(r"\s+(_ = )?(try )?[a-z][\w.?]*(\(| = )")
LENGTH = re.compile(r"(\.(?:minutes|hours|days)\()(\d+)(?=\))")
TRUTH = re.compile(r"(?<=return )(true|false)$")
CONTINUED = re.compile(r"(=|,|\(|\[|\?\?|&&|\|\||\?|:|return|in|try)$")

SUPPORT = """import Database
import Glibc

let activeMutant = getenv("MUTANT").flatMap { Int(String(cString: $0)) }
func isMutant(_ number: Int) -> Bool { activeMutant == number }
func mutant<T>(_ number: Int, _ own: T, _ other: T) -> T { isMutant(number) ? other : own }
struct SQLMutant { let number: Int; let own: String; let other: String }
extension Query.StringInterpolation {
  mutating func appendInterpolation(_ mutant: SQLMutant) {
    appendLiteral(isMutant(mutant.number) ? mutant.other : mutant.own)
  }
}
"""


class Mutant:
    def __init__(self, number, path, line, source, change):
        self.number, self.path, self.line = number, path, line
        self.source, self.change = source, change

    def __str__(self):
        return f"{self.number} {self.path}:{self.line} {self.change} | {self.source}"


def strings(line):
    """The ranges of a line within quotes, without what is interpolated."""
    found, index, depth, quoted = [], 0, 0, False
    while index < len(line):
        if quoted and line.startswith("\\(", index):
            depth, index = 1, index + 2
            while index < len(line) and depth:
                depth += {"(": 1, ")": -1}.get(line[index], 0)
                index += 1
            continue
        if line[index] == '"':
            quoted = not quoted
        elif quoted:
            found.append(index)
        index += 1
    return set(found)


def interpolated(line):
    """The positions of a line of a text that belong to interpolated values."""
    found, index = set(), 0
    while (begin := line.find("\\(", index)) >= 0:
        depth, index = 1, begin + 2
        while index < len(line) and depth:
            depth += {"(": 1, ")": -1}.get(line[index], 0)
            index += 1
        found |= set(range(begin, index))
    return found


class Mutator:
    """Collects the mutants of files and writes them."""

    def __init__(self, dropped=()):
        # Mutants that don't compile, by path, line and change.
        self.dropped = set(dropped)
        self.mutants, self.operators = [], []

    def add(self, path, line, source, change):
        if (path, line, change) in self.dropped:
            return None
        self.mutants.append(Mutant(len(self.mutants) + 1, path, line, source.strip(), change))
        return self.mutants[-1].number

    def file(self, path, text):
        lines, result, is_text, is_sql = text.split("\n"), [], False, False
        skip_until = -1
        for index, line in enumerate(lines):
            code = line.strip()
            if code.count('"""') == 1:
                is_text = not is_text
                following = lines[index + 1].strip() if index + 1 < len(lines) else ""
                is_sql = is_text and (
                    following.startswith(("SELECT", "UPDATE", "INSERT", "DELETE", "id,")))
                result.append(line)
                continue
            if is_text:
                result.append(self.sql(path, index + 1, line, interpolated(line)) if is_sql else line)
                continue
            if code.startswith("//") or not code:
                result.append(line)
                continue
            quoted = strings(line)
            mutated = self.code(path, index + 1, line, quoted)
            if re.search(r'"(SELECT|UPDATE|INSERT|DELETE) ', line):
                outside = set(range(len(line))) - quoted
                if mutated == line:
                    mutated = self.sql(path, index + 1, line, outside)
            if index > skip_until:
                end = self.statement_end(lines, index)
                if end is not None:
                    number = self.add(path, index + 1, line, "removed")
                    if number:
                        indent = line[:len(line) - len(line.lstrip())]
                        mutated = f"{indent}if !isMutant({number}) {{ {mutated.strip()}"
                        skip_until = end
                        if end == index:
                            mutated += " }"
            elif index == skip_until:
                mutated += " }"
            result.append(mutated)
        return "\n".join(result)

    @staticmethod
    def statement_end(lines, index):
        """The last line of a statement that may be left out; None for other lines."""
        before = lines[index - 1].strip() if index else ""
        if not STATEMENT.match(lines[index]) or CONTINUED.search(before) or before.startswith("//"):
            return None
        depth = 0
        for end in range(index, min(index + 8, len(lines))):
            code = lines[end]
            if '"""' in code or "{" in code or "}" in code:
                return None
            depth += sum({"(": 1, ")": -1, "[": 1, "]": -1}.get(c, 0) for c in code)
            if depth == 0:
                following = lines[end + 1].strip() if end + 1 < len(lines) else ""
                if CONTINUED.search(code) or following.startswith((".", "?", ":", "&&", "||", "+")):
                    return None
                return end
        return None

    def code(self, path, line, text, quoted):
        def operator(match):
            own = match[1]
            if match.start() in quoted or own in "+-" and '"' in text:
                return own
            number = self.add(path, line, text, f"{own} → {OPERATORS[own]} at {match.start()}")
            if not number:
                return own
            name = own + "".join("~^%"[int(digit)] for digit in ternary(number))
            self.operators.append((own, name, number))
            return name

        def value(match):
            own = int(match[2])
            number = self.add(path, line, text, f"{own} → {own + 1}")
            return f"{match[1]}mutant({number}, {own}, {own + 1})" if number else match[0]

        def truth(match):
            other = {"true": "false", "false": "true"}[match[0]]
            number = self.add(path, line, text, f"{match[0]} → {other}")
            return f"mutant({number}, {match[0]}, {other})" if number else match[0]

        return TRUTH.sub(truth, LENGTH.sub(value, CODE.sub(operator, text)))

    def sql(self, path, line, text, spared):
        index, result = 0, ""
        while index < len(text):
            own = next((key for key in SQL if text.startswith(key, index)), None)
            number = own and index not in spared and self.add(
                path, line, text, f"SQL {own.strip()} → {SQL[own].strip()} at {index}")
            if number:
                result += f'\\(SQLMutant(number: {number}, own: "{own}", other: "{SQL[own]}"))'
                index += len(own)
            else:
                result += text[index]
                index += 1
        return result

    def support(self):
        """The source file that the changed ones need."""
        parts = [SUPPORT]
        for own, name, number in self.operators:
            other = OPERATORS[own]
            if own in ("&&", "||"):
                precedence = "LogicalConjunction" if own == "&&" else "LogicalDisjunction"
                parts.append(
                    f"infix operator {name}: {precedence}Precedence\n"
                    f"func {name} (a: Bool, b: @autoclosure () throws -> Bool) rethrows -> Bool "
                    f"{{ isMutant({number}) ? try a {other} b() : try a {own} b() }}")
            elif own in "+-":
                parts.append(
                    f"infix operator {name}: AdditionPrecedence\n"
                    f"func {name} <T: AdditiveArithmetic>(a: T, b: T) -> T "
                    f"{{ isMutant({number}) ? a {other} b : a {own} b }}")
            else:
                kind = "Equatable" if own in ("==", "!=") else "Comparable"
                parts.append(
                    f"infix operator {name}: ComparisonPrecedence\n"
                    f"func {name} <T: {kind}>(a: T, b: T) -> Bool "
                    f"{{ isMutant({number}) ? a {other} b : a {own} b }}")
        return "\n".join(parts) + "\n"


def ternary(number):
    digits = ""
    while number:
        digits, number = str(number % 3) + digits, number // 3
    return digits
