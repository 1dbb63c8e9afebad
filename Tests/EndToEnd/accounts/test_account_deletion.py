"""Deleting an account in a running instance with a moving clock: hidden at once, restorable on
the 29th day, and 30 days after the deletion nothing is left."""

import hashlib
import re
from datetime import datetime, timedelta, timezone

import pictures
from instance import link_in, wait_until
from people import Visitor, picture_addresses

START = datetime(2027, 1, 4, 8, 0, tzinfo=timezone.utc)
PASSWORD = "umbrella by the river"
NAME = "Wisteriana"
ADDRESS = "wisteriana.quell@example.test"
WORDS = "Marzipan under the bridge"


def moment(days):
    return (START + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def restart(site, days):
    site.stop()
    site.environment["PAIRSPOT_NOW"] = moment(days)
    site.start()


def come_in_as_two(site, address, name, other, others_name):
    """Registers two users; returns their browsers."""
    visitor = Visitor(site)
    fields = {"csrf_token": visitor.token("/register"), "email_a": address, "email_b": other,
              "couple_name": f"{name} & {others_name}", "anniversary": "2024-02-29",
              "accept": "1"}
    assert visitor.post("/register", fields).status == 303
    return complete(site, address, name), complete(site, other, others_name)


def complete(site, address, name):
    """Follows the link in the mail to an address; returns the browser signed in by it."""
    visitor = Visitor(site)
    path = link_in(site.mail_to(address)).removeprefix(site.url)
    form = visitor.get(path).form("/register/complete")
    done = visitor.post("/register/complete", form | {"display_name": name, "password": PASSWORD})
    assert done.status == 303, done.text
    return visitor


def come_in(site):
    """Both users, signed in; she has a picture of her own and a post with another, and likes
    his."""
    her, ben = come_in_as_two(site, ADDRESS, NAME, "ben@example.test", "Ben")
    profile = her.get("/settings/profile").form("/settings/profile")
    face = ("avatar", "face.png", pictures.png_bytes((90, 20, 140), (96, 96)))
    assert her.post("/settings/profile", profile, [face]).status == 303
    post = her.write(WORDS, files=[("a.jpg", pictures.WITH_PLACE.read_bytes())]).made
    other = ben.write("Words of his").made
    assert her.post(f"{other}/like", {"csrf_token": her.token()}).status == 303
    couple = re.search(r"/couples/[0-9a-f-]{36}", ben.get(other).text)[0]
    return her, ben, post, other, couple


def ask(site, sql, *values):
    """The first value of a query."""
    rows = site.sql(sql, *values)
    return rows[0][0] if rows else None


def user_id(site):
    return ask(site, "SELECT id FROM users WHERE display_name = ?", NAME)


def has_looked(site, days):
    """Whether the purge job has run since the clock was set."""
    due = ask(site, "SELECT run_at FROM jobs WHERE kind = 'accounts.purge-people'")
    return due and due > (START + timedelta(days=days)).timestamp() * 1000


def leave(visitor):
    before = len(told(visitor.site))
    form = visitor.get("/settings/delete").form("/settings/delete")
    answer = visitor.post("/settings/delete", form | {"current_password": PASSWORD})
    assert answer.status == 303, answer.text
    assert visitor.get("/settings").status == 303
    # The only mail that is still sent; mail files are kept for 7 days.
    wait_until(lambda: len(told(visitor.site)) > before, 20, "the mail")


def told(site):
    return [mail for mail in site.mails() if "was deleted" in mail["Subject"]]


def come_back(site):
    visitor = Visitor(site)
    fields = {"csrf_token": visitor.token("/sign-in"), "email": ADDRESS, "password": PASSWORD,
              "next": "/"}
    assert visitor.post("/sign-in", fields).location == "/restore"
    assert NAME in visitor.get("/restore").text
    answer = visitor.post("/restore", visitor.get("/restore").form("/restore"))
    assert answer.status == 303
    return visitor


def shown(visitors, pages, seen):
    """Her pages and pictures that are still accessible, and pages with her name."""
    found = []
    for visitor in visitors:
        for address in [*pages, *seen]:
            if visitor.get(address).status == 200:
                found.append(address)
        for page in ["/", "/settings", "/settings/part"]:
            text = visitor.get(page).text
            found += [f"{word} on {page}" for word in (WORDS, "/media/") if word in text]
    return found


def traces(site, hashes, marks):
    """Stored data with traces of her, logs and mails included."""
    found = []
    if site.server:
        dump = site.dump().encode()
        found += [f"{mark!r}: the database" for mark in marks if mark in dump]
    else:
        site.sql("VACUUM")
        site.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    for path in [path for path in site.data.rglob("*") if path.is_file()]:
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() in hashes:
            found.append(f"a picture: {path}")
        found += [f"{mark!r}: {path}" for mark in marks if mark in content]
        assert NAME not in str(path)
    return found


def test_who_leaves_is_hidden_comes_back_on_day_29_and_is_gone_after_day_30(own_site):
    site = own_site(PAIRSPOT_NOW=moment(0))
    before = site.media()
    her, ben, post, other, couple = come_in(site)
    files = site.media() - before
    hashes = {hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    hashes.add(hashlib.sha256(pictures.WITH_PLACE.read_bytes()).hexdigest())
    assert len(files) == 7, files  # her avatar in two sizes, the post's picture in five
    seen = sorted({*picture_addresses(her.get(post).text), *picture_addresses(her.get(couple).text)})
    assert len(seen) >= 3 and all(her.get(address).status == 200 for address in seen)
    contents = [path.read_bytes() for path in files]
    marks = [NAME.encode(), ADDRESS.encode(), b"wisteriana", WORDS.encode(),
             *(content[len(content) // 2:][:40] for content in contents)]
    user = user_id(site)
    marks += [user, user.hex().encode()]

    # The day itself: her data are visible to no one any more, not to her own old browser either.
    leave(her)
    watchers = [ben, Visitor(site), her]
    assert shown(watchers, [post], seen) == []
    assert NAME not in ben.get(other).text.replace(f"{NAME} &amp; Ben", "")
    assert ben.get(couple).status == 200 and ben.get(other).status == 200

    # Day 29: signing in and pressing the button restores everything.
    restart(site, 29)
    back = come_back(site)
    assert WORDS in back.get(post).text and WORDS in ben.get("/").text
    assert all(back.get(address).status == 200 for address in seen)
    assert {path for path in files if not path.exists()} == set()
    assert NAME in ben.get(couple).text

    # She deletes the account again: on the 30th day after that, and not before, she is gone.
    leave(back)
    restart(site, 58.9)
    wait_until(lambda: has_looked(site, 58.9), 20, "a round of the job")
    assert user_id(site) == user
    restart(site, 60)
    wait_until(lambda: user_id(site) is None, 30, "the purge")
    wait_until(lambda: not site.media() & files, 20, "the removal of files")
    wait_until(lambda: not told(site), 20, "the removal of mails")
    site.stop()
    assert traces(site, hashes, marks) == []
    site.start()
    ben = Visitor(site).sign_in("ben@example.test", PASSWORD)
    assert ben.get(other).status == 200
    assert "Ben" in ben.get(couple).text
