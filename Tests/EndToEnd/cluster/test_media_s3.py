"""Media in a bucket of an S3 store, which browsers never see."""

import io
import re
import shutil
import subprocess
import zipfile

import pytest

from instance import wait_until
from missed_check_ins import count
from object_store import ObjectStore
from people import Visitor, picture_addresses
from pictures import png_bytes
from test_album import add
from test_album_stories import tell
from test_backup import done, pairspot
from test_messages import path_of_two
from test_moments import share


@pytest.fixture
def store():
    store = ObjectStore()
    yield store
    store.stop()


@pytest.fixture
def stored(own_site, store, tmp_path):
    """A site whose demonstration is made in the bucket, not copied from another site's folder."""
    (tmp_path / "var").mkdir(mode=0o700)
    return own_site(PAIRSPOT_DEMO="1", **store.variables)


def posted(visitor, words, visibility="public"):
    """The path and the largest picture of a new post."""
    answer = visitor.write(words, visibility, [("a.png", png_bytes())])
    assert answer.status == 303, answer.text
    page = visitor.get(answer.made).text
    return answer.made, next(path for path in picture_addresses(page) if "/medium_" in path)


def logged(site):
    return "".join(path.read_text() for path in (site.data / "logs").glob("*.log"))


def is_plain(site, answer):
    """Nothing in an answer tells of the store."""
    told = str(answer.headers).lower()
    assert "x-amz" not in told and "stored-media" not in told and "store=1" not in told
    assert "access-control" not in told
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    return True


def test_a_picture_is_sent_to_those_who_may_see_it(stored, store):
    mei, sam = Visitor(stored).sign_in("mei@example.test"), Visitor(stored).sign_in("sam@example.test")
    post, picture = posted(mei, "for the two of us", "couple")
    name = picture.removeprefix("/media/")
    assert name in store.names("couples/") and store.names("drafts/") == set()
    assert not any(path.suffix == ".png" for path in stored.media())
    whole = mei.get(picture)
    assert whole.status == 200 and whole.body.startswith(b"\x89PNG") and is_plain(stored, whole)
    assert whole.headers["Content-Type"] == "image/png"
    assert whole.all("Cache-Control") == ["private, no-store"]
    assert sam.get(picture).status == 404 and Visitor(stored).get(picture).status == 404
    # The path is that of the bucket's file, but only behind the secret of nginx.
    assert mei.get(f"/stored-media/{name}").status == 404

    head = mei.ask("HEAD", picture, None, {})
    assert (head.status, head.body) == (200, b"")
    assert int(head.headers["Content-Length"]) == len(whole.body)
    part = mei.get(picture, Range="bytes=1-3")
    assert (part.status, part.body) == (206, b"PNG") and is_plain(stored, part)
    assert part.headers["Content-Range"] == f"bytes 1-3/{len(whole.body)}"
    beyond = mei.get(picture, Range=f"bytes={len(whole.body)}-")
    assert beyond.status == 416 and is_plain(stored, beyond) and b"<Code>" not in beyond.body
    same = mei.get(picture, **{"If-None-Match": whole.headers["ETag"]})
    assert (same.status, same.body) == (304, b"")
    assert mei.get(picture, **{"If-None-Match": '"other"'}).status == 200

    _, seen_by_all = posted(mei, "for everyone")
    everyone = Visitor(stored).get(seen_by_all)
    assert everyone.all("Cache-Control") == ["public, max-age=31536000, immutable"]


def test_a_narrowed_post_has_new_names_and_a_lost_file_is_404(stored, store):
    mei = Visitor(stored).sign_in("mei@example.test")
    post, picture = posted(mei, "too many see this")
    form = mei.get(f"{post}/edit").form(f"{post}/edit")
    answer = mei.post(f"{post}/edit", form | {"visibility": "couple"}, [("images", "", b"")])
    assert answer.status == 303
    assert mei.get(picture).status == 404
    assert picture.removeprefix("/media/") not in store.names("couples/")
    new = next(path for path in picture_addresses(mei.get(post).text) if "/medium_" in path)
    assert mei.get(new).status == 200
    assert "is missing" not in pairspot(stored, "doctor").stdout
    store.delete(new.removeprefix("/media/"))
    lost = mei.get(new)
    assert lost.status == 404 and "no-store" in lost.all("Cache-Control")
    found = pairspot(stored, "doctor")
    assert found.returncode != 0 and f"{new.removeprefix('/media/')} is missing" in found.stdout


def write(visitor, text):
    """Sends the partner a message with a picture."""
    path = path_of_two(visitor)
    form = next(form for _, form in visitor.get(path).forms if "client_id" in form)
    return visitor.post(path, form | {"text": text}, [("pictures", "a.png", png_bytes())])


def picture_of_message(visitor):
    page = visitor.get(path_of_two(visitor)).text
    return next(path for path in picture_addresses(page) if path.startswith("/media/messages/"))


def exported(site, visitor):
    """The archive of the visitor's data."""
    page = "/settings/export"
    assert visitor.post(page, {"csrf_token": visitor.token(page)}).status == 303
    wait_until(lambda: count(site, "exports", "state = 'ready'") == 1, 60, "the export")
    return visitor.get(re.search(rf"{page}/[0-9a-f-]{{36}}", visitor.get(page).text)[0])


def test_a_picture_of_a_message_is_encrypted_in_the_bucket(stored, store):
    mei, sam = Visitor(stored).sign_in("mei@example.test"), Visitor(stored).sign_in("sam@example.test")
    assert write(mei, "for you").status == 303
    picture = picture_of_message(mei)
    name = f"{picture.removeprefix('/media/')}.sealed"
    assert name in store.names("messages/") and b"PNG" not in store.read(name)
    whole = mei.get(picture)
    assert whole.status == 200 and whole.body.startswith(b"\x89PNG") and is_plain(stored, whole)
    part = mei.get(picture, Range="bytes=1-3")
    assert (part.status, part.body) == (206, b"PNG")
    assert sam.get(picture).status == 404
    store.fault = ("503 Slow Down", "SlowDown")
    refused = write(mei, "words to be kept")
    assert refused.status == 503 and "words to be kept" in refused.text
    assert mei.get(picture).status == 503
    store.fault = None
    assert mei.get(picture).status == 200


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_a_film_is_played_in_parts_and_saved_from_the_bucket(stored, store, tmp_path):
    film = tmp_path / "film.mp4"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x240:rate=15", "-t", "1",
         "-pix_fmt", "yuv420p", str(film)], check=True)
    mei = Visitor(stored).sign_in("mei@example.test")
    moment = share(mei, "waves", ("film.mp4", film.read_bytes()))
    address = re.search(r'<video[^>]* src="([^"]+)"', mei.get(moment).text)[1]
    assert address.removeprefix("/media/") in store.names("moments/")
    whole = mei.get(address)
    assert whole.headers["Content-Type"] == "video/mp4" and is_plain(stored, whole)
    part = mei.get(address, Range="bytes=4-7")
    assert (part.status, part.body) == (206, b"ftyp")
    assert part.headers["Content-Range"] == f"bytes 4-7/{len(whole.body)}"
    saved = mei.get(f"{moment}/film")
    assert saved.body == whole.body
    assert saved.all("Content-Disposition")[0].startswith('attachment; filename="pairspot-')
    assert not any(path.suffix in (".mp4", ".jpg") for path in stored.media())


def test_a_photo_gets_its_story_in_the_bucket(stored, store):
    mei = Visitor(stored).sign_in("mei@example.test")
    photo = add(mei, png_bytes())
    before = store.names("photos/")
    assert tell(mei, photo, "by the sea", confirm="1").status == 303
    assert len(store.names("photos/") & before) == len(before) - 1
    file = mei.get(f"{photo}/file")
    assert file.status == 200 and b"by the sea" in file.body and is_plain(stored, file)
    assert file.all("Content-Disposition")[0].startswith('attachment; filename="pairspot-')
    now = store.names("photos/")
    store.fault = ("500 Internal Server Error", "InternalError")
    refused = tell(mei, photo, "words to be kept", confirm="1")
    assert refused.status == 503 and "words to be kept" in refused.text
    store.fault = None
    assert store.names("photos/") == now
    assert b"by the sea" in mei.get(f"{photo}/file").body
    assert "is missing" not in pairspot(stored, "doctor").stdout


def test_an_export_is_made_of_the_bucket_and_kept_there(stored, store):
    mei = Visitor(stored).sign_in("mei@example.test")
    posted(mei, "to be exported")
    assert write(mei, "to be exported").status == 303
    add(mei, png_bytes())
    answer = exported(stored, mei)
    assert answer.status == 200 and is_plain(stored, answer)
    assert answer.all("Content-Disposition")[0].startswith('attachment; filename="pairspot-')
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        names = archive.namelist()
        assert archive.testzip() is None and "missing.txt" not in names
    for folder in ["photos/album/", "photos/messages/"]:
        assert any(name.startswith(folder) for name in names)
    assert len(store.names("exports/")) == 1


def test_an_instance_is_moved_to_a_bucket_and_back(own_site, store):
    site = own_site(PAIRSPOT_DEMO="1", **store.variables | {"PAIRSPOT_MEDIA": "files"})
    mei = Visitor(site).sign_in("mei@example.test")
    post, picture = posted(mei, "before the move")
    assert write(mei, "before the move").status == 303
    before = {path.relative_to(site.data / "media"): path.read_bytes() for path in site.media()}
    assert "0 there already" in done(pairspot(site, "move-media", "s3"))
    assert write(mei, "while it was moved").status == 303
    site.stop()
    last = done(pairspot(site, "move-media", "s3")).splitlines()[-1]
    assert last == f"all: 3 files copied (0 MiB), {len(before)} there already"
    site.environment["PAIRSPOT_MEDIA"] = "s3"
    refused = pairspot(site, "doctor")
    assert refused.returncode != 0 and "pairspot move-media s3" in refused.stdout + refused.stderr
    (site.data / "media").rename(site.data / "before")
    site.start()
    assert mei.get(picture).status == 200 and mei.get(picture_of_message(mei)).status == 200
    assert not any(path.suffix == ".png" for path in site.media())
    assert "is missing" not in pairspot(site, "doctor").stdout
    running = pairspot(site, "move-media", "files")
    assert running.returncode != 0 and "stop it before the move" in running.stdout + running.stderr
    site.stop()
    assert "0 there already" in done(pairspot(site, "move-media", "files"))
    after = {path.relative_to(site.data / "media"): path.read_bytes() for path in site.media()}
    assert len(after) == len(before) + 3 and before.items() <= after.items()
    site.environment["PAIRSPOT_MEDIA"] = "files"
    site.start()
    store.stop()
    assert mei.get(picture).status == 200 and mei.get(picture_of_message(mei)).status == 200


@pytest.mark.parametrize("fault,shown", [
    (("500 Internal Server Error", "InternalError"), 503), (("503 Slow Down", "SlowDown"), 503),
    (("403 Forbidden", "RequestTimeTooSkewed"), 502), (("301 Moved", "PermanentRedirect"), 502),
])
def test_a_store_that_refuses_loses_no_words(stored, store, fault, shown):
    mei = Visitor(stored).sign_in("mei@example.test")
    _, picture = posted(mei, "before the fault")
    before = store.names()
    store.fault = fault
    refused = mei.write("words to be kept", files=[("a.png", png_bytes())])
    assert refused.status == 503 and "words to be kept" in refused.text
    assert refused.headers["Retry-After"] == "5"
    seen = mei.get(picture)
    assert seen.status == shown and is_plain(stored, seen) and b"<Code>" not in seen.body
    assert "no-store" in seen.all("Cache-Control")
    assert fault[1] in logged(stored)
    assert pairspot(stored, "doctor").returncode != 0
    store.fault = None
    assert store.names() == before
    assert mei.get(picture).status == 200
    assert mei.write("words to be kept", files=[("a.png", png_bytes())]).status == 303


def test_a_store_that_is_away_loses_no_words(stored, store):
    mei = Visitor(stored).sign_in("mei@example.test")
    post, picture = posted(mei, "before the fault")
    store.stop()
    refused = mei.write("words to be kept", files=[("a.png", png_bytes())])
    assert refused.status == 503 and "words to be kept" in refused.text
    assert mei.get(picture).status == 503
    # All else works.
    assert mei.write("words without a picture").status == 303
    assert mei.get(post).status == 200
    assert re.search(r"S3: PUT 127\.0\.0\.1:\d+/media/drafts/", logged(stored))


@pytest.mark.long
def test_a_slow_store_is_waited_for_once(stored, store):
    mei = Visitor(stored).sign_in("mei@example.test")
    store.delay = 25
    files = [(f"{number}.png", png_bytes()) for number in range(4)]
    refused = mei.write("words to be kept", files=files)
    assert refused.status == 503 and "words to be kept" in refused.text
    store.delay = 0
