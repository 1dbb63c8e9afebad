"""A 12-megapixel JPEG made into our files, beside ImageMagick making the same ones.

Interleaved rounds over a generated photograph; what both have made is looked at in every round, outside
of the measured time: formats, sizes, and that it is the photograph.
"""

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
# What has to come of 4000 × 3000 pixels: in full, at most 800 wide, and a square.
WANTED = sorted([("JPEG", 4000, 3000), ("JPEG", 800, 600), ("WEBP", 800, 600), ("JPEG", 300, 300),
                 ("WEBP", 300, 300)])
# How far the mean of a picture's colours may be from that of the photograph, of 1.
NEAR = 0.03


def ours(file, folder):
    return [knobs.PROGRAM, "picture-child", "post", file, folder, str(uuid.uuid4())]


def imagemagick(file, folder):
    """The same five files: full size, 800 px and a square of 300 px, the two also as WebP."""
    name = folder / "other"
    return [CONVERT, file, "-auto-orient", "-strip", "-quality", "90",
            "-write", f"{name}_original.jpg", "-resize", "800x", "-quality", "82",
            "-write", f"{name}_medium.jpg", "-write", f"{name}_medium.webp",
            "-resize", "300x300^", "-gravity", "center", "-extent", "300x300",
            "-write", f"{name}_thumb.jpg", f"{name}_thumb.webp"]


def measured(name, command):
    """Seconds from start to end."""
    started = time.perf_counter()
    done = run(command)
    seconds = time.perf_counter() - started
    if done.returncode != 0:
        sys.exit(f"{name} ended with {done.returncode}")
    return seconds


def peak(name, command):
    """The greatest resident size in MB. A child's begins with that of who started it: so it is started
    by somebody small."""
    done = run([sys.executable, "-S", "-c", SMALL, *command], stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{name} ended with {done.returncode}")
    return int(done.stdout) / 1024


SMALL = """import os, resource, sys
if not (child := os.fork()):
    os.dup2(2, 1)
    os.execv(sys.argv[1], sys.argv[1:])
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code != 0)"""


def run(command, stdout=subprocess.DEVNULL):
    return subprocess.run(
        [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=stdout,
        stderr=subprocess.DEVNULL)


def seen(files):
    """Format, width, height, and the mean of red, green and blue of each file."""
    said = subprocess.run(
        ["/usr/bin/identify", "-format", "%m %w %h %[fx:mean.r] %[fx:mean.g] %[fx:mean.b]\\n", *files],
        check=True, capture_output=True, text=True).stdout
    for line in said.splitlines():
        kind, width, height, *means = line.split()
        yield (kind, int(width), int(height)), [float(mean) for mean in means]


def expect_five(name, folder, whole, middle):
    """The five files are what they have to be, and show the photograph."""
    found = list(seen(sorted(folder.iterdir())))
    if sorted(what for what, _ in found) != WANTED:
        sys.exit(f"{name} has made {sorted(what for what, _ in found)}")
    for what, means in found:
        right = middle if what[1] == what[2] else whole
        far = max(abs(one - other) for one, other in zip(means, right))
        if far > NEAR:
            sys.exit(f"{name}: {what} is another picture: its colours are off by {far:.3f}")


def rows(folder):
    file, square = folder / "photo.jpg", folder / "square.png"
    photograph(file)
    subprocess.run([CONVERT, file, "-gravity", "center", "-crop", "3000x3000+0+0", "+repage",
                    "-resize", "300x300", square], check=True)
    ((_, whole),), ((_, middle),) = list(seen([file])), list(seen([square]))
    subjects = dict(PairSpot=ours, ImageMagick=imagemagick)
    results = {name: [] for name in subjects}
    for number in range(ROUNDS):
        for name, make in in_turn(subjects.items(), number):
            made = folder / f"{name}{number}"
            made.mkdir()
            results[name].append(measured(name, make(file, made)))
        for name in subjects:
            expect_five(name, folder / f"{name}{number}", whole, middle)
    print(f"{file.stat().st_size / 1e6:.1f} MB, 4000 × 3000, {ROUNDS} rounds")
    peaks = {}
    for name, make in subjects.items():
        made = folder / f"{name}-peak"
        made.mkdir()
        peaks[name] = peak(name, make(file, made))
        print(f"{name}: {spread(results[name], 's')}, at most {peaks[name]:.0f} MB resident")
    found = ratio(results["PairSpot"], results["ImageMagick"])
    figures = {f"{name}_s": summary(them) for name, them in results.items()} | {
        f"{name}_peak_MB": size for name, size in peaks.items()}
    return [Row(
        "12 MP upload to its five files", "ImageMagick `convert`, the same five; time", found,
        "no slower", found.middle <= 1,
        f"{statistics.median(results['PairSpot']):.2f} beside"
        f" {statistics.median(results['ImageMagick']):.2f} s; at most {peaks['PairSpot']:.0f} beside"
        f" {peaks['ImageMagick']:.0f} MB for the same", figures)]
