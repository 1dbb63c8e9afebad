"""A 12-megapixel JPEG made into our files, beside ImageMagick making the same ones.

Interleaved rounds over a generated photograph.
"""

import os
import statistics
import subprocess
import sys
import time
import uuid

from shared.figures import Row, ratio, spread, summary
from shared import knobs
from shared.photograph import CONVERT, photograph
from shared.rounds import in_turn

ROUNDS = max(knobs.ROUNDS, 2 * knobs.ROUNDS - 1)


def ours(file, folder):
    subprocess.run(
        [knobs.PROGRAM, "picture-child", "post", file, folder, str(uuid.uuid4())], check=True,
        stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return 5


def imagemagick(file, folder):
    """The same five files: full size, 800 px and a square of 300 px, the two also as WebP."""
    name = folder / "other"
    subprocess.run(
        [CONVERT, file, "-auto-orient", "-strip", "-quality", "90",
         "-write", f"{name}_original.jpg", "-resize", "800x", "-quality", "82",
         "-write", f"{name}_medium.jpg", "-write", f"{name}_medium.webp",
         "-resize", "300x300^", "-gravity", "center", "-extent", "300x300",
         "-write", f"{name}_thumb.jpg", f"{name}_thumb.webp"], check=True)
    return 5


def measured(make, file, folder):
    """Seconds from start to end."""
    folder.mkdir()
    started = time.perf_counter()
    child = os.fork()
    if child == 0:
        os._exit(0 if make(file, folder) == len(list(folder.iterdir())) else 1)
    _, status = os.waitpid(child, 0)
    seconds = time.perf_counter() - started
    if status != 0:
        sys.exit(f"{make.__name__} did not make its five files")
    return seconds


def peak(command):
    """The greatest resident size in MB of one command run alone."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    return usage.ru_maxrss / 1024


def rows(folder):
    file = folder / "photo.jpg"
    photograph(file)
    subjects = dict(PairSpot=ours, ImageMagick=imagemagick)
    results = {name: [] for name in subjects}
    for number in range(ROUNDS):
        for name, make in in_turn(subjects.items(), number):
            results[name].append(measured(make, file, folder / f"{name}{number}"))
    print(f"{file.stat().st_size / 1e6:.1f} MB, 4000 × 3000, {ROUNDS} rounds")
    for name, seconds in results.items():
        print(f"{name}: {spread(seconds, 's')}")
    out = folder / "memory"
    out.mkdir()
    ours_peak = peak([knobs.PROGRAM, "picture-child", "post", file, out, str(uuid.uuid4())])
    other = peak([CONVERT, file, "-auto-orient", "-strip", "-write", out / "a.jpg",
                  "-resize", "800x", out / "b.jpg"])
    found = ratio(results["PairSpot"], results["ImageMagick"])
    figures = {f"{name}_s": summary(seconds) for name, seconds in results.items()}
    return [Row(
        "12 MP upload to its five files", "ImageMagick `convert`, the same five; time", found,
        "no slower", found.middle <= 1,
        f"{statistics.median(results['PairSpot']):.2f} beside"
        f" {statistics.median(results['ImageMagick']):.2f} s; at most {ours_peak:.0f} beside"
        f" {other:.0f} MB", figures)]
