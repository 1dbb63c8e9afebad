"""A story saved into a 12-megapixel JPEG, beside exiftool writing the same tags.

Interleaved rounds over a generated photograph: with a process for each photo, and with programs
that stay (exiftool's `-stay_open`; the product calls the room in its own process). Measured are the
time that passes and the processors' time.
Ours does more: it throws the rest away, waits for the disk, and reads the file back.
"""

import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

from shared import knobs
from shared.figures import Row, ratio, short, spread, summary
from shared.photograph import photograph
from shared.rounds import in_turn

PROGRAM = knobs.STORY_PROGRAM
ROUNDS = 3 * knobs.ROUNDS
STORY = "那年夏天我們在海邊走了很久，" * 21 + "風很大。很好"

# exiftool doesn't know our names: the same as a person would configure it.
CONFIG = """
%Image::ExifTool::UserDefined = (
  'Image::ExifTool::XMP::Main' => {
    pairspot => { SubDirectory => { TagTable => 'Image::ExifTool::UserDefined::pairspot' } },
  },
);
%Image::ExifTool::UserDefined::pairspot = (
  GROUPS => { 0 => 'XMP', 1 => 'XMP-pairspot', 2 => 'Image' },
  NAMESPACE => { pairspot => 'urn:pairspot:album:1.0#' },
  WRITABLE => 'string',
  story => { },
);
1;
"""


# What has to stand in the file, whoever has written it.
TAGS = {
    "IPTC:CodedCharacterSet": "UTF8", "IFD0:DocumentName": "ai.album.story",
    "IFD0:ImageDescription": STORY, "ExifIFD:UserComment": f"ai.album.story={STORY}",
    "IPTC:OriginatingProgram": "ai.album.story", "IPTC:ProgramVersion": "1",
    "IPTC:Caption-Abstract": STORY, "XMP-dc:Description": STORY, "XMP-pairspot:Story": STORY}


def fields():
    """What exiftool is to write."""
    return [f"-{tag}={words}" for tag, words in TAGS.items()]


class Alone:
    """A process for each photo."""

    def __init__(self, command, arguments=(), typed=b""):
        self.command, self.arguments, self.typed = command, arguments, typed

    def save(self, source, target):
        subprocess.run([*self.command, *(part.format(source, target) for part in self.arguments)],
                       input=self.typed, check=True, stdout=subprocess.DEVNULL)

    def used(self):
        """Seconds of processor time, so far."""
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime


class Staying:
    """One process for all."""

    def __init__(self, command, request, answer):
        self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.request, self.answer = request, answer

    def save(self, source, target):
        self.process.stdin.write(self.request(source, target).encode())
        self.process.stdin.flush()
        for expected in self.answer:
            line = self.process.stdout.readline()
            if line != expected:
                sys.exit(f"it answered {line}")

    def end(self):
        self.process.kill()
        self.process.wait()

    def used(self):
        numbers = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2]
        user, system = numbers.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def subjects(config):
    ours = Alone([PROGRAM, "write"], ["{0}", "{1}"], STORY.encode())
    theirs = Alone(["exiftool", "-config", config, *fields()], ["-o", "{1}", "{0}"])
    return {
        "PairSpot": ours, "exiftool": theirs,
        "PairSpot, staying": Staying(
            [PROGRAM, "stay"], lambda source, target: f"{source}\t{target}\t{STORY}\n", [b"{}\n"]),
        "exiftool, staying": Staying(
            ["exiftool", "-config", config, "-stay_open", "True", "-@", "-"],
            lambda source, target: "\n".join(
                [*fields(), "-o", str(target), str(source), "-execute", ""]),
            [b"    1 image files created\n", b"{ready}\n"]),
    }


def expect_story(file):
    """Both must have done the work."""
    seen = json.loads(subprocess.run(
        ["exiftool", "-j", "-G1", file], check=True, capture_output=True).stdout)[0]
    for tag, words in TAGS.items():
        # Of figures JSON makes numbers.
        if str(seen.get(tag)) != words:
            sys.exit(f"{file}: {tag} is {seen.get(tag)}")


def rows(folder):
    source, config = folder / "photo.jpg", folder / "config"
    config.write_text(CONFIG)
    photograph(source)
    measured = subjects(config)
    passed = {name: [] for name in measured}
    used = {name: [] for name in measured}
    try:
        targets = {name: folder / f"{name}.jpg" for name in measured}
        for number in range(ROUNDS):
            for name, subject in in_turn(measured.items(), number):
                target = targets[name]
                target.unlink(missing_ok=True)
                before, started = subject.used(), time.perf_counter()
                subject.save(source, target)
                passed[name].append(1000 * (time.perf_counter() - started))
                used[name].append(1000 * (subject.used() - before))
            for target in targets.values():
                expect_story(target)
    finally:
        for subject in measured.values():
            if isinstance(subject, Staying):
                subject.end()
    print(f"{source.stat().st_size / 1e6:.1f} MB, 4000 × 3000, {ROUNDS} rounds")
    for name in measured:
        # Of what the system counts in ticks no single figure says much.
        print(f"{name}: {spread(passed[name], 'ms')},"
              f" processors {statistics.fmean(used[name]):.1f} ms")
    return [row("", "a process each", 0.1, passed, used),
            row(", staying", "both staying", None, passed, used)]


def row(manner, words, aim, passed, used):
    ours, theirs = f"PairSpot{manner}", f"exiftool{manner}"
    found = ratio(passed[ours], passed[theirs])
    work = statistics.fmean(used[ours]) / max(statistics.fmean(used[theirs]), 1e-9)
    return Row(
        "photo story saved (12 MP JPEG)", f"exiftool, the same tags, {words}; time", found,
        "≤ 0.1" if aim else "", aim and found.middle <= aim,
        f"{short(statistics.median(passed[ours]))} beside"
        f" {short(statistics.median(passed[theirs]))} ms, processors' time {short(work)}",
        {f"{name}_ms": summary(passed[name]) for name in (ours, theirs)})
