"""Medians, ratios and their spread."""

import statistics
from dataclasses import dataclass, field


@dataclass
class Ratio:
    """Ratio of two subjects measured in the same rounds: the median of the rounds' ratios, the
    smallest and the largest."""
    middle: float
    least: float
    most: float

    def __str__(self):
        return f"{short(self.middle)} ({short(self.least)}–{short(self.most)})"


@dataclass
class Row:
    """One line of the table. `meets` is None without a ratio to compare."""
    what: str
    beside: str
    ratio: object
    aim: str
    meets: bool | None = None
    note: str = ""
    figures: dict = field(default_factory=dict)
    # Load of the machine before the measurement.
    load_before: float | None = None

    @property
    def mark(self):
        return {True: "met", False: "missed", None: ""}[self.meets]

    def line(self):
        cells = [self.what, self.beside, str(self.ratio), self.aim,
                 "; ".join(part for part in (self.mark, self.note) if part)]
        return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"

    def as_json(self):
        ratio = self.ratio
        if isinstance(ratio, Ratio):
            ratio = dict(median=ratio.middle, least=ratio.least, most=ratio.most)
        return dict(what=self.what, beside=self.beside, ratio=ratio, aim=self.aim, met=self.meets,
                    note=self.note, load_before=self.load_before, figures=self.figures)


HEAD = "| what | beside | ratio (spread) | aim | |\n| --- | --- | --- | --- | --- |"


def table(rows):
    return "\n".join([HEAD, *(row.line() for row in rows)])


def ratio(ours, others):
    """Round by round, so that a machine that becomes slower affects both."""
    if len(ours) != len(others) or not ours:
        raise ValueError(f"{len(ours)} rounds beside {len(others)}")
    rounds = [one / other for one, other in zip(ours, others)]
    return Ratio(statistics.median(rounds), min(rounds), max(rounds))


def spread(values, unit="", digits=None):
    """"12.5 ms (11.9–14.0)"."""
    form = short if digits is None else lambda value: f"{value:,.{digits}f}"
    middle = form(statistics.median(values))
    return f"{middle}{unit and ' ' + unit} ({form(min(values))}–{form(max(values))})"


def summary(values):
    """For the JSON."""
    return dict(median=statistics.median(values), least=min(values), most=max(values),
                rounds=list(values))


def short(value):
    """Three significant figures."""
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else (
        f"{value:.2f}" if size >= 0.1 else f"{value:.3f}")
