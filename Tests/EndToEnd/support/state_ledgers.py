"""Writers of a crash test, with the answers they got and the conditions that must hold afterwards."""

import collections
import email
import email.policy
import random
import uuid
from datetime import datetime
from http.client import HTTPException
from zoneinfo import ZoneInfo

from instance import link_in, wait_until
from people import Visitor, picture_addresses
from pictures import TURNED, png_bytes
from fake_push_service import Subscriber
from crash_test import NOBODY, Unanswered
from test_api_workouts import workout

# A zone far from midnight: actions before and after it would be on two days.
ZONE = min(
    ("Pacific/Honolulu", "America/Bogota", "Africa/Lagos", "Asia/Kolkata", "Asia/Taipei",
     "Pacific/Noumea"),
    key=lambda zone: abs(datetime.now(ZoneInfo(zone)).hour - 12))


class Writer:
    """A writer that makes one change after the other and keeps a ledger of them."""

    def __init__(self, crash_test):
        self.crash_test, self.site = crash_test, crash_test.site
        self.chance = random.Random(f"{crash_test.seed} {type(self).__name__}")
        self.count = 0
        self.failure = None
        # Calls with unknown results: repeated after their leases have expired.
        self.open = []

    def prepare(self):
        """Prepares the data needed before the first kill."""

    def step(self, number):
        """Makes one change. No step of it may be lost."""
        raise NotImplementedError

    def check(self):
        """Verifies all changes."""
        raise NotImplementedError

    def remember(self):
        """The changes acknowledged so far, in the format of `recall`."""
        raise NotImplementedError

    def recall(self, memory, restored):
        """Verifies them in an instance restored from a later backup: `restored` is its client;
        later changes in it are ignored."""
        raise NotImplementedError

    def run(self):
        number = 0
        try:
            while not self.crash_test.done.is_set():
                number += 1
                self.step(number)
        except Exception as error:  # reported by the main thread
            self.failure = error

    def settle(self):
        for call, note in self.open:
            answer = self.crash_test.until_known(call, forever=True)
            # 409: it was done, and its answer was lost with the process.
            assert answer.status < 300 or is_conflict(answer), answer.body
            note(None if answer.status == 409 else answer)

    # MARK: Calls

    def noted(self):
        self.count += 1
        self.crash_test.acknowledge()

    def sign_in(self, name, crash_test=None):
        return signed_in(crash_test or self.crash_test, name)

    def known(self, method, path, body=None, token=None):
        """A call that may be repeated, until it is answered; None if the crash test has ended before."""
        answer = self.crash_test.until_known(lambda: self.crash_test.api(method, path, body, token))
        assert answer is None or answer.status < 300, (method, path, answer.status, answer.body)
        if answer:
            self.noted()
        return answer

    def once(self, path, body, token, note, form=None, method="POST"):
        """A call to be done once, with a key of its own. `note` gets the answer, or None: done,
        but the result is unknown. Returns whether it is known."""
        key = str(uuid.uuid4())

        def call():
            return self.crash_test.api(method, path, body, token, key, form)

        answer = self.crash_test.until_known(call)
        if answer is None or is_conflict(answer):
            self.open.append((call, note))
            return False
        assert answer.status < 300, (path, answer.status, answer.body)
        note(answer)
        self.noted()
        return True

    def visited(self, call):
        """The answer to a visitor, after retries; None if the crash test has ended before."""
        def asked():
            try:
                answer = call()
            except (OSError, HTTPException) as error:
                raise Unanswered(repr(error)) from error
            if answer.status >= 500:
                if answer.status not in NOBODY:
                    self.crash_test.strange.append(f"{answer.status} {answer.text[:300]}")
                raise Unanswered(str(answer.status))
            return answer
        return self.crash_test.until_known(asked)


class Changes:
    """Requests and answers, in order, for things that change repeatedly."""

    ASKED, KNOWN = range(2)

    def __init__(self):
        self.lines = []

    def asked(self, thing, value):
        self.lines.append((self.ASKED, thing, value))

    def known(self, thing, value):
        self.lines.append((self.KNOWN, thing, value))

    def now(self):
        return len(self.lines)

    def possible(self, since=None):
        """The possible states of each thing: the last acknowledged one, and those requested
        after it. With a time: the possible states in a copy made at any time since then."""
        found, end = {}, self.now() if since is None else since
        for number, (kind, thing, value) in enumerate(list(self.lines)):
            if kind == self.KNOWN and number < end:
                found[thing] = {value}
            else:
                # None: as it was before the first request.
                found.setdefault(thing, {None}).add(value)
        return found


def signed_in(crash_test, name):
    """An access token of a demo user."""
    answer = crash_test.api("POST", "/auth/login", {
        "email": f"{name}@example.test", "password": crash_test.site.demo_password()})
    assert answer.status == 200, answer.body
    return answer.json["access_token"]


def guest(crash_test, name):
    """A token of a new guest, and the recovery code."""
    answer = crash_test.api("POST", "/auth/guest", {"display_name": name})
    assert answer.status == 201, answer.body
    return answer.json["access_token"], answer.json["recovery_code"]


def came_back(crash_test, code):
    answer = crash_test.api("POST", "/auth/guest/recover", {"recovery_code": code})
    assert answer.status == 200, answer.body
    return answer.json["access_token"]


def is_conflict(answer):
    return answer.status == 409 and answer.json["error"]["code"] == "conflict"


# MARK: Posts, likes, follows

class Posts(Writer):
    """Mei posts with the page's form, every other time with a picture; an unanswered form is
    sent again unchanged."""

    def prepare(self):
        self.mei = Visitor(self.site).sign_in("mei@example.test")
        self.links = {}
        self.open_forms = []

    def step(self, number):
        page = self.visited(lambda: self.mei.get("/"))
        if page is None:
            return
        form = page.form("/posts")
        words = f"Mei wrote {number}."
        files = [("a.png", png_bytes((number % 256, 90, 120)))] if number % 2 else []

        def send():
            return self.mei.write(words, files=files, fields=form)

        answer = self.visited(send)
        if answer is None:
            self.open_forms.append((words, send))
            return
        assert answer.status == 303, answer.text
        self.links[words] = answer.made
        self.noted()

    def settle(self):
        for words, send in self.open_forms:
            answer = send()
            assert answer.status == 303, answer.text
            self.links[words] = answer.made

    def check(self):
        assert self.links
        mine = self.crash_test.sql(
            "SELECT content, count(*), min(image_count) FROM posts "
            "WHERE content LIKE 'Mei wrote %' GROUP BY content")
        assert {words for words, *_ in mine} == set(self.links)
        for words, times, images in mine:
            assert times == 1, f"{words} stands there {times} times"
            assert images == int(words[10:-1]) % 2
        for words, link in self.links.items():
            page = self.mei.get(link)
            assert page.status == 200 and words in page.text
            own = [one for one in picture_addresses(page.text) if "avatar" not in one]
            assert bool(own) == bool(int(words[10:-1]) % 2), link
            for address in own[:1]:
                picture = self.mei.get(address)
                assert picture.status == 200
                assert picture.headers["Content-Type"].startswith("image/")

    def remember(self):
        return dict(self.links)

    def recall(self, memory, restored):
        assert memory
        mei = Visitor(restored.site).sign_in("mei@example.test")
        for words, link in memory.items():
            page = mei.get(link)
            assert page.status == 200 and words in page.text, link
            own = [one for one in picture_addresses(page.text) if "avatar" not in one]
            assert bool(own) == bool(int(words[10:-1]) % 2), link
            assert all(mei.get(address).status == 200 for address in own), link


class AppPosts(Writer):
    """Jun's app posts with idempotency keys."""

    def prepare(self):
        self.token = self.sign_in("jun")
        self.written, self.ids = [], []

    def step(self, number):
        words = f"Jun wrote {number}."
        self.written.append(words)

        def note(answer):
            if answer:
                assert answer.json["content"] == words
                self.ids.append(answer.json["id"])

        self.once("/posts", None, self.token, note, form=({"content": words}, []))

    def check(self):
        found = collections.Counter(
            self.crash_test.sql("SELECT content FROM posts WHERE content LIKE 'Jun wrote %'"))
        assert found == collections.Counter(self.written)
        for id in self.ids:
            assert self.crash_test.api("GET", f"/posts/{id}", token=self.token).status == 200

    def remember(self):
        return list(self.ids)

    def recall(self, memory, restored):
        assert memory
        token = self.sign_in("jun", restored)
        for id in memory:
            assert restored.api("GET", f"/posts/{id}", token=token).status == 200


class Likes(Writer):
    """Sam likes and unlikes; the last answer is the state."""

    def prepare(self):
        jun = self.sign_in("jun")
        self.token = self.sign_in("sam")
        self.posts = []
        for number in range(8):
            answer = self.crash_test.api(
                "POST", "/posts", token=jun, form=({"content": f"Do you like {number}?"}, []))
            self.posts.append(answer.json["id"])
        self.state, self.changes = {}, Changes()

    def step(self, number):
        post, is_liked = self.chance.choice(self.posts), self.chance.random() < 0.6
        self.changes.asked(post, is_liked)
        answer = self.known(
            "POST" if is_liked else "DELETE", f"/posts/{post}/like", token=self.token)
        self.state[post] = is_liked if answer else None
        if answer:
            self.changes.known(post, is_liked)

    def settle(self):
        for post in [post for post, known in self.state.items() if known is None]:
            self.crash_test.api("POST", f"/posts/{post}/like", token=self.token)
            self.state[post] = True

    def check(self):
        for post, is_liked in self.state.items():
            found = self.crash_test.api("GET", f"/posts/{post}", token=self.token).json
            assert (found["liked"], found["like_count"]) == (is_liked, int(is_liked))
        assert self.crash_test.sql(
            "SELECT count(*) FROM posts p WHERE like_count <> "
            "(SELECT count(*) FROM likes WHERE post_id = p.id)") == [0]

    def remember(self):
        return self.changes.now()

    def recall(self, memory, restored):
        token = self.sign_in("sam", restored)
        for post, values in self.changes.possible(memory).items():
            found = restored.api("GET", f"/posts/{post}", token=token).json["liked"]
            # No likes without a request.
            assert found in {bool(value) for value in values}, (post, values)


class Follows(Writer):
    """Sam and the couple follow and unfollow each other."""

    def prepare(self):
        people = {name: self.sign_in(name) for name in ("mei", "sam")}
        for token in people.values():
            # A single member has no couple to follow before the first post.
            self.crash_test.api("POST", "/posts", token=token, form=({"content": "Follow me"}, []))
        couples = {
            name: self.crash_test.api("GET", "/account", token=token).json["couple_id"]
            for name, token in people.items()}
        self.ways = [(people["mei"], couples["sam"]), (people["sam"], couples["mei"])]
        for way in self.ways:
            self.crash_test.api("DELETE", f"/couples/{way[1]}/follow", token=way[0])
        self.state, self.changes = dict.fromkeys(self.ways, False), Changes()

    def step(self, number):
        way = self.chance.choice(self.ways)
        token, couple = way
        wanted = not self.state[way]
        self.changes.asked(couple, wanted)
        answer = self.known(
            "POST" if wanted else "DELETE", f"/couples/{couple}/follow", token=token)
        self.state[way] = wanted if answer else None
        if answer:
            self.changes.known(couple, wanted)

    def settle(self):
        for way in [way for way, known in self.state.items() if known is None]:
            assert self.crash_test.api("POST", f"/couples/{way[1]}/follow", token=way[0]).status < 300
            self.state[way] = True

    def check(self):
        for (_, couple), is_followed in self.state.items():
            assert self.followers(self.crash_test, couple) == int(is_followed)

    def followers(self, crash_test, couple):
        return crash_test.sql(
            "SELECT count(*) FROM follows WHERE followed_id = ?", uuid.UUID(couple).bytes)[0]

    def remember(self):
        return self.changes.now()

    def recall(self, memory, restored):
        for couple, values in self.changes.possible(memory).items():
            assert self.followers(restored, couple) in {int(bool(one)) for one in values}


# MARK: Registrations and check-ins, and their mails

class Mailed(Writer):
    """A writer whose changes send mail to unique addresses."""

    def __init__(self, crash_test, sink):
        super().__init__(crash_test)
        self.sink = sink

    def mails(self):
        """The Message-IDs received by each address, a repeated delivery counted once."""
        found = collections.defaultdict(set)
        for envelope in self.sink.envelopes:
            for address in envelope.rcpt_tos:
                found[address].add(parsed(envelope)["Message-ID"])
        return found


def parsed(envelope):
    return email.message_from_bytes(envelope.content, policy=email.policy.default)


class Registrations(Mailed):
    """Couples that register, each once: an unanswered call is not repeated, and has mailed both
    or none."""

    def prepare(self):
        self.told, self.perhaps = [], []

    def step(self, number):
        both = [f"crash_test{number}.{which}@example.test" for which in "ab"]
        try:
            answer = self.crash_test.api("POST", "/auth/register/initiate", {
                "email_a": both[0], "email_b": both[1], "couple_name": f"CrashTest {number}",
                "anniversary": "2020-01-17", "accept_terms": True})
        except Unanswered:
            self.perhaps.append(both)
            self.crash_test.done.wait(0.1)
            return
        assert answer.status == 202, answer.body
        self.told.append(both)
        self.noted()
        # Each sends two mails, too much for a worker that dies all the time.
        self.crash_test.done.wait(0.1)

    def check(self):
        assert self.told
        mails = self.mails()
        for both in self.told:
            assert [len(mails[address]) for address in both] == [1, 1], both
        for both in self.perhaps:
            assert [len(mails[address]) for address in both] in ([0, 0], [1, 1]), both
        for envelope in self.sink.envelopes[-40:]:
            if envelope.rcpt_tos[0].startswith("crash_test"):
                path = link_in(parsed(envelope)).removeprefix(self.site.url)
                assert Visitor(self.site).get(path).status == 200

    def remember(self):
        mails = [envelope for envelope in list(self.sink.envelopes)
                 if envelope.rcpt_tos[0].startswith("crash_test") and "kin" not in envelope.rcpt_tos[0]]
        return len(self.told), mails

    def recall(self, memory, restored):
        told, mails = memory
        assert told and mails
        assert restored.sql("SELECT count(*) FROM registrations")[0] >= told
        # A user whose mail was sent before its loss continues with its link.
        for envelope in mails[-40:]:
            path = link_in(parsed(envelope)).removeprefix(self.site.url)
            assert Visitor(restored.site).get(path).status == 200, path


class CheckIns(Mailed):
    """Guests who register, name a contact, and check in three times."""

    def prepare(self):
        self.guests = []

    def step(self, number):
        begun = self.known("POST", "/auth/guest", {"display_name": f"Guest {number}"})
        if begun is None:
            return
        token, address = begun.json["access_token"], f"siegekin{number}@example.test"
        code = begun.json["recovery_code"]
        self.known("PUT", "/checkin/settings", {
            "display_name": f"Guest {number}", "time_zone": ZONE}, token)
        if not self.once("/checkin/contacts", {"email": address}, token, lambda answer: None):
            # They check in after the settings are certain.
            self.guests.append((token, code, address, False))
            return
        taps = [self.known("POST", "/checkin", {}, token) for _ in range(3)]
        statuses = [tap.status for tap in taps if tap]
        # An unanswered call may have made the first check-in.
        assert statuses[1:] == [200] * len(statuses[1:]), statuses
        self.guests.append((token, code, address, bool(statuses)))
        self.crash_test.done.wait(0.1)

    def check(self):
        assert any(tapped for *_, tapped in self.guests)
        mails = self.mails()
        for token, _, address, tapped in self.guests:
            state = self.crash_test.api("GET", "/checkin", token=token).json
            assert [one["email"] for one in state["contacts"]] == [address]
            assert len(mails[address]) == 1, (address, mails[address])
            if tapped:
                assert (state["checked_in_today"], state["total"]) == (True, 1)
            else:
                assert state["total"] in (0, 1)
        assert not any(len(ids) > 1 for ids in mails.values()), "a mail was queued twice"

    def remember(self):
        return list(self.guests)

    def recall(self, memory, restored):
        assert any(tapped for *_, tapped in memory)
        for _, code, address, tapped in memory:
            state = restored.api("GET", "/checkin", token=came_back(restored, code)).json
            assert [one["email"] for one in state["contacts"]] == [address]
            assert state["total"] == 1 if tapped else state["total"] in (0, 1)


# MARK: Contacts, settings, subscriptions

class Contacts(Mailed):
    """A guest whose contacts are added and removed; up to five, each with an address of its own."""

    def prepare(self):
        self.token, self.code = guest(self.crash_test, "Changing")
        self.changes, self.ids, self.unknown = Changes(), {}, 0

    def step(self, number):
        if self.ids and (self.chance.random() < 0.5 or len(self.ids) + self.unknown >= 5):
            self.remove(self.chance.choice(sorted(self.ids)))
        else:
            self.add(f"changing{number}@example.test")
        # Each added contact gets a mail.
        self.crash_test.done.wait(0.1)

    def add(self, address):
        self.changes.asked(address, True)

        def note(answer):
            self.changes.known(address, True)
            if answer:
                self.ids[address] = answer.json["id"]

        if not self.once("/checkin/contacts", {"email": address}, self.token, note):
            # It may exist, and count.
            self.unknown += 1

    def remove(self, address):
        id = self.ids.pop(address)
        self.changes.asked(address, False)
        answer = self.crash_test.until_known(
            lambda: self.crash_test.api("DELETE", f"/checkin/contacts/{id}", token=self.token))
        if answer is None:
            self.unknown += 1
            return
        # 404: an unanswered call had done it.
        assert answer.status in (204, 404), answer.body
        self.changes.known(address, False)
        self.noted()

    def contacts(self, crash_test, token):
        answer = crash_test.api("GET", "/checkin/contacts", token=token)
        return [one["email"] for one in answer.json["contacts"]]

    def compare(self, possible, contacts):
        assert len(set(contacts)) == len(contacts) <= 5 and set(contacts) <= set(possible)
        for address, values in possible.items():
            assert (address in contacts) in {bool(value) for value in values}, (address, values)

    def check(self):
        contacts, mails = self.contacts(self.crash_test, self.token), self.mails()
        possible = self.changes.possible()
        assert possible
        self.compare(possible, contacts)
        for address in possible:
            # A contact removed before the introduction may have none.
            assert len(mails[address]) in ([1] if address in contacts else [0, 1]), address

    def remember(self):
        return self.changes.now()

    def recall(self, memory, restored):
        self.compare(
            self.changes.possible(memory),
            self.contacts(restored, came_back(restored, self.code)))


class Settings(Writer):
    """A guest who changes settings repeatedly: all settings of one call are stored together, or
    not at all."""

    def prepare(self):
        self.token, self.code = guest(self.crash_test, "Wavering")
        self.changes = Changes()

    def step(self, number):
        wanted = (
            f"Wavering {number}", f"{number % 24:02}:{number % 4 * 15:02}", 2 + number % 6,
            f"The key lies under stone {number}.")
        self.changes.asked("settings", wanted)
        answer = self.known("PUT", "/checkin/settings", dict(zip(SETTINGS, wanted)), self.token)
        if answer:
            assert self.found(answer.json) == wanted
            self.changes.known("settings", wanted)

    def found(self, settings):
        return tuple(settings[name] for name in SETTINGS)

    def stands(self, crash_test, token, possible):
        found = crash_test.api("GET", "/checkin", token=token).json["settings"]
        assert self.found(found) in possible["settings"], (found, possible)

    def check(self):
        self.stands(self.crash_test, self.token, self.changes.possible())

    def remember(self):
        return self.changes.now()

    def recall(self, memory, restored):
        self.stands(restored, came_back(restored, self.code), self.changes.possible(memory))


SETTINGS = ("display_name", "alert_time", "threshold_days", "note")


class Subscriptions(Writer):
    """A guest's app that subscribes to pushes with one URL after the other, and then
    unsubscribes."""

    def __init__(self, crash_test, origin):
        super().__init__(crash_test)
        self.origin = origin

    def prepare(self):
        self.token, _ = guest(self.crash_test, "Listening")
        self.changes, self.last = Changes(), None

    def step(self, number):
        if self.last and number % 3 == 0:
            self.say("DELETE", {"endpoint": self.last}, None)
        else:
            endpoint = f"{self.origin}/crash_test-{number}"
            self.say("POST", Subscriber(endpoint).json(), endpoint)

    def say(self, method, body, endpoint):
        self.changes.asked("endpoint", endpoint)
        if self.known(method, "/push/subscriptions", body, self.token):
            self.changes.known("endpoint", endpoint)
            self.last = endpoint

    def stands(self, crash_test, possible):
        found = crash_test.sql(
            "SELECT endpoint FROM push_subscriptions WHERE endpoint LIKE ?",
            f"{self.origin}/crash_test-%")
        assert len(found) <= 1
        assert (found or [None])[0] in possible["endpoint"], (found, possible)

    def check(self):
        self.stands(self.crash_test, self.changes.possible())

    def remember(self):
        return self.changes.now()

    def recall(self, memory, restored):
        self.stands(restored, self.changes.possible(memory))


# MARK: Blocks and reports

PASSWORD = "lantern river seven"


class Newcomers(Mailed):
    """Members created for this crash test, without relations to others."""

    names = ()

    def prepare(self):
        self.tokens = {name: self.join(name) for name in self.names}
        self.couples = {}
        for name, token in self.tokens.items():
            # A single member is a couple of one from the first post on.
            self.crash_test.api("POST", "/posts", token=token, form=({"content": "Here I am"}, []))
            account = self.crash_test.api("GET", "/account", token=token).json
            self.couples[name] = account["couple_id"]

    def address(self, name):
        return f"new.{name}@example.test"

    def join(self, name):
        answer = self.crash_test.api("POST", "/auth/register", {
            "email": self.address(name), "display_name": name.title(), "password": PASSWORD,
            "accept_terms": True})
        assert answer.status == 202, answer.body
        mail = wait_until(lambda: self.mail_to(self.address(name)), 30, "the mail with the link")
        answer = self.crash_test.api("POST", "/auth/register/verify", {
            "token": link_in(mail).split("token=")[1], "password": PASSWORD,
            "accept_terms": True})
        assert answer.status == 200, answer.body
        return self.come(self.crash_test, name)

    def mail_to(self, address):
        return next((parsed(envelope) for envelope in list(self.sink.envelopes)
                     if address in envelope.rcpt_tos), None)

    def come(self, crash_test, name):
        answer = crash_test.api("POST", "/auth/login", {
            "email": self.address(name), "password": PASSWORD})
        assert answer.status == 200, answer.body
        return answer.json["access_token"]


class Blocks(Newcomers):
    """Ada blocks two others, and unblocks them."""

    names = ("ada.b", "ben.b", "cleo.b")

    def prepare(self):
        super().prepare()
        self.changes = Changes()

    def step(self, number):
        couple = self.couples[self.chance.choice(self.names[1:])]
        wanted = self.chance.random() < 0.5
        self.changes.asked(couple, wanted)
        if self.known("POST" if wanted else "DELETE", f"/couples/{couple}/block",
                      token=self.tokens["ada.b"]):
            self.changes.known(couple, wanted)

    def stands(self, crash_test, token, possible):
        found = [one["id"] for one in crash_test.api("GET", "/blocks", token=token).json["blocks"]]
        assert len(set(found)) == len(found) and set(found) <= set(possible)
        for couple, values in possible.items():
            assert (couple in found) in {bool(value) for value in values}, (couple, values)

    def check(self):
        self.stands(self.crash_test, self.tokens["ada.b"], self.changes.possible())
        # Neither sees the other.
        for couple, values in self.changes.possible().items():
            if len(values) == 1:
                seen = self.crash_test.api("GET", f"/couples/{couple}", token=self.tokens["ada.b"])
                assert seen.status == (404 if values == {True} else 200)

    def remember(self):
        return self.changes.now()

    def recall(self, memory, restored):
        self.stands(restored, self.come(restored, "ada.b"), self.changes.possible(memory))


class Reports(Newcomers):
    """Dora reports Emil's posts, each one once."""

    names = ("dora.r", "emil.r")

    def prepare(self):
        super().prepare()
        self.told = []

    def step(self, number):
        written = []
        if not self.once("/posts", None, self.tokens["emil.r"], written.append,
                         form=({"content": f"Emil wrote {number}."}, [])):
            return
        post = written[0].json["id"]
        self.once(f"/posts/{post}/report", {"reason": "spam"}, self.tokens["dora.r"],
                  lambda answer: self.told.append(post))
        # Leaves capacity for the other writers.
        self.crash_test.done.wait(0.05)

    def reported(self, crash_test):
        return collections.Counter(crash_test.sql(
            "SELECT lower(hex(c.thing_id)) FROM reports r JOIN report_cases c ON c.id = r.case_id "
            "JOIN posts p ON p.id = c.thing_id WHERE p.content LIKE 'Emil wrote %'"))

    def check(self):
        found = self.reported(self.crash_test)
        assert self.told and set(found.values()) == {1}, "a report is doubled"
        assert {post.replace("-", "") for post in self.told} == set(found)

    def remember(self):
        return list(self.told)

    def recall(self, memory, restored):
        found = self.reported(restored)
        assert memory and set(found.values()) == {1}
        assert {post.replace("-", "") for post in memory} <= set(found)


# MARK: Workouts, photos, groups

class Workouts(Writer):
    """Sam's app uploads batches, including some earlier workouts."""

    def prepare(self):
        self.token = self.sign_in("sam")
        self.rides = {}
        # The batch with an unknown result, and the workouts that are certainly stored.
        self.last, self.sure = [], []

    def step(self, number):
        new = [workout(self.chance.randrange(1, 2000), self.chance.randrange(60, 1800))
               for _ in range(self.chance.randint(1, 5))]
        old = self.chance.sample(list(self.rides.values()), min(2, len(self.rides)))
        answer = self.crash_test.until_known(lambda: self.crash_test.api(
            "POST", "/sessions/batch_upload", {"sessions": new + old}, self.token))
        # Without an answer they may be stored: the last batch is sent once more at the end.
        self.rides |= {ride["client_session_id"]: ride for ride in new}
        if answer is None:
            self.last = new
            return
        said = answer.json
        assert answer.status == 200 and said["failed_sessions"] == [], answer.body
        assert said["success_count"] + said["duplicate_count"] == len(new + old)
        assert said["duplicate_count"] >= len(old)
        self.sure += [ride["client_session_id"] for ride in new]
        self.noted()

    def settle(self):
        if self.last:
            answer = self.crash_test.api(
                "POST", "/sessions/batch_upload", {"sessions": self.last}, self.token)
            assert answer.status == 200, answer.body

    def uploaded(self, crash_test, token):
        found, cursor = [], ""
        while cursor is not None:
            page = crash_test.api(
                "GET", f"/sessions?limit=100{cursor and '&cursor='}{cursor}", token=token).json
            found += page["sessions"]
            cursor = page["next_cursor"]
        return found

    def remember(self):
        return list(self.sure)

    def recall(self, memory, restored):
        found = self.uploaded(restored, self.sign_in("sam", restored))
        ids = [one["client_session_id"] for one in found]
        assert memory and set(memory) <= set(ids) and len(set(ids)) == len(ids)

    def check(self):
        found = self.uploaded(self.crash_test, self.token)
        ids = collections.Counter(one["client_session_id"] for one in found)
        assert set(self.rides) <= set(ids) and max(ids.values()) == 1
        stats = self.crash_test.api("GET", "/users/me/stats", token=self.token).json
        assert stats[COUNT] == len(found)
        assert abs(stats[DURATION] - sum(one["duration"] for one in found)) < 1
        assert abs(stats[DISTANCE] - sum(one["total_distance"] for one in found)) < 1


COUNT, DURATION, DISTANCE = (
    "workout_total_count", "workout_total_duration", "workout_total_distance")


class Album(Writer):
    """Jun adds photos with stories and changes them; the file and the page must agree."""

    def prepare(self):
        self.token = self.sign_in("jun")
        self.photo = TURNED.read_bytes()
        # Possible stories of each photo: the last one sent, and before it the unanswered ones.
        self.stories, self.changes = {}, Changes()
        self.before = self.album(self.crash_test, self.token)
        # Stories in photos with an unknown URL, and photos that must not be changed any more.
        self.unnamed, self.overtaken = set(), set()

    def album(self, crash_test, token):
        found, cursor = set(), ""
        while cursor is not None:
            page = crash_test.api(
                "GET", f"/photos?limit=100{cursor and '&cursor='}{cursor}", token=token).json
            found |= {photo["id"] for photo in page["photos"]}
            cursor = page["next_cursor"]
        return found

    def step(self, number):
        free = [photo for photo in self.stories if photo not in self.overtaken]
        if number % 3 or not free:
            self.add(f"Photo, story {number}")
        else:
            self.tell(self.chance.choice(free), f"Photo, later story {number}")

    def add(self, story):
        def note(answer):
            if answer:
                self.stories[answer.json["id"]] = [story]
                self.changes.known(answer.json["id"], story)
            else:
                self.unnamed.add(story)

        self.once("/photos", None, self.token, note, form=(
            {"story": story}, [("file", "a.jpg", self.photo)]))

    def tell(self, photo, story):
        self.stories[photo].append(story)
        self.changes.asked(photo, story)

        def note(answer):
            # It is done, whether the answer came or not.
            self.stories[photo] = [story]
            self.changes.known(photo, story)

        if not self.once(
                f"/photos/{photo}/story", {"story": story}, self.token, note, method="PUT"):
            # A later change might be overtaken by this one.
            self.overtaken.add(photo)

    def check(self):
        found = self.album(self.crash_test, self.token) - self.before
        assert set(self.stories) <= found, "a photo is lost"
        unnamed = [self.story(self.crash_test, self.token, photo)
                   for photo in found - set(self.stories)]
        assert sorted(unnamed) == sorted(self.unnamed), "a photo is lost or doubled"
        for photo, stories in self.stories.items():
            story = self.story(self.crash_test, self.token, photo)
            assert story in stories[-1:], (photo, story, stories)

    def remember(self):
        return self.changes.now(), set(self.stories)

    def recall(self, memory, restored):
        since, photos = memory
        token, possible = self.sign_in("jun", restored), self.changes.possible(since)
        assert photos and photos <= self.album(restored, token), "a photo is lost"
        for photo in photos:
            assert self.story(restored, token, photo) in possible[photo], possible[photo]

    def story(self, crash_test, token, photo):
        """A photo's story, which is the same in the file and on the page."""
        at = f"/photos/{photo}"
        read = crash_test.api("GET", f"{at}/story", token=token).json["story"]
        assert read == crash_test.api("GET", at, token=token).json["story"]
        file = crash_test.api("GET", f"{at}/file", token=token)
        assert file.status == 200 and file.body.startswith(b"\xff\xd8")
        return read


class Groups(Writer):
    """Guests in groups: one creates a group, two join, share a location and make calls."""

    # A user can be in a hundred groups at most.
    GROUPS, WALKS = 90, 5

    def prepare(self):
        self.groups = []
        guests = [guest(self.crash_test, f"Walker {number}") for number in range(3 * self.WALKS)]
        tokens, self.codes = [token for token, _ in guests], [code for _, code in guests]
        self.walks = [tokens[first:first + 3] for first in range(0, len(tokens), 3)]

    def step(self, number):
        walk = number // self.GROUPS % self.WALKS
        guests = self.walks[walk]
        leader, *others = guests
        made = []
        if not self.once("/groups", {"name": f"CrashTest {number}"}, leader, made.append):
            return
        group, code = made[0].json["id"], made[0].json["invite_code"]
        known = {"members": 1, "places": 0, "calls": 0, "is_whole": False}
        self.groups.append((group, known, walk))
        for other in others:
            if self.known("POST", "/groups/join", {"code": code}, other) is None:
                return
            known["members"] += 1
        place = {"latitude": 25 + number % 90 / 100, "longitude": 121.5}
        for person in guests:
            if self.known("PUT", f"/groups/{group}/sharing", {"on": True}, person) is None:
                return
            if self.known("PUT", f"/groups/{group}/location", place, person) is None:
                return
            known["places"] += 1
        known["latitude"] = place["latitude"]
        known["calls"] = 1
        known["is_whole"] = self.once(
            f"/groups/{group}/commands", {"kind": "gather"}, leader, lambda answer: None)

    def check(self):
        assert any(known["is_whole"] for _, known, _ in self.groups)
        for group, known, walk in self.groups:
            found = self.crash_test.api("GET", f"/groups/{group}", token=self.walks[walk][0]).json
            assert known["members"] <= len(found["members"]) <= 3
            places = [one["location"]["latitude"] for one in found["members"] if one["location"]]
            assert known["places"] <= len(places) <= 3
            if known["is_whole"]:
                assert places == [known["latitude"]] * 3
            calls = [one for one in found["events"] if one["kind"] == "gather"]
            assert len(calls) == known["calls"], (group, found["events"])
        names = self.crash_test.sql(
            "SELECT name, count(*) FROM groups WHERE name LIKE 'CrashTest %' GROUP BY 1")
        assert all(times == 1 for _, times in names), names

    def remember(self):
        return [(group, dict(known), walk) for group, known, walk in list(self.groups)]

    def recall(self, memory, restored):
        assert memory
        leaders = {walk: came_back(restored, self.codes[3 * walk]) for *_, walk in memory}
        for group, known, walk in memory:
            found = restored.api("GET", f"/groups/{group}", token=leaders[walk]).json
            assert known["members"] <= len(found["members"]) <= 3
            calls = [one for one in found["events"] if one["kind"] == "gather"]
            assert not known["is_whole"] or len(calls) == 1
            # Members who shared a location do not share it any more.
            assert not any(one["location"] for one in found["members"])


# MARK: Coins

class Coins(Writer):
    """Purchases, vouchers and promotions of three users; each purchase is sent twice, once with
    a key and once without, like an app after a lost answer."""

    def __init__(self, crash_test, receipts, codes):
        super().__init__(crash_test)
        self.receipts, self.codes = list(receipts), list(codes)

    def prepare(self):
        self.people = []
        for name in ("mei", "sam"):
            token = self.sign_in(name)
            # Promotions are sold while 20 posts are public.
            for _ in range(10):
                post = self.crash_test.api(
                    "POST", "/posts", token=token,
                    form=({"content": "Look at this"}, [])).json["id"]
            self.people.append({
                "token": token, "post": post, "bought": 0, "given": 0, "spent": 0,
                "began": self.balance(token)})

    def balance(self, token):
        return self.crash_test.api("GET", "/wallet", token=token).json["balance"]

    def step(self, number):
        person = self.chance.choice(self.people)
        kind = self.chance.choice(["buy", "redeem", "promote", "promote"])
        if kind == "buy" and self.receipts:
            self.buy(person, self.receipts.pop())
        elif kind == "redeem" and self.codes:
            person["given"] += 1
            self.once(
                "/wallet/redeem", {"code": self.codes.pop()}, person["token"], lambda answer: None)
        elif self.surely_has(person):
            person["spent"] += 1
            self.once(
                f"/posts/{person['post']}/promote", {"coins": 30, "days": 3}, person["token"],
                lambda answer: None)
        else:
            self.crash_test.done.wait(0.05)

    def surely_has(self, person):
        """Whether the balance suffices for all possible results of the unanswered calls."""
        sure = person["began"] + 50 * (person["bought"] + person["given"] - len(self.open))
        return sure - 30 * person["spent"] >= 30

    def buy(self, person, receipt):
        person["bought"] += 1
        body = {"signedTransaction": receipt}
        self.once("/wallet/verify-receipt", body, person["token"], lambda answer: None)
        again = self.crash_test.until_known(lambda: self.crash_test.api(
            "POST", "/wallet/verify-receipt", body, person["token"]))
        assert again is None or again.status == 200, again.body

    def check(self):
        for person in self.people:
            assert self.balance(person["token"]) == (
                person["began"] + 50 * (person["bought"] + person["given"]) - 30 * person["spent"])
        assert self.crash_test.sql(
            "SELECT count(*) FROM user_wallets w WHERE balance < 0 OR balance <> (SELECT "
            "coalesce(sum(amount), 0) FROM coin_transactions c WHERE c.user_id = w.user_id)") == [0]
        # Coins and time are one transaction: each promotion has added three days.
        for person in self.people:
            post = uuid.UUID(person["post"]).bytes
            times = self.crash_test.sql(
                "SELECT max(p.promoted_until) - min(c.created_at) FROM promotions p JOIN "
                "coin_transactions c ON c.post_id = p.post_id WHERE p.post_id = ?", post)
            # Concurrent requests may be written in another order than they arrived, some ms apart.
            days = (times[0] or 0) / 86_400_000
            assert abs(days - 3 * person["spent"]) < 1 / 1440, (days, person["spent"])
        bought = sum(person["bought"] for person in self.people)
        assert bought > 0
        assert self.crash_test.sql("SELECT count(*) FROM apple_transactions") == [bought]
        assert self.crash_test.sql(
            "SELECT count(*) FROM coin_transactions WHERE type = 'purchase'") == [bought]


EVERYBODY = (Posts, AppPosts, Likes, Follows, Settings, Workouts, Album, Groups)
MAILED = (Registrations, CheckIns, Contacts, Blocks, Reports)


def everybody(crash_test, sink, push, receipts, codes):
    """`push` is the push service: its origin is one of the instance's."""
    return [
        *(kind(crash_test) for kind in EVERYBODY), *(kind(crash_test, sink) for kind in MAILED),
        Subscriptions(crash_test, push.origin), Coins(crash_test, receipts, codes)]
