"""A story saved into a 12-megapixel JPEG, beside exiftool writing the same tags.

Interleaved rounds over a generated photograph; prints medians and ratios; judges nothing.
Ours does more: it throws the rest away, waits for the disk, and reads the file back.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = os.environ.get("PROGRAM", ROOT / ".build/release/photo-story-tool")
CONVERT = "/usr/bin/convert"
ROUNDS = int(os.environ.get("ROUNDS", "15"))
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


def photograph(file):
    """Soft shapes with grain, like what a camera gives: 4000 × 3000."""
    subprocess.run(
        [CONVERT, "-size", "1000x750", "plasma:tomato-steelblue", "-resize", "4000x3000!",
         "-attenuate", "0.25", "+noise", "Gaussian", "-quality", "92", file], check=True)


def ours(source, target, _):
    subprocess.run([PROGRAM, "write", source, target], input=STORY.encode(), check=True,
                   stdout=subprocess.DEVNULL)


def exiftool(source, target, config):
    subprocess.run(
        ["exiftool", "-config", config, "-q", "-o", target, "-IPTC:CodedCharacterSet=UTF8",
         "-IFD0:DocumentName=ai.album.story", f"-IFD0:ImageDescription={STORY}",
         f"-ExifIFD:UserComment=ai.album.story={STORY}",
         "-IPTC:OriginatingProgram=ai.album.story", "-IPTC:ProgramVersion=1",
         f"-IPTC:Caption-Abstract={STORY}", f"-XMP-dc:Description={STORY}",
         f"-XMP-pairspot:Story={STORY}", source], check=True, stdin=subprocess.DEVNULL)


def expect_story(file):
    """Both must have done the work."""
    seen = json.loads(subprocess.run(
        ["exiftool", "-j", "-G1", file], check=True, capture_output=True).stdout)[0]
    for tag in ["IFD0:ImageDescription", "IPTC:Caption-Abstract", "XMP-dc:Description",
                "XMP-pairspot:Story"]:
        if seen.get(tag) != STORY:
            sys.exit(f"{file}: {tag} is {seen.get(tag)}")


def main():
    with tempfile.TemporaryDirectory(prefix="pairspot-bench-") as folder:
        folder = pathlib.Path(folder)
        source, config = folder / "photo.jpg", folder / "config"
        config.write_text(CONFIG)
        photograph(source)
        subjects = dict(PairSpot=ours, exiftool=exiftool)
        results = {name: [] for name in subjects}
        for number in range(ROUNDS):
            for name, save in subjects.items():
                target = folder / f"{name}.jpg"
                target.unlink(missing_ok=True)
                started = time.perf_counter()
                save(source, target, config)
                results[name].append(time.perf_counter() - started)
                if number == 0:
                    expect_story(target)
        print(f"{source.stat().st_size / 1e6:.1f} MB, 4000 × 3000, {ROUNDS} rounds")
        for name, seconds in results.items():
            print(f"{name}: {statistics.median(seconds) * 1000:.1f} ms"
                  f" ({min(seconds) * 1000:.1f}–{max(seconds) * 1000:.1f})")
        ratio = statistics.median(results["PairSpot"]) / statistics.median(results["exiftool"])
        print(f"PairSpot / exiftool: {ratio:.3f}")


if __name__ == "__main__":
    main()
