"""Processing a 12-megapixel JPEG into our files with `pairspot-pictures`, the program started by the
handlers for each picture of an upload, without HTTP: the five files of a post beside ImageMagick,
and the four of an album's photo, which have no full size, beside `vipsthumbnail`.

Interleaved rounds of some seconds each over a generated photo; the results of both are verified
in every round, outside of the measured time: formats, sizes, and likeness to the photo. The peak
memory of both is measured in a separate run in each round, in the same way.
"""

import os
import shlex
import shutil
import statistics
import subprocess
import sys
import time
import uuid

from shared import knobs, machine
from shared.figures import Row, ratio, short, spread, summary
from shared.photograph import CONVERT, photograph
from shared.rounds import in_turn

# Length of one round of one subject, in s.
SPAN = min(4, knobs.SECONDS)
# Expected results for 4000 × 3000 px: at most 800 px wide, and a square; for posts also in full.
SMALL_FILES = [("JPEG", 300, 300), ("JPEG", 800, 600), ("WEBP", 300, 300), ("WEBP", 800, 600)]
ALL_FILES = sorted([*SMALL_FILES, ("JPEG", 4000, 3000)])
# Maximum difference of a picture's mean colours from the photo's, of 1.
NEAR = 0.03


def ours(kind):
    def command(file, folder):
        return [knobs.PICTURES, kind, file, folder, str(uuid.uuid4())]
    return command


def imagemagick(file, folder):
    """The same five files: full size, 800 px and a square of 300 px, the latter two also as
    WebP."""
    name = folder / "other"
    return [CONVERT, file, "-auto-orient", "-strip", "-quality", "90",
            "-write", f"{name}_original.jpg", "-resize", "800x", "-quality", "82",
            "-write", f"{name}_medium.jpg", "-write", f"{name}_medium.webp",
            "-resize", "300x300^", "-gravity", "center", "-extent", "300x300",
            "-write", f"{name}_thumb.jpg", f"{name}_thumb.webp"]


def vips(file, folder):
    """The four small files, by a process each, as the program wants it."""
    sizes = {"medium": ["--size", "800x"], "thumb": ["--size", "300x300", "--smartcrop", "centre"]}
    lines = [
        shlex.join(["vipsthumbnail", str(file), *size, "-o", f"{folder}/{name}.{kind}[Q=82,strip{more}]"])
        for name, size in sizes.items() for kind, more in [("jpg", ",interlace"), ("webp", "")]]
    return ["/bin/sh", "-c", " && ".join(lines)]


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def shots(name, make, file, folder, wanted):
    """Seconds of each picture, as many as fit into a round; the files of the last one stay."""
    # Ours syncs to disk: it must not wait for earlier writes of others.
    os.sync()
    passed, end = [], time.perf_counter() + SPAN
    while time.perf_counter() < end:
        command = make(file, fresh(folder))
        started = time.perf_counter()
        done = run(command)
        passed.append(time.perf_counter() - started)
        if done.returncode != 0 or len(list(folder.iterdir())) != len(wanted):
            sys.exit(f"{name} ended with {done.returncode}")
    return passed


def peak(name, command):
    """Peak resident size in MB. A child's peak begins with its parent's, so it is started by a
    small process."""
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
    """Format, width, height, and mean of red, green and blue of each file."""
    said = subprocess.run(
        ["/usr/bin/identify", "-format", "%m %w %h %[fx:mean.r] %[fx:mean.g] %[fx:mean.b]\\n", *files],
        check=True, capture_output=True, text=True).stdout
    for line in said.splitlines():
        kind, width, height, *means = line.split()
        yield (kind, int(width), int(height)), [float(mean) for mean in means]


def expect(name, folder, wanted, whole, middle):
    """The files have the expected properties and show the photo."""
    found = list(seen(sorted(folder.iterdir())))
    if sorted(what for what, _ in found) != wanted:
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
    machine.quiet()
    posts = measured(dict(PairSpot=ours("post"), ImageMagick=imagemagick), ALL_FILES, file, folder,
                     whole, middle)
    photos = measured(dict(PairSpot=ours("photo"), vipsthumbnail=vips), SMALL_FILES, file, folder,
                      whole, middle)
    return [
        row("12 MP upload to its five files, by `pairspot-pictures post`, no HTTP", "ImageMagick `convert`",
            *posts, 0.35, file.stat().st_size),
        row("12 MP photo to its four small files, by `pairspot-pictures photo`, no HTTP",
            "`vipsthumbnail`, a process a file", *photos, 1.3, file.stat().st_size),
        memory(posts[1]["PairSpot"]),
    ]


def measured(subjects, wanted, file, folder, whole, middle):
    """Seconds and peak memory of each subject, a list a round."""
    results, peaks = {name: [] for name in subjects}, {name: [] for name in subjects}
    for number in range(knobs.ROUNDS):
        for name, make in in_turn(subjects.items(), number):
            results[name].append(shots(name, make, file, folder / name, wanted))
            expect(name, folder / name, wanted, whole, middle)
            peaks[name].append(peak(name, make(file, fresh(folder / name))))
    return results, peaks


def row(what, beside, results, peaks, aim, size):
    print(f"{size / 1e6:.1f} MB, 4000 × 3000, {knobs.ROUNDS} rounds of {SPAN} s")
    middles = {name: [statistics.median(each) for each in them] for name, them in results.items()}
    count = {name: sum(map(len, them)) for name, them in results.items()}
    for name in results:
        print(f"{name}: {spread(middles[name], 's')} by rounds, {count[name]} pictures, at most"
              f" {spread(peaks[name], 'MB')} resident")
    found = ratio(*middles.values())
    time_beside, peak_beside, pictures = (" beside ".join(form(name) for name in results) for form in (
        lambda name: short(statistics.median(middles[name])),
        lambda name: spread(peaks[name], digits=0), lambda name: str(count[name])))
    return Row(
        what, f"{beside}, the same files; time", found, f"≤ {aim}", found.middle <= aim,
        f"{time_beside} s; {pictures} pictures; at most {peak_beside} MB resident; ours waits for the"
        " disk", {f"{name}_s": summary(middles[name]) | {"pictures": list(map(len, results[name]))}
                  for name in results} | {
                      f"{name}_peak_MB": summary(them) for name, them in peaks.items()})


def memory(peaks):
    return Row(
        "memory of one picture of a post, 12 MP", "", f"{spread(peaks, 'MB', digits=0)}", "≤ 50 MB",
        statistics.median(peaks) <= 50, "peak resident size", {"MB": summary(peaks)})
