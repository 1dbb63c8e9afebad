"""nginx's internal locations, from outside: no request reaches one."""

import itertools
import re
import socket

import pytest

MARK = b"a guarded file's content"


@pytest.fixture
def guarded(site):
    """A file below the media folder, like a picture or an export."""
    folder = site.data / "media/exports"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "guarded.txt").write_bytes(MARK)
    yield site
    (folder / "guarded.txt").unlink()


def ask(site, target, *headers):
    """The whole answer to a path that is sent unchanged."""
    head = f"GET {target} HTTP/1.1\r\nHost: {site.host}\r\nConnection: close\r\n"
    with socket.create_connection(("127.0.0.1", site.port), timeout=20) as connection:
        connection.sendall((head + "".join(f"{line}\r\n" for line in headers) + "\r\n").encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer


def internal_names(site):
    """The internal locations, with a path in each; the secret is that of this start."""
    text = (site.data / "run/nginx.conf").read_text()
    names = re.findall(r"location [~^= ]*\"?\^?(/\S*?)/?\"? \{\s*internal;", text)
    assert len(names) == 5 and text.count("internal;") == 5
    secret = re.match(r"/x-[0-9a-f]{32}", names[0])[0]
    assert all(name.startswith(secret) for name in names)
    return secret, ["/admission", "/protected-media/exports/guarded.txt", "/live/g.x/m.y", "/errors/413.html",
                    "/stored-media/drafts/a"]


def public_starts(site):
    """The path prefix of every location that serves files."""
    assets = re.search(r'/assets/[0-9a-f]+', ask(site, "/").decode())[0]
    return ["", assets, "/assets/d", "/assets/0/assets/d", f"{assets}/css", f"{assets}/js/..",
            "/css", "/js", "/icons", "/media", "/vendor", "/sw.js", "/css/all.css", "/admin",
            "/api", "/api/v1", "/posts", "/x-", "/manifest.webmanifest"]


def spelled(path):
    """Spellings of a path that a server might treat as the same."""
    dotted = path.replace("/", "/./")
    yield from (
        path, path.upper(), path.title(), "/" + path, path.replace("/", "//"), dotted,
        path.replace("/", "%2f"), path.replace("/", "%2F"), "/.." + path, "/%2e%2e" + path,
        "/..%2f" + path[1:], "/a/.." + path, "/%2e" + path, path.replace("/", "\\"),
        path + "%00", path + "?x", path + "/", path + "/.", path.replace("e", "%65"))


def test_no_request_reaches_an_internal_location(guarded):
    secret, paths = internal_names(guarded)
    tried = 0
    for start, path in itertools.product(public_starts(guarded), paths + [secret + p for p in paths]):
        for target in {start + way for way in spelled(path)}:
            answer = ask(guarded, target, "Accept: text/event-stream")
            status = int(answer.split(b" ", 2)[1])
            assert status in (303, 400, 404), (target, status)
            assert MARK not in answer and b"x-accel" not in answer.lower(), target
            assert secret.encode() not in answer or secret in target, target
            tried += 1
    assert tried > 1000


def test_old_assets_are_todays_and_nothing_else(guarded):
    """A page from before an upgrade gets today's files."""
    for path in ("css/all.css", "js/base/swap.js", "icons/sprite.svg", "vendor/leaflet/leaflet.js",
                 "manifest.webmanifest"):
        answer = ask(guarded, f"/assets/0123abcd/{path}")
        assert answer.startswith(b"HTTP/1.1 200") and b"no-cache" in answer, path
    for path in ("sw.js", "css", "css/", "css/../sw.js", "css/..%2fsw.js", "robots.txt", "", "x"):
        assert ask(guarded, f"/assets/0123abcd/{path}").startswith(b"HTTP/1.1 404"), path


def test_each_start_has_a_secret_of_its_own(own_site):
    site = own_site()
    before = internal_names(site)[0]
    site.stop()
    site.start()
    assert internal_names(site)[0] != before
