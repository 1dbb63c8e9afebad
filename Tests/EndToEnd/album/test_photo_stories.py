"""Stories in photo files, verified with independent programs: exiftool, exiv2, djpeg, Pillow,
pngcheck. The module `PhotoMetadata` is called through the program `photo-story-tool`, built with
the Swift tests."""

import functools
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import zlib

import pytest
from PIL import Image, ImageCms, ImageSequence, PngImagePlugin

from instance import CHECKOUT

TOOL = os.environ.get("PHOTO_STORY_TOOL", CHECKOUT / ".build/debug/photo-story-tool")
CAMERAS = pathlib.Path("/usr/share/gocode/src/github.com/rwcarlsen/goexif/exif")
FAMILY = "👨‍👩‍👧‍👦"
STORIES = {
    "chinese": "那年夏天我們在海邊走了很久，" * 21 + "風很大。很好",
    "family": FAMILY * 300,
    "lines": f"第一行\n<two> & \"drei\" 'x'\n\tvier {FAMILY} é ñ",
    "arabic": "قصة الصورة في يوم جميل " * 13 + "x",
    "devanagari": "क्षि" * 300,
    "astral": "𠮷🇹🇼👍🏽" * 100,
    "latin": "Ça, là-bas: Łódź, naïveté, Ørsted, ß!" * 8 + "Fins",
    "cyrillic": "Мы долго шли вдоль моря. Ёлка, й! " * 8 + "Конец, и ветер утих, всё же.",
    "japanese": "夏の海をずっと歩いた。カタカナ、ガギグ。" * 15,
    "korean": "우리는 여름 바다를 걸었다, 각각! " * 14 + "끝",
    "thai": "ทะเลหน้าร้อนสวยมาก น้ำใส" * 15,
    "hebrew": "הָלַכְנוּ לאורך הים כל הקיץ. " * 11 + "סוף",
}


def ask(*arguments, story=None, **options):
    """The tool's answer; never a crash."""
    done = subprocess.run(
        [TOOL, *map(str, arguments)], input=(story or "").encode(), capture_output=True,
        timeout=60, **options)
    assert done.returncode in (0, 1), done
    return json.loads(done.stdout)


def run(*command):
    return subprocess.run(
        list(map(str, command)), capture_output=True, check=True, timeout=60).stdout


@functools.cache
def reader():
    """One exiftool for all readings: starting it takes longer than reading."""
    return subprocess.Popen(["exiftool", "-stay_open", "True", "-@", "-"],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)


@pytest.fixture(scope="module", autouse=True)
def end_reader():
    yield
    if reader.cache_info().currsize:
        reader().communicate(b"-stay_open\nFalse\n", timeout=20)
        reader.cache_clear()


def asked(*arguments):
    """exiftool's output."""
    process = reader()
    process.stdin.write("".join(f"{line}\n" for line in [*arguments, "-execute"]).encode())
    process.stdin.flush()
    printed = b""
    while not printed.endswith(b"{ready}\n"):
        line = process.stdout.readline()
        assert line, "exiftool ended"
        printed += line
    return printed.removesuffix(b"{ready}\n")


def exiftool(file, *options):
    return json.loads(asked("-j", "-a", "-G1", "-u", "-ee", *options, file))[0]


def noise(width=120, height=90, mode="RGB"):
    image = Image.effect_noise((width, height), 60).convert("RGB")
    image = Image.merge("RGB", [image.getchannel(0), image.getchannel(0).rotate(90).resize(
        image.size), Image.radial_gradient("L").resize(image.size)])
    return image.convert(mode)


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """Photos by name: real cameras' and generated ones of every kind."""
    folder = tmp_path_factory.mktemp("photos")
    made = {}

    def add(name, make):
        make(folder / name)
        made[name] = folder / name

    cameras = ["sample1.jpg", "samples/has-lens-info.jpg", "samples/geodegrees_as_string.jpg",
               *(f"samples/f{number}-exif.jpg" for number in range(1, 9))]
    for name in cameras:
        add(pathlib.Path(name).name, functools.partial(shutil.copy, CAMERAS / name))
    icc = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    # As long as those of scanners, so that it takes several segments.
    length = 150_000
    long = length.to_bytes(4, "big") + icc[4:] + random.Random(2).randbytes(length - len(icc))
    add("baseline.jpg", lambda file: noise().save(file, quality=90))
    add("progressive.jpg", lambda file: noise().save(file, progressive=True))
    add("grey.jpg", lambda file: noise(mode="L").save(file))
    add("cmyk.jpg", lambda file: noise(mode="CMYK").save(file))
    add("profile.jpg", lambda file: noise().save(file, icc_profile=long))
    add("restart.jpg", lambda file: run(
        "jpegtran", "-restart", "1", "-outfile", file, folder / "baseline.jpg"))
    add("arithmetic.jpg", lambda file: run(
        "jpegtran", "-arithmetic", "-outfile", file, folder / "baseline.jpg"))
    add("two.jpg", lambda file: noise().save(
        file, format="MPO", save_all=True, append_images=[noise(60, 40)]))
    add("comment.jpg", lambda file: noise().save(file, comment=b"a remark"))

    def adobe(file):
        """Colours according to the camera file system standard, without a profile."""
        noise().save(file)
        run("exiftool", "-q", "-overwrite_original", "-InteropIndex=R03",
            "-ColorSpace=Uncalibrated", file)

    add("adobe.jpg", adobe)

    def much(file):
        """All metadata that a phone and an editor leave."""
        noise().save(file)
        run("exiftool", "-q", "-overwrite_original", "-GPSLatitude=25.03", "-GPSLatitudeRef=N",
            "-GPSLongitude=121.56", "-GPSLongitudeRef=E", "-SerialNumber=SN12345",
            "-Make=Camera Maker", "-Orientation#=6", "-IPTC:Caption-Abstract=alt",
            "-IPTC:City=Taipei", "-XMP-dc:Creator=somebody", "-XMP-dc:Description=old words",
            "-XMP-exif:GPSLatitude=25.03", f"-ThumbnailImage<={folder / 'grey.jpg'}", file)
        with open(file, "ab") as end:
            end.write(b"\0\0\0\x18ftypmp42 a film")

    add("much.jpg", much)
    add("plain.png", lambda file: noise().save(file))
    add("alpha.png", lambda file: noise(mode="RGBA").save(file, icc_profile=icc, dpi=(300, 300)))
    add("palette.png", lambda file: noise().quantize(16).save(file, transparency=3))
    add("deep.png", lambda file: noise(mode="L").convert("I;16").save(file))
    add("moving.png", lambda file: noise().save(
        file, save_all=True, append_images=[noise(), noise()], duration=50))

    def texts(file):
        info = PngImagePlugin.PngInfo()
        info.add_text("Comment", "alt")
        info.add_itxt("Description", "alte 字", zip=True)
        info.add_itxt("XML:com.adobe.xmp", "<x/>")
        exif = Image.Exif()
        exif[0x0112] = 8
        exif[0x010F] = "Camera Maker"
        exif[0x8825] = {1: "N", 2: (25.0, 2.0, 3.0), 3: "E", 4: (121.0, 33.0, 0.0)}
        exif[0x8769] = {0xA431: "SN12345"}
        noise().save(file, pnginfo=info, exif=exif)

    add("texts.png", texts)
    return made


def pixels(file):
    """Every picture in a file, decoded; with several pictures only those of an animation."""
    with Image.open(file) as image:
        frames = list(ImageSequence.Iterator(image)) if image.format == "PNG" else [image]
        return [(frame.mode, frame.size, frame.convert(frame.mode).tobytes()) for frame in frames]


def same_pixels(one, other):
    assert pixels(one) == pixels(other)
    # Pillow's own decoder is libjpeg-turbo, too, but djpeg supports arithmetic coding and prints
    # more.
    if one.suffix == ".jpg" and one.name != "cmyk.jpg":
        assert run("djpeg", one) == run("djpeg", other)


def exact_exiv2(file, key):
    """A value in exiv2's format."""
    return run("exiv2", "-q", "-K", key, "-Pv", file).decode().removesuffix("\n")


def cut(story):
    """The IPTC caption: 2,000 bytes, whole characters."""
    if len(story.encode()) <= 2000:
        return story
    assert story == FAMILY * 300 or story == "क्षि" * 300
    unit = story[:len(story) // 300]
    return unit * (1997 // len(unit.encode())) + "…"


def expect_everywhere(file, story):
    seen = exiftool(file)
    expected = {
        "IFD0:DocumentName": "ai.album.story", "IFD0:ImageDescription": story,
        "ExifIFD:UserComment": f"ai.album.story={story}",
        "IPTC:OriginatingProgram": "ai.album.story", "IPTC:Caption-Abstract": cut(story),
        "XMP-pairspot:Story": story, "XMP-dc:Description": story,
    }
    if file.suffix == ".png":
        expected["PNG:Description"] = story
        assert f"ai.album.story\0\0\0\0\0{story}".encode() in file.read_bytes()
    assert {key: seen.get(key) for key in expected} == expected
    assert exact_exiv2(file, "Exif.Image.ImageDescription") == story
    assert exact_exiv2(file, "Exif.Photo.UserComment").lstrip("\0") == f"ai.album.story={story}"
    assert exact_exiv2(file, "Exif.Image.DocumentName") == "ai.album.story"
    assert exact_exiv2(file, "Iptc.Application2.Program") == "ai.album.story"
    assert exact_exiv2(file, "Iptc.Application2.Caption") == cut(story)
    assert exact_exiv2(file, "Xmp.pairspot.story") == story
    assert exact_exiv2(file, "Xmp.dc.description") == f'lang="x-default" {story}'


def expect_sound(file):
    verdict = exiftool(file, "-validate", "-warning", "-error")
    complaints = {key: value for key, value in verdict.items()
                  if "Warning" in key or "Error" in key}
    assert not complaints and verdict["ExifTool:Validate"] == "OK"
    if file.suffix == ".png":
        run("pngcheck", "-q", file)


HARMLESS = {"ExifTool", "System", "File", "JFIF", "PNG", "Composite", "IFD0", "ExifIFD",
            "InteropIFD", "IPTC", "Photoshop", "XMP-x", "XMP-rdf", "XMP-dc", "XMP-pairspot",
            "Adobe", "APP14", "PNG-pHYs"}


def expect_private(file):
    for key in exiftool(file):
        group, _, name = key.partition(":")
        assert not name or group in HARMLESS or group.startswith("ICC"), key
        for word in ["GPS", "Serial", "Thumbnail", "Creator", "City", "Trailer", "Make", "MPImage"]:
            assert word not in name or name == "MakerNoteVersion" or group.startswith("ICC"), key
    assert b"a film" not in file.read_bytes()


def kinds():
    return ["sample1.jpg", "has-lens-info.jpg", "geodegrees_as_string.jpg",
            *(f"f{number}-exif.jpg" for number in range(1, 9)),
            "baseline.jpg", "progressive.jpg", "grey.jpg", "cmyk.jpg", "profile.jpg",
            "restart.jpg", "arithmetic.jpg", "two.jpg", "comment.jpg", "adobe.jpg", "much.jpg", "plain.png",
            "alpha.png", "palette.png", "deep.png", "moving.png", "texts.png"]


@pytest.mark.parametrize("name", kinds())
def test_a_story_is_read_by_others_and_nothing_else_changes(photos, tmp_path, name):
    source, target = photos[name], tmp_path / name
    before = ask("identify", source)
    assert ask("write", source, target, story=STORIES["lines"]) == {}
    expect_everywhere(target, STORIES["lines"])
    expect_sound(target)
    expect_private(target)
    same_pixels(source, target)
    after = ask("read", target)
    assert after["story"] == STORIES["lines"] and "otherStory" not in after
    for key in ["width", "height", "orientation", "format"]:
        assert before[key] == after[key]
    profiles = [asked("-b", "-ICC_Profile", file) for file in (source, target)]
    assert profiles[0] == profiles[1]
    assert bool(profiles[0]) == (name in ("profile.jpg", "alpha.png"))
    # Orientation as read by others; absent means upright.
    turned = [exiftool(file, "-n").get("IFD0:Orientation", 1) for file in (source, target)]
    assert turned[0] == turned[1]


@pytest.mark.parametrize("name", kinds())
def test_stripping_leaves_the_picture_alone(photos, tmp_path, name):
    source, story, bare = photos[name], tmp_path / f"story-{name}", tmp_path / name
    assert ask("strip", source, bare) == {}
    expect_private(bare)
    expect_sound(bare)
    same_pixels(source, bare)
    colours = [asked("-s", "-InteropIndex", "-ColorSpace", file) for file in (source, bare)]
    assert colours[0] == colours[1] or name != "adobe.jpg"
    # Adding and removing a story leaves the same file.
    ask("write", source, story, story="x")
    assert ask("strip", story, tmp_path / f"again-{name}") == {}
    again = exiftool(tmp_path / f"again-{name}")
    assert not [key for key in again if key.startswith(("IFD0:ImageD", "IFD0:Doc", "XMP", "IPTC",
                                                        "PNG:Desc", "ExifIFD:User"))]
    assert asked("-n", "-s3", "-Orientation", bare) == asked(
        "-n", "-s3", "-Orientation", tmp_path / f"again-{name}")


@pytest.mark.parametrize("name", ["much.jpg", "texts.png"])
@pytest.mark.parametrize("script", STORIES)
def test_every_script_survives_in_every_block(photos, tmp_path, name, script):
    target = tmp_path / name
    assert ask("write", photos[name], target, story=STORIES[script]) == {}
    expect_everywhere(target, STORIES[script])
    expect_sound(target)
    assert ask("read", target)["story"] == STORIES[script]


def test_the_stories_are_as_long_as_they_should_be():
    for script in ["chinese", "latin", "cyrillic", "japanese"]:
        assert len(STORIES[script]) == 300, script
    # The others have combining marks, so that 300 characters are more scalars; the tool counts
    # them.


def test_what_is_to_be_gone_was_there(photos, tmp_path):
    for name in ["much.jpg", "texts.png"]:
        before = exiftool(photos[name])
        for tag in ["GPS:GPSLatitude", "GPS:GPSLongitude", "ExifIFD:SerialNumber", "IFD0:Make"]:
            assert tag in before, (name, tag)
        assert b"SN12345" in photos[name].read_bytes()
        for story in [None, "x"]:
            target = tmp_path / f"{story}-{name}"
            ask("write" if story else "strip", photos[name], target, story=story)
            left = target.read_bytes()
            for word in [b"SN12345", b"Camera Maker", b"GPS", b"Taipei", b"somebody"]:
                assert word not in left, (name, word)
    assert any(key.startswith("GPS:") for key in exiftool(photos["geodegrees_as_string.jpg"]))
    assert any("Thumbnail" in key for key in exiftool(photos["sample1.jpg"]))
    turned = [exiftool(photos[f"f{number}-exif.jpg"], "-n")["IFD0:Orientation"]
              for number in range(1, 9)]
    assert turned == list(range(1, 9))
    assert len(list((CAMERAS / "corrupt").glob("*.jpg"))) == 3
    with Image.open(photos["moving.png"]) as moving, Image.open(photos["deep.png"]) as deep:
        assert moving.n_frames == 3 and deep.mode.startswith("I")
    assert b"\xff\xdd" in photos["restart.jpg"].read_bytes()
    assert b"MPF\0" in photos["two.jpg"].read_bytes()


WATCH = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:]); "
         "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")


@pytest.mark.parametrize("name", ["baseline.jpg", "progressive.jpg", "plain.png"])
def test_sixty_thousand_by_sixty_thousand_pixels_are_never_decoded(photos, tmp_path, name):
    whole = bytearray(photos[name].read_bytes())
    if name.endswith(".png"):
        whole[16:24] = (60_000).to_bytes(4, "big") * 2
        whole[29:33] = zlib.crc32(whole[12:29]).to_bytes(4, "big")
    else:
        frame = max(whole.find(b"\xff\xc0\0\x11"), whole.find(b"\xff\xc2\0\x11"))
        whole[frame + 5:frame + 9] = (60_000).to_bytes(2, "big") * 2
    file = tmp_path / name
    file.write_bytes(whole)
    for order in [["identify", file], ["read", file], ["strip", file, tmp_path / "never"]]:
        done = subprocess.run(["python3", "-c", WATCH, TOOL, *order], capture_output=True,
                              check=True, timeout=60)
        answer, peak = done.stdout.splitlines()
        assert json.loads(answer) == {"error": "read_too_many_pixels"}
        # In KiB; one such picture decoded would be gigabytes.
        assert int(peak) < 100_000
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_edits_by_others_are_noticed(photos, tmp_path):
    file = tmp_path / "a.jpg"
    ask("write", photos["baseline.jpg"], file, story="mine")
    run("exiftool", "-q", "-overwrite_original", "-ImageDescription=theirs", file)
    seen = ask("read", file)
    assert (seen["story"], seen["otherStory"]) == ("theirs", "mine")
    assert ask("write", file, file, story="theirs") == {}
    assert "otherStory" not in ask("read", file)
    # A description without our mark is a caption.
    run("exiftool", "-q", "-overwrite_original", "-XMP-dc:Description=a new caption", file)
    seen = ask("read", file)
    assert (seen["story"], seen["caption"]) == ("theirs", "a new caption")
    assert "otherStory" not in seen


def test_a_story_survives_what_others_rewrite(photos, tmp_path):
    file = tmp_path / "a.jpg"
    ask("write", photos["baseline.jpg"], file, story=STORIES["lines"])
    run("exiftool", "-q", "-overwrite_original", "-Artist=me", "-XMP-dc:Title=t", file)
    assert ask("read", file)["story"] == STORIES["lines"]
    run("exiv2", "-M", "set Exif.Image.Artist you", file)
    assert ask("read", file)["story"] == STORIES["lines"]
    for block in ["-IFD0:all=", "-ExifIFD:all=", "-IPTC:all="]:
        run("exiftool", "-q", "-overwrite_original", block, file)
        assert ask("read", file)["story"] == STORIES["lines"]


def test_captions_and_dates_of_cameras(photos):
    assert ask("read", photos["much.jpg"])["caption"] == "old words"
    assert ask("read", photos["texts.png"])["caption"] == "alte 字"
    assert ask("read", photos["comment.jpg"])["caption"] == "a remark"
    assert ask("read", photos["has-lens-info.jpg"])["taken"].startswith("2014-09-01T15:03:47")
    assert ask("read", photos["much.jpg"])["extras"] == ["motionClip"]
    assert ask("read", photos["two.jpg"])["extras"] == ["furtherPictures"]


@pytest.mark.parametrize("name", kinds())
def test_cut_files_are_refused(photos, tmp_path, name):
    # Data after the end may be cut off, so the end itself is cut here.
    ask("strip", photos[name], tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    for length in [10, 300, len(whole) // 2, len(whole) - 2]:
        (tmp_path / "cut").write_bytes(whole[:length])
        assert ask("strip", tmp_path / "cut", tmp_path / "never")["error"] == "read_damaged"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["cut", "whole"]


def test_other_formats_are_refused_by_name(tmp_path):
    for suffix, name in [("webp", "WebP"), ("gif", "GIF"), ("tiff", "TIFF"), ("bmp", "BMP"),
                         ("ico", "ICO"), ("pdf", "PDF")]:
        file = tmp_path / f"a.{suffix}"
        noise().save(file)
        lying = file.rename(tmp_path / f"{suffix}.jpg")
        assert ask("identify", lying) == {"error": "format", "detail": name}
    heic = tmp_path / "b.jpg"
    heic.write_bytes(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic")
    assert ask("write", heic, tmp_path / "c.jpg", story="x") == {
        "error": "format", "detail": "HEIC"}


def test_corrupt_camera_files_do_no_harm(tmp_path):
    files = [*(CAMERAS / "corrupt").glob("*.jpg"), *(CAMERAS / "samples").glob("*.jpg")]
    assert len(files) > 50
    for number, file in enumerate(files):
        target = tmp_path / f"{number}.jpg"
        answer = ask("write", file, target, story="x")
        assert answer in ({}, {"error": "read_damaged"}), file
        assert target.exists() == (answer == {})


# Saving

OLD, NEW = "the old story", "the new story " + "字" * 200


@pytest.fixture
def saved(photos, tmp_path):
    file = tmp_path / "album" / "photo.jpg"
    file.parent.mkdir()
    ask("write", photos["baseline.jpg"], file, story=OLD)
    return file


def traced(injection, file, target):
    """The tool under strace, which changes one of its system calls."""
    call = injection.partition(":")[0]
    return subprocess.run(
        ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={injection}",
         TOOL, "write", file, target], input=NEW.encode(), capture_output=True, timeout=60)


@pytest.mark.parametrize("call", ["flock", "read", "openat", "write", "fsync", "close", "rename"])
def test_killed_anywhere_the_old_or_the_new_file_is_whole(saved, tmp_path, call):
    original = saved.read_bytes()
    seen = set()
    # Libraries are opened, read and closed first; the relevant calls come last.
    total = calls(saved, call, tmp_path / "count.jpg")
    for number in range(max(1, total - 9), total + 1):
        saved.write_bytes(original)
        done = traced(f"{call}:signal=SIGKILL:when={number}", saved, saved)
        assert done.returncode != 0
        story = ask("read", saved)["story"]
        assert story in (OLD, NEW)
        if story == OLD:
            assert saved.read_bytes() == original
        seen.add(story)
        ask("sweep", saved.parent)
        assert [file.name for file in saved.parent.iterdir()] == ["photo.jpg"]
    # The last folder sync comes after the rename.
    assert seen == ({OLD, NEW} if call == "fsync" else seen | {OLD})


def calls(file, call, target):
    """Number of one of the tool's system calls when it replaces a copy of a file."""
    shutil.copy(file, target)
    log = target.with_suffix(".log")
    subprocess.run(["strace", "-f", "-o", log, "-e", f"trace={call}", TOOL, "write", target, target],
                   input=NEW.encode(), capture_output=True, timeout=60, check=True)
    count = sum(f" {call}(" in line for line in log.read_text().splitlines())
    assert count > 0
    return count


def test_killed_while_making_a_copy_the_copy_is_whole_or_absent(saved, tmp_path):
    original, target = saved.read_bytes(), saved.parent / "copy.jpg"
    copies = set()
    for call in ["write", "fsync", "link", "unlink"]:
        for number in range(1, 8):
            target.unlink(missing_ok=True)
            done = traced(f"{call}:signal=SIGKILL:when={number}", saved, target)
            if done.returncode:
                copies.add(target.exists())
            assert saved.read_bytes() == original
            if target.exists():
                assert ask("read", target)["story"] == NEW
            ask("sweep", saved.parent)
    assert {file.name for file in saved.parent.iterdir()} <= {"photo.jpg", "copy.jpg"}
    assert copies == {True, False}


@pytest.mark.parametrize("injection, error", [
    ("write:error=ENOSPC:when=1", "write_disk_full"),
    ("write:error=EDQUOT:when=2", "write_disk_full"),
    ("write:error=EIO:when=3", "write_failed"),
    ("fsync:error=ENOSPC:when=1", "write_disk_full"),
    ("fsync:error=EIO:when=1", "write_failed"),
    ("rename:error=EROFS:when=1", "permission"),
    ("flock:error=EAGAIN:when=1", "write_locked"),
])
def test_a_failing_disk_is_told_and_nothing_changes(saved, injection, error):
    original = saved.read_bytes()
    done = traced(injection, saved, saved)
    assert json.loads(done.stdout)["error"] == error
    assert saved.read_bytes() == original
    assert [file.name for file in saved.parent.iterdir()] == ["photo.jpg"]


def test_a_folder_that_cannot_be_synced_leaves_no_half_copy(saved):
    done = traced("fsync:error=EIO:when=2", saved, saved.parent / "copy.jpg")
    assert json.loads(done.stdout)["error"] == "write_failed"
    assert [file.name for file in saved.parent.iterdir()] == ["photo.jpg"]
    # In the photo's own place the new one is complete by then.
    done = traced("fsync:error=EIO:when=2", saved, saved)
    assert json.loads(done.stdout)["error"] == "write_failed"
    assert ask("read", saved)["story"] == NEW
    assert [file.name for file in saved.parent.iterdir()] == ["photo.jpg"]


def test_a_disk_that_is_really_full(saved):
    original = saved.read_bytes()
    limit = len(original) // 2
    answer = ask("write", saved, saved, story=NEW, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (limit, limit)))
    assert answer["error"] == "write_disk_full"
    assert saved.read_bytes() == original
    assert [file.name for file in saved.parent.iterdir()] == ["photo.jpg"]


def test_a_photo_of_30_megabytes_takes_less_than_three_times_its_size(photos, tmp_path):
    plain = photos["baseline.jpg"].read_bytes()
    end = plain.rindex(b"\xff\xd9")
    # More scan data, which no metadata reader decodes.
    filling = bytes(random.Random(1).choices(range(255), k=30 * 1_000_000 - len(plain)))
    file, target = tmp_path / "large.jpg", tmp_path / "new.jpg"
    file.write_bytes(plain[:end] + filling + plain[end:])
    # Started by a small process: a child of this one would begin with this one's size.
    done = subprocess.run(["python3", "-c", WATCH, TOOL, "write", file, target],
                          input=NEW.encode(), capture_output=True, check=True, timeout=60)
    assert filling in target.read_bytes()
    peak = int(done.stdout.split()[-1]) * 1024
    assert file.stat().st_size < peak < 3 * file.stat().st_size
