"""Saving a story into a 12-megapixel JPEG, compared with exiftool writing the same tags.

Interleaved rounds of some seconds each over a generated photo: with a process for each photo,
and with persistent programs (exiftool's `-stay_open`; the product calls the module in its own
process). Ours is `photo-story-tool`, the product's module `PhotoMetadata` as a program, without
HTTP. Measures elapsed and CPU time.
Ours does more: it drops other metadata, syncs to disk, and reads the file back.
"""

import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import time

from shared import knobs, machine
from shared.figures import Row, ratio, short, spread, summary
from shared.photograph import photograph
from shared.rounds import in_turn

PROGRAM = knobs.STORY_PROGRAM
# Length of one round of one subject, in s.
SPAN = min(3, knobs.SECONDS)
STORY = "那年夏天我們在海邊走了很久，" * 21 + "風很大。很好"

# exiftool doesn't know our names: the same configuration as for a user.
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


COPY = "copy and fsync"
# Expected tags in the file, for both programs.
TAGS = {
    "IPTC:CodedCharacterSet": "UTF8", "IFD0:DocumentName": "ai.album.story",
    "IFD0:ImageDescription": STORY, "ExifIFD:UserComment": f"ai.album.story={STORY}",
    "IPTC:OriginatingProgram": "ai.album.story", "IPTC:ProgramVersion": "1",
    "IPTC:Caption-Abstract": STORY, "XMP-dc:Description": STORY, "XMP-pairspot:Story": STORY}


def fields():
    """Arguments for exiftool."""
    return [f"-{tag}={words}" for tag, words in TAGS.items()]


class Alone:
    """A process for each photo."""

    def __init__(self, command, arguments=(), typed=b""):
        self.command, self.arguments, self.typed = command, arguments, typed

    def save(self, source, target):
        subprocess.run([*self.command, *(part.format(source, target) for part in self.arguments)],
                       input=self.typed, check=True, stdout=subprocess.DEVNULL)

    def used(self):
        """CPU time so far, in s."""
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


class Copy:
    """The bytes alone, on disk: what any way of saving them must take."""

    def save(self, source, target):
        with open(source, "rb") as old, open(target, "xb") as new:
            shutil.copyfileobj(old, new, 1 << 20)
            os.fsync(new.fileno())

    def used(self):
        return time.process_time()


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
        COPY: Copy(),
    }


def expect_story(file):
    """Both must have done the work."""
    seen = json.loads(subprocess.run(
        ["exiftool", "-j", "-G1", file], check=True, capture_output=True).stdout)[0]
    for tag, words in TAGS.items():
        # JSON turns figures into numbers.
        if str(seen.get(tag)) != words:
            sys.exit(f"{file}: {tag} is {seen.get(tag)}")


def shots(subject, source, target):
    """As many photos as fit into a round: ms of each, and CPU time per photo in ms."""
    # Earlier writes, for which exiftool doesn't wait, must not delay the next program.
    os.sync()
    passed, before = [], subject.used()
    end = time.perf_counter() + SPAN
    while time.perf_counter() < end:
        target.unlink(missing_ok=True)
        started = time.perf_counter()
        subject.save(source, target)
        passed.append(1000 * (time.perf_counter() - started))
    return passed, 1000 * (subject.used() - before) / len(passed)


def rows(folder):
    source, config = folder / "photo.jpg", folder / "config"
    config.write_text(CONFIG)
    photograph(source)
    measured = subjects(config)
    passed = {name: [] for name in measured}
    used = {name: [] for name in measured}
    targets = {name: folder / f"{name}.jpg" for name in measured}
    try:
        machine.quiet()
        for number in range(knobs.ROUNDS):
            for name, subject in in_turn(measured.items(), number):
                each, work = shots(subject, source, targets[name])
                passed[name].append(each)
                used[name].append(work)
            for name, target in targets.items():
                if name != COPY:
                    expect_story(target)
    finally:
        for subject in measured.values():
            if isinstance(subject, Staying):
                subject.end()
    print(f"{source.stat().st_size / 1e6:.1f} MB, 4000 × 3000, {knobs.ROUNDS} rounds of {SPAN} s")
    for name in measured:
        print(f"{name}: {spread(middles(passed[name]), 'ms')} by rounds,"
              f" {spread([one for each in passed[name] for one in each], 'ms')} of all,"
              f" {sum(map(len, passed[name]))} photos, processors {spread(used[name], 'ms')}")
    return [row("PairSpot", "exiftool", "the same tags, a process each", 0.1, passed, used),
            row("PairSpot, staying", "exiftool, staying", "the same tags", 0.3, passed, used),
            row("PairSpot, staying", COPY, "of the same file, in Python", 1.5, passed, used)]


def middles(rounds):
    return [statistics.median(each) for each in rounds]


def row(ours, theirs, words, aim, passed, used):
    middle = {name: middles(passed[name]) for name in (ours, theirs)}
    count = {name: sum(map(len, passed[name])) for name in (ours, theirs)}
    found, work = ratio(middle[ours], middle[theirs]), ratio(used[ours], used[theirs])
    return Row(
        "photo story saved (12 MP JPEG) by `photo-story-tool`, no HTTP",
        f"{theirs}, {words}; time", found, f"≤ {aim}", found.middle <= aim,
        f"{short(statistics.median(middle[ours]))} beside {short(statistics.median(middle[theirs]))} ms,"
        f" processors' time {work}; {count[ours]:,} and {count[theirs]:,} photos; ours waits for the disk"
        " and reads back",
        {f"{name}_ms": summary(middle[name]) | {
            "photos": list(map(len, passed[name])), "slowest": max(map(max, passed[name])),
            "processors_ms": summary(used[name])} for name in middle})
