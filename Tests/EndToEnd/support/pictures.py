"""Camera pictures, and some artificial ones."""

import functools
import io
import struct
import subprocess
import zlib
from pathlib import Path

from PIL import Image, ImageChops, ImageCms, ImageOps, ImageStat

SAMPLES = Path("/usr/share/gocode/src/github.com/rwcarlsen/goexif/exif")
WITH_PLACE = SAMPLES / "sample1.jpg"  # 500 × 375, with GPS
TURNED = SAMPLES / "samples/has-lens-info.jpg"  # 205 × 102, to be turned to 102 × 205, with GPS
ODD_PLACE = SAMPLES / "samples/geodegrees_as_string.jpg"  # 205 × 102, GPS of the wrong type


@functools.cache
def profile():
    """A colour profile that visibly changes colours: sRGB with red and blue swapped."""
    content = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    return content.replace(b"rXYZ", b"swap").replace(b"bXYZ", b"rXYZ").replace(b"swap", b"bXYZ")


def with_profile(folder):
    """A camera's photo, with a colour profile added by exiftool."""
    icc = folder / "profile.icc"
    icc.write_bytes(profile())
    file = folder / "profiled.jpg"
    file.write_bytes(ODD_PLACE.read_bytes())
    subprocess.run(
        ["exiftool", "-q", "-overwrite_original", f"-ICC_Profile<={icc}", str(file)], check=True)
    return file


def profile_of(file):
    """The colour profile in a file, as Pillow reads it."""
    with Image.open(file) as picture:
        return picture.info.get("icc_profile")


def looks_like(content, file, size=(24, 24)):
    """Whether a picture looks like a file rotated upright."""
    def small(source):
        with Image.open(source) as picture:
            return ImageOps.exif_transpose(picture).convert("RGB").resize(size)
    difference = ImageChops.difference(small(io.BytesIO(content)), small(file))
    return max(ImageStat.Stat(difference).mean) < 6


def drawn_png(folder, size=(320, 200), colour=(200, 40, 40)):
    file = folder / "drawn.png"
    image = Image.new("RGB", size, colour)
    image.paste((20, 80, 160), (0, 0, size[0] // 2, size[1] // 2))
    image.save(file)
    return file


def png_bytes(colour=(10, 120, 60), size=(64, 48)):
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, "PNG")
    return out.getvalue()


def png_bomb(side=20_000):
    """A few bytes that would expand to side × side pixels."""
    def chunk(kind, content):
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    row = b"\0" * (1 + (side + 7) // 8)
    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(row) for _ in range(side)) + packer.flush()
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows)
            + chunk(b"IEND", b""))


def truncated_jpeg():
    content = WITH_PLACE.read_bytes()
    return content[:len(content) // 2]


def heic():
    return (struct.pack(">I", 24) + b"ftypheic" + b"\0\0\0\0" + b"mif1heic"
            + struct.pack(">I", 64) + b"mdat" + b"\0" * 56)


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

# Begins like a GIF and is also a script.
POLYGLOT = b"GIF89a/*" + b"\0" * 64 + b"*/=1;alert(1);"
