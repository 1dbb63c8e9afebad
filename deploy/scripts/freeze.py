#!/usr/bin/env python3
"""Writes what PairSpot shows and sends, as text, to compare before and after a refactoring.

    freeze.py FOLDER      starts an instance of its own and writes into a new folder
    freeze.py compare A B shows where two such folders differ; exits with 1 if they do

The clock is stopped and moves by a second after each action (libfaketime), so the result does not
depend on the speed of the machine. Random values (identifiers, tokens, codes) are numbered by first
appearance: two freezes of the same program are identical to the byte. Needs `swift build
--build-tests`, the release program and the virtual environment of the end-to-end tests
(docs/developer/tests.md).
"""

import contextlib
import difflib
import email
import email.policy
import hashlib
import html
import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import uuid
import zipfile
from datetime import datetime, timedelta, timezone
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

CHECKOUT = Path(__file__).resolve().parents[2]
LANGUAGES = ["en", "zh-Hant", "zh-Hans"]
PASSWORD = "umbrella by the river"
START = datetime(2026, 3, 2, 4, 0, tzinfo=timezone.utc)
# The most pages of one kind (the same pattern, the same names in the query) that are requested.
EACH = 3
UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


# Numbering random values

class Names:
    """Numbers random values by first appearance."""

    def __init__(self, site):
        self.site = site
        self.known = {}

    def number(self, kind, value):
        seen = self.known.setdefault(kind, {})
        return f"{kind}-{seen.setdefault(value, len(seen) + 1)}"

    def plain(self, text):
        text = re.sub(rf"(?<=[_:]){self.site.port}\b", "PORT", text.replace(self.site.host, "HOST"))
        text = text.replace(str(self.site.data), "DATA").replace(self.site.demo_password(), "DEMO")
        text = re.sub(r"/assets/[0-9a-f]{16}", "/assets/HASH", text)
        text = re.sub(
            r'(<svg [^>]*shape-rendering="crispEdges"[^>]*>).*?</svg>', r"\1square</svg>", text,
            flags=re.S)
        text = re.sub(r'(name="csrf_token" value=)"[^"]+"', r'\1"csrf"', text)
        for kind, pattern in CONTEXTS:
            text = re.sub(pattern, self.by(kind), text)
        return re.sub(r"(?<![\w-])([\w-]{20,})(?![\w-])", self.token, text, flags=re.A)

    def by(self, kind):
        def replace(match):
            begin, end = match.start(1) - match.start(), match.end(1) - match.start()
            whole = match[0]
            return whole[:begin] + self.number(kind, match[1]) + whole[end:]
        return replace

    def token(self, match):
        """Numbers a Base64 token: it has lower-case characters, capitals, and a digit or a capital
        after a lower-case character. Hyphenated words are returned unchanged."""
        is_random = all(re.search(pattern, match[0]) for pattern in
                        ("[a-z]", "[A-Z]", "[0-9]|[a-z][A-Z]"))
        return self.number("token", match[0]) if is_random else match[0]


# Random values, recognised by their context; the group is the random part.
CONTEXTS = [
    ("uuid", f"({UUID.pattern})"),
    ("user", r'data-user="([\w-]+)"'),
    ("nonce", r'name="nonce" value="([^"]+)"'),
    ("token", r"(?:[?&;]token=|/c/|/tap/)([\w-]{20,})"),
    ("code", r'(?:[?&;/]code=|"invite_code": ")([A-HJKMNP-Z2-9]{6,26})\b'),
    ("photo", r"pairspot-[\d-]{10}-([0-9a-f]{4})\."),
    ("code", r'data-testid="invite-code"[^>]*>\s*([A-HJKMNP-Z2-9]{3} [A-HJKMNP-Z2-9]{3})'),
    ("recovery", r"\b((?:[A-Z0-9]{4}-){3}[A-Z0-9]{4})\b"),
    ("hash", r"(?<![\w-])([0-9a-f]{16,64})(?![\w-])"),
    ("mail", r"\b(\d{13}-[\w-]+\.eml)"),
]


# The instance

def tools():
    """The helpers of the end-to-end tests."""
    folders = (CHECKOUT / "Tests/EndToEnd").iterdir()
    sys.path[:0] = [str(folder) for folder in folders if folder.is_dir()]
    import instance
    import moving_clock
    import people
    import pictures
    import test_second_factor
    return instance, moving_clock, people, pictures, test_second_factor


class Frozen:
    """An instance with a stopped clock and the demonstration's users."""

    def __init__(self, folder):
        instance, moving_clock, self.people, self.pictures, self.factor = tools()
        self.link_in, self.wait_until = instance.link_in, instance.wait_until

        class StandingClock(moving_clock.MovingClock):
            moment = START

            def move(clock, **by):
                clock.moment += timedelta(**by)
                newer = clock.file.with_suffix(".new")
                newer.write_text(f"{clock.moment:%Y-%m-%d %H:%M:%S}\n")
                newer.replace(clock.file)

        os.environ["TZ"] = "UTC"
        self.clock = StandingClock(folder)
        self.site = instance.Instance(folder, TZ="UTC", PAIRSPOT_OUTAGE_GRACE="0")
        self.program = self.site.program
        self.demonstrate()
        self.site.program = self.clock.program
        self.site.start()
        self.mails = {}
        self.settle()

    def demonstrate(self):
        """Creates the demonstration's users. Rows of the same moment are sorted by their random
        identifiers: the data is created again until Mei's comes before Jun's, and the other
        tables are reordered."""
        couple = "SELECT display_name FROM users WHERE display_name IN ('Mei', 'Jun') ORDER BY id"
        self.command("demo")
        while self.rows(couple) != [("Mei",), ("Jun",)]:
            shutil.rmtree(self.site.data)
            self.command("demo")
        self.order("notifications", "user_id, created_at, kind, event")
        self.order("group_members", "group_id, joined_at, user_id")

    def order(self, table, by):
        """Reassigns the identifiers of a table's rows: the smallest one to the first row."""
        with contextlib.closing(sqlite3.connect(self.database)) as database, database:
            places = [(table, "id"), *database.execute(
                """SELECT m.name, f."from" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f
                   WHERE m.type = 'table' AND f."table" = ? AND f."to" = 'id'""", (table,))]
            found = database.execute(f"SELECT id FROM {table} ORDER BY {by}").fetchall()
            steps = [(old, b"-" + new) for (old,), (new,) in zip(found, sorted(found))]
            # First to identifiers that no row has: no two rows may have the same one at any time.
            for old, new in steps + [(new, new[1:]) for _, new in steps]:
                for name, column in places:
                    database.execute(
                        f"UPDATE {name} SET {column} = ? WHERE {column} = ?", (new, old))

    @property
    def database(self):
        return self.site.data / "pairspot.sqlite"

    def command(self, *words):
        start = self.clock.folder / "start"
        done = subprocess.run(
            [str(start), str(self.program), *words], env=self.site.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def rows(self, sql, *values):
        with contextlib.closing(sqlite3.connect(self.database, timeout=10)) as database:
            return database.execute(sql, values).fetchall()

    def settle(self):
        """Waits until no job or mail is due at the clock's time."""
        now = int(self.clock.moment.timestamp() * 1000)
        due = "SELECT count(*) FROM jobs WHERE run_at <= ? OR lease IS NOT NULL"
        mail = "SELECT count(*) FROM mail_queue WHERE sent_at IS NULL AND failed_at IS NULL"
        self.wait_until(
            lambda: self.rows(due, now) == [(0,)] and self.rows(mail) == [(0,)], 60,
            "what is due")
        # The program removes old mails over time.
        for path in (self.site.data / "mail").glob("*.eml"):
            self.mails.setdefault(path.name, path.read_bytes())

    def tick(self, **by):
        self.clock.move(**(by or {"seconds": 1}))
        self.settle()

    def visitor(self, language="en"):
        return self.people.Visitor(self.site, language)

    def do(self, visitor, path, fields=None, page=None, files=()):
        """Sends the form of a page; then moves the clock."""
        form = visitor.get(page or path).form(path)
        answer = visitor.post(path, form | (fields or {}), files)
        assert answer.status < 400, (path, answer.status, answer.text.split("<main")[-1][:2000])
        self.tick()
        return answer

    def link(self, address, subject=""):
        return self.link_in(self.site.mail_to(address, subject)).removeprefix(self.site.url)

    def staff(self, name, role):
        """A visitor signed in with that role and a second factor."""
        said = self.command("admin", "create", "--email", f"{name}@example.test", "--role", role)
        path = said.splitlines()[-1].removeprefix(self.site.url)
        visitor = self.visitor()
        visitor.post("/staff/enrol", visitor.get(path).form("/staff/enrol") | {"begin": "1"})
        page = visitor.get(path)
        secret = page.text.split('class="secret"')[1].split(">")[1].split("<")[0].replace(" ", "")
        typed = {"display_name": name.title(), "password": PASSWORD, "accept": "1",
                 "code": self.factor.code(secret, self.clock.moment.timestamp())}
        done = visitor.post("/staff/enrol", page.form("/staff/enrol") | typed)
        assert done.status == 200, done.text
        self.tick()
        return visitor

    def complete(self, address, name):
        """Follows the link of a registration; returns the visitor who is then signed in."""
        visitor = self.visitor()
        pressed = self.do(visitor, "/verify", page=self.link(address))
        self.do(visitor, "/register/complete", {"display_name": name, "password": PASSWORD},
                page=pressed.location)
        return visitor


# Actions before the pages are requested

def act(frozen):
    """Performs a fixed, short list of actions; returns the visitors who then request the pages, and
    addresses that only mails and responses contain."""
    do, visitor = frozen.do, frozen.visitor
    mei, sam = (visitor().sign_in(f"{name}@example.test") for name in ("mei", "sam"))
    frozen.tick()
    people = {"signed-out": visitor()}

    do(visitor(), "/register", {
        "email_a": "ida@example.test", "email_b": "ole@example.test", "couple_name": "Ida & Ole",
        "anniversary": "2024-02-29", "accept": "1"})
    ida = frozen.complete("ida@example.test", "Ida")
    frozen.complete("ole@example.test", "Ole")
    alone = {"accept": "1", "display_name": "Uma", "password": PASSWORD}
    uma = visitor()
    do(uma, "/register/alone", alone | {"email": "uma@example.test"})
    do(uma, "/verify", page=frozen.link("uma@example.test"))
    do(visitor(), "/register/alone", alone | {"email": "mei@example.test"})

    do(visitor(), "/reset", {"email": "jun@example.test"})
    reset = frozen.link("jun@example.test", "")
    newcomer = visitor()
    newcomer.get(reset)
    do(newcomer, "/reset/confirm", {"password": PASSWORD}, page=reset)

    do(sam, "/checkin/contacts", {"name": "Pat", "email": "pat@example.test"})
    contact = frozen.link("pat@example.test")
    guest = visitor()
    do(guest, "/checkin", {
        "display_name": "Gia", "contact_email": "kin@example.test", "time_zone": "Asia/Taipei",
        "button": "check-in"})
    kin = frozen.link("kin@example.test")
    do(sam, "/pair", {"email": "newt@example.test"})
    invitation = frozen.link("newt@example.test")
    do(ida, "/settings/email", {"email": "ida2@example.test", "current_password": PASSWORD})
    change = frozen.link("ida2@example.test")
    do(ida, "/settings/email/confirm", page=change)

    picture = ("images", "a.png", frozen.pictures.png_bytes())
    post = do(mei, "/posts", {"content": "A post to look at.", "visibility": "public"}, "/",
              [picture]).location
    couple = re.search(r"/couples/[0-9a-f-]{36}", mei.get(post).text)[0]
    others = do(sam, "/posts", {"content": "Somebody else’s.", "visibility": "public"}, "/",
                [("images", "", b"")]).location
    theirs = re.search(r"/couples/[0-9a-f-]{36}", sam.get(others).text)[0]
    for who, path in ((sam, f"{post}/like"), (sam, f"{couple}/follow"), (mei, f"{others}/like"),
                      (mei, f"{theirs}/follow")):
        assert who.post(path, {"csrf_token": who.token()}).status < 400, path
        frozen.tick()
    do(mei, "/checkin", {"contact_email": "aunt@example.test", "time_zone": "Asia/Taipei",
                         "button": "check-in"})
    do(mei, f"{others}/report", {"reason": "harassment", "note": "Look at this."})
    group = do(mei, "/groups", {"name": "Evening ride"}).location.removesuffix("/invite")
    code = re.search(r"/join\?code=(\w{6})", mei.get(f"{group}/invite").text)
    joined = f"/join?code={code[1]}" if code else "/join"
    do(mei, "/settings/export")

    people |= {
        "guest": guest, "mei": mei, "sam": sam, "moderator": frozen.staff("mo", "moderator"),
        "admin": frozen.staff("ada", "admin")}
    do(uma, "/settings/delete", {"current_password": PASSWORD})
    export = re.search(r"/settings(/export/[0-9a-f-]{36})", mei.get("/settings/export").text)
    (person,), = frozen.rows("SELECT hex(id) FROM users WHERE display_name = 'Sam'")
    known = [
        contact, f"{contact}/stop", kin, invitation, post, others, couple, group, joined,
        "/search?q=look", "/api/v1/search?q=look", f"/api/v1{couple}", f"/admin{couple}",
        f"/admin/users/{uuid.UUID(person)}", f"/api/v1/account{export[1]}"]
    return people, known


def later(frozen):
    """Lets four days pass, for the mails about missed check-ins."""
    for _ in range(4 * 4):
        frozen.tick(hours=6)


# Requesting pages

KEPT = ["Content-Type", "Location", "Cache-Control", "Content-Disposition", "Vary", "Allow",
        "Content-Security-Policy", "Permissions-Policy", "Referrer-Policy", "Retry-After",
        "X-Content-Type-Options", "Set-Cookie", "Clear-Site-Data", "WWW-Authenticate", "Link"]


def written(names, asked, answer):
    """A response as text: its status, headers and body; of a file the length and hash."""
    lines = [asked, str(answer.status)]
    for name in KEPT:
        for value in answer.all(name):
            if name == "Set-Cookie":
                value = re.sub(r"^([^=]+)=[^;]+", r"\1=VALUE", value)
            lines.append(f"{name}: {value}")
    kind = answer.headers["Content-Type"] or ""
    if kind.startswith(("text/", "application/json", "application/problem", "image/svg")):
        body = answer.text
        if kind.startswith("application/json"):
            body = json.dumps(json.loads(body), indent=1, ensure_ascii=False)
        if "metrics" in asked:
            # A health check before the start was complete is counted in the 5xx.
            body = re.sub(r" [0-9.e+-]+$|^.*5xx.*\n", "", body, flags=re.M)
        if "/admin/health" in asked:
            # The free space on the disk.
            body = re.sub(r"\b[\d.,]+ [KMGT]?i?B\b", "SIZE", body)
    elif kind.startswith("application/zip"):
        body = unpacked(answer.body)
    elif "/invite.png" in asked:
        body = f"a square of {len(answer.body)} bytes"
    else:
        body = f"{len(answer.body)} bytes, {hashlib.sha256(answer.body).hexdigest()[:12]}"
    return names.plain("\n".join([*lines, "", body]).rstrip("\n") + "\n")


def unpacked(content):
    """The text files in an archive, and the lengths of the others."""
    parts = []
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            inside = archive.read(name)
            is_text = name.endswith((".json", ".csv", ".txt", ".tcx"))
            parts.append(f"== {name}\n" + (
                inside.decode() if is_text else f"{len(inside)} bytes"))
    return "\n".join(parts)


class Crawl:
    """Follows all links that one user sees, and requests the other routes of the table."""

    NEVER = ("/dev/mail", "/assets/")

    def __init__(self, names, visitor, patterns, known):
        self.names, self.visitor, self.patterns = names, visitor, patterns
        shells = [p.replace(":language", language) for p in patterns for language in LANGUAGES]
        self.waiting = ["/", *[p for p in dict.fromkeys(shells) if ":" not in p], *known]
        self.counts, self.asked = {}, {}

    def run(self):
        while self.waiting:
            path = self.waiting.pop(0)
            if path in self.asked or path.startswith(self.NEVER) or not self.isWanted(path):
                continue
            answer = self.visitor.get(path)
            self.asked[path] = answer
            yield path, answer
            if "text/html" in (answer.headers["Content-Type"] or ""):
                found = re.findall(r'(?:href|src)="(/[^"#]*)', answer.text)
                self.waiting += [html.unescape(link) for link in found]
            elif any(pattern.startswith(f"{path}/:") for pattern in self.patterns):
                self.waiting += [f"{path}/{id}" for id in
                                 re.findall(r'"id":\s*"(%s)"' % UUID.pattern, answer.text)]
            if answer.status == 200:
                self.waiting += self.below(path)

    def isWanted(self, path):
        parts = urlsplit(path)
        kind = (re.sub(r"\d{4}-\d\d(-\d\d)?", "DAY", UUID.sub(":id", parts.path)),
                *[name for name, _ in parse_qsl(parts.query, keep_blank_values=True)])
        self.counts[kind] = self.counts.get(kind, 0) + 1
        return self.counts[kind] <= EACH

    def below(self, path):
        """Addresses below this one in the table of routes."""
        segments = path.split("?")[0].split("/")
        for pattern in self.patterns:
            wanted = pattern.split("/")
            rest = wanted[len(segments):]
            if rest and ":" in pattern and not any(":" in part for part in rest) and all(
                    have == want or (want.startswith(":") and UUID.fullmatch(have))
                    for have, want in zip(segments, wanted)):
                yield "/".join(segments + rest)


def look(frozen, names, out, routes, people, known):
    patterns = [line.split()[1] for line in routes if line.startswith("GET ")]
    for person, visitor in people.items():
        for language in LANGUAGES:
            if person == "signed-out":
                visitor = frozen.visitor(language)
            else:
                visitor.read_in(language)
            # Removes the message about the chosen language.
            visitor.get("/")
            folder = out / "pages" / person / language
            folder.mkdir(parents=True)
            for path, answer in Crawl(names, visitor, patterns, known).run():
                text = written(names, f"GET {path}", answer)
                name = text.split("\n")[0][4:].replace("/", "+")[:180]
                (folder / f"{name}.txt").write_text(text)


def refuse(frozen, names, out):
    """Writes the responses to invalid requests, in each language."""
    for language in LANGUAGES:
        visitor = frozen.visitor(language)
        mei = frozen.visitor().sign_in("mei@example.test")
        mei.read_in(language)
        large = b"a" * 30_000_000
        asked = [
            (visitor, "GET", "/nobody-is-here", None, {}), (visitor, "DELETE", "/about", None, {}),
            (visitor, "POST", "/about", b"", {}), (visitor, "POST", "/sign-in", b"", {}),
            (visitor, "POST", "/sign-in", large, {}), (visitor, "GET", "/", None, {"Host": "evil"}),
            (visitor, "GET", "/" + "a" * 20_000, None, {}),
            (visitor, "GET", "/", None, {"X-Long": "a" * 40_000}),
            (visitor, "GET", "/api/v1/nothing", None, {}),
            (visitor, "GET", "/api/v1/account", None, {}),
            (visitor, "POST", "/api/v1/auth/login", b"{", {"Content-Type": "application/json"}),
            (visitor, "POST", "/api/v1/auth/login", b"{}", {"Content-Type": "application/json"}),
        ]
        texts = []
        for who, method, path, body, headers in asked:
            try:
                answer = who.ask(method, path, body, headers)
            except OSError as error:
                texts.append(f"{method} {path[:40]}\n{type(error).__name__}\n")
                continue
            texts.append(written(names, f"{method} {path[:40]}", answer))
        forms = [(visitor, path) for path in ("/register", "/register/alone", "/sign-in", "/reset")]
        forms += [(mei, path) for path in (
            "/settings/password", "/settings/email", "/checkin/contacts", "/settings/profile",
            "/groups", "/wallet/redeem")]
        for who, path in forms:
            answer = who.post(path, {"csrf_token": who.token(path)})
            texts.append(written(names, f"POST {path}", answer))
        (out / f"refusals-{language}.txt").write_text("\n\n".join(texts))


def mails(frozen, names, out):
    """Writes each mail with the headers that a mail client sees, in the order of time."""
    (out / "mails").mkdir()
    found = []
    for content in frozen.mails.values():
        mail = email.message_from_bytes(content, policy=email.policy.default)
        head = [f"{name}: {mail[name]}" for name in mail.keys() if name != "Message-ID"]
        parts = [f"-- {part.get_content_type()}\n{part.get_content()}" for part in mail.walk()
                 if not part.is_multipart()]
        text = re.sub(r'boundary="?[^"\s]+"?', "boundary", "\n".join([*head, "", *parts]))
        found.append((mail["Date"].datetime, mail["To"], mail["Subject"], text))
    for number, (*_, text) in enumerate(sorted(found, key=lambda mail: mail[:3]), 1):
        (out / "mails" / f"{number:03}.txt").write_text(names.plain(text))


def tables(frozen, names, out):
    """Writes the schema, the migrations, the names of files in the data folder, the OpenAPI
    document and the help of the commands."""
    schema = frozen.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    (out / "schema.sql").write_text(";\n".join(sorted(sql for sql, in schema)) + ";\n")
    done = frozen.rows("SELECT identifier FROM grdb_migrations ORDER BY rowid")
    (out / "migrations.txt").write_text("".join(f"{name}\n" for name, in done))
    paths = {UUID.sub("ID", str(path.relative_to(frozen.site.data)))
             for path in frozen.site.data.rglob("*")}
    paths = {path for path in paths if not path.startswith(("run/kept/", "run/assets/"))}
    paths = {re.sub(r"(mail/).+", r"\1MAIL", re.sub(r"\d{3,}", "NUMBER", path)) for path in paths}
    (out / "data.txt").write_text("\n".join(sorted(paths)) + "\n")
    document = frozen.visitor().get("/api/v1/openapi.json").text.replace(frozen.site.host, "HOST")
    document = document.replace(str(frozen.site.port), "PORT")
    (out / "openapi.json").write_text(
        json.dumps(json.loads(document), indent=1, ensure_ascii=False) + "\n")
    words, helps = [[]], []
    for word in words:
        text = frozen.command(*word, "--help")
        helps.append(text)
        if "SUBCOMMANDS:" in text:
            found = re.findall(r"^  ([a-z-]+)", text.split("SUBCOMMANDS:")[1], re.M)
            words += [[*word, name] for name in found]
    (out / "commands.txt").write_text("\n".join(helps))


def lists(out):
    """Writes the names that the Swift tests compare; returns the table of routes, one of them."""
    program = CHECKOUT / ".build/debug/PairSpotPackageTests.xctest"
    if not program.exists():
        sys.exit("The Swift tests are missing: deploy/scripts/build-tests.sh")
    (out / "names").mkdir()
    done = subprocess.run(
        [str(program), "--testing-library", "swift-testing", "--filter", "PersistedNamesTests"],
        env=os.environ | {"PAIRSPOT_FREEZE_DIR": str(out / "names")}, cwd=CHECKOUT,
        capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return (out / "names/routes.txt").read_text().splitlines()


def freeze(out):
    out.mkdir(parents=True)
    routes = lists(out)
    folder = tempfile.mkdtemp(prefix="freeze-")
    frozen = Frozen(folder)
    try:
        names = Names(frozen.site)
        people, known = act(frozen)
        look(frozen, names, out, routes, people, known)
        refuse(frozen, names, out)
        tables(frozen, names, out)
        later(frozen)
        mails(frozen, names, out)
    finally:
        frozen.site.stop()
        frozen.clock.tidy()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{sum(path.is_file() for path in out.rglob('*'))} files in {out}")


# Comparing

def compare(first, second, lines=12):
    """Prints the files in which two freezes differ, with the beginning of each difference. Returns
    1 if they differ, otherwise 0."""
    files = sorted({str(path.relative_to(folder)) for folder in (first, second)
                    for path in folder.rglob("*") if path.is_file()})
    count = 0
    for name in files:
        there = [folder for folder in (first, second) if (folder / name).exists()]
        texts = [(folder / name).read_text().splitlines() for folder in there]
        if len(there) == 1 or texts[0] != texts[1]:
            count += 1
        if len(there) == 1:
            print(f"only in {there[0]}: {name}")
            continue
        if texts[0] == texts[1]:
            continue
        found = list(difflib.unified_diff(
            *texts, str(first / name), str(second / name), lineterm="", n=1))
        print("\n".join(line[:200] for line in found[:lines]))
        if len(found) > lines:
            print(f"… {len(found) - lines} more lines")
    print(f"{count} of {len(files)} files differ")
    return 1 if count else 0


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "compare":
        sys.exit(compare(Path(sys.argv[2]), Path(sys.argv[3])))
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    freeze(Path(sys.argv[1]).resolve())
