"""Who writes during a siege, what they were told, and what must be true of it afterwards."""

import collections
import email
import email.policy
import random
import uuid
from http.client import HTTPException

from instance import link_in
from people import Visitor, picture_addresses
from pictures import TURNED, png_bytes
from siege import NOBODY, Unanswered
from test_api_workouts import workout

ZONE = "Asia/Taipei"


class Writer:
    """Somebody who writes one thing after the other and keeps a ledger of it."""

    def __init__(self, siege):
        self.siege, self.site = siege, siege.site
        self.chance = random.Random(f"{siege.seed} {type(self).__name__}")
        self.count = 0
        self.failure = None
        # Calls whose fate nobody told: asked again when their leases are over.
        self.open = []

    def prepare(self):
        """Whatever is to be there before the first kill."""

    def step(self, number):
        """Writes one thing. Nothing of it may be lost on the way out."""
        raise NotImplementedError

    def check(self):
        """Looks everything up."""
        raise NotImplementedError

    def run(self):
        number = 0
        try:
            while not self.siege.done.is_set():
                number += 1
                self.step(number)
        except Exception as error:  # told by the main thread
            self.failure = error

    def settle(self):
        for call, note in self.open:
            answer = self.siege.until_known(call, forever=True)
            # 409: it was done, and its answer died with whoever had it.
            assert answer.status < 300 or is_conflict(answer), answer.body
            note(None if answer.status == 409 else answer)

    # MARK: Calls

    def noted(self):
        self.count += 1
        self.siege.acknowledge()

    def sign_in(self, name):
        """An access token of one of the demonstration's people."""
        answer = self.siege.api("POST", "/auth/login", {
            "email": f"{name}@example.test", "password": self.site.demo_password()})
        assert answer.status == 200, answer.body
        return answer.json["access_token"]

    def known(self, method, path, body=None, token=None):
        """A call that may be made any number of times, until it is answered; None when the siege
        ended before."""
        answer = self.siege.until_known(lambda: self.siege.api(method, path, body, token))
        assert answer is None or answer.status < 300, (method, path, answer.status, answer.body)
        if answer:
            self.noted()
        return answer

    def once(self, path, body, token, note, form=None, method="POST"):
        """A call that is to be done once, under a key of its own. `note` is told of the answer, or
        of None: done, but nobody said what came of it. Answers whether it is known."""
        key = str(uuid.uuid4())

        def call():
            return self.siege.api(method, path, body, token, key, form)

        answer = self.siege.until_known(call)
        if answer is None or is_conflict(answer):
            self.open.append((call, note))
            return False
        assert answer.status < 300, (path, answer.status, answer.body)
        note(answer)
        self.noted()
        return True

    def visited(self, call):
        """What a visitor is answered, sooner or later; None when the siege ended before."""
        def asked():
            try:
                answer = call()
            except (OSError, HTTPException) as error:
                raise Unanswered(repr(error)) from error
            if answer.status >= 500:
                if answer.status not in NOBODY:
                    self.siege.strange.append(f"{answer.status} {answer.text[:300]}")
                raise Unanswered(str(answer.status))
            return answer
        return self.siege.until_known(asked)


def is_conflict(answer):
    return answer.status == 409 and answer.json["error"]["code"] == "conflict"


# MARK: Posts, likes, follows

class Posts(Writer):
    """Mei writes with the page's form, every other time with a picture; a form that nobody answered
    is sent again as it is."""

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
        self.links[words] = answer.location
        self.noted()

    def settle(self):
        for words, send in self.open_forms:
            answer = send()
            assert answer.status == 303, answer.text
            self.links[words] = answer.location

    def check(self):
        assert self.links
        mine = self.siege.sql(
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


class AppPosts(Writer):
    """Jun's app writes under keys."""

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
            self.siege.sql("SELECT content FROM posts WHERE content LIKE 'Jun wrote %'"))
        assert found == collections.Counter(self.written)
        for id in self.ids:
            assert self.siege.api("GET", f"/posts/{id}", token=self.token).status == 200


class Likes(Writer):
    """Sam likes and takes back; what he was told last is how it stands."""

    def prepare(self):
        jun = self.sign_in("jun")
        self.token = self.sign_in("sam")
        self.posts = []
        for number in range(8):
            answer = self.siege.api(
                "POST", "/posts", token=jun, form=({"content": f"Do you like {number}?"}, []))
            self.posts.append(answer.json["id"])
        self.state = {}

    def step(self, number):
        post, is_liked = self.chance.choice(self.posts), self.chance.random() < 0.6
        answer = self.known(
            "POST" if is_liked else "DELETE", f"/posts/{post}/like", token=self.token)
        self.state[post] = is_liked if answer else None

    def settle(self):
        for post in [post for post, known in self.state.items() if known is None]:
            self.siege.api("POST", f"/posts/{post}/like", token=self.token)
            self.state[post] = True

    def check(self):
        for post, is_liked in self.state.items():
            found = self.siege.api("GET", f"/posts/{post}", token=self.token).json
            assert (found["liked"], found["like_count"]) == (is_liked, int(is_liked))
        assert self.siege.sql(
            "SELECT count(*) FROM posts p WHERE like_count <> "
            "(SELECT count(*) FROM likes WHERE post_id = p.id)") == [0]


class Follows(Writer):
    """Sam and the couple follow each other, and don't."""

    def prepare(self):
        people = {name: self.sign_in(name) for name in ("mei", "sam")}
        for token in people.values():
            # Who is alone has nobody to follow before their first post.
            self.siege.api("POST", "/posts", token=token, form=({"content": "Follow me"}, []))
        couples = {
            name: self.siege.api("GET", "/account", token=token).json["couple_id"]
            for name, token in people.items()}
        self.ways = [(people["mei"], couples["sam"]), (people["sam"], couples["mei"])]
        for way in self.ways:
            self.siege.api("DELETE", f"/couples/{way[1]}/follow", token=way[0])
        self.state = dict.fromkeys(self.ways, False)

    def step(self, number):
        way = self.chance.choice(self.ways)
        token, couple = way
        wanted = not self.state[way]
        answer = self.known(
            "POST" if wanted else "DELETE", f"/couples/{couple}/follow", token=token)
        self.state[way] = wanted if answer else None

    def settle(self):
        for way in [way for way, known in self.state.items() if known is None]:
            assert self.siege.api("POST", f"/couples/{way[1]}/follow", token=way[0]).status < 300
            self.state[way] = True

    def check(self):
        for (_, couple), is_followed in self.state.items():
            found = self.siege.sql(
                "SELECT count(*) FROM follows WHERE followed_id = ?", uuid.UUID(couple).bytes)
            assert found == [int(is_followed)]


# MARK: Registrations and check-ins, and their mails

class Mailed(Writer):
    """Somebody by whose writing mail goes out to addresses that nobody else has."""

    def __init__(self, siege, sink):
        super().__init__(siege)
        self.sink = sink

    def mails(self):
        """The Message-IDs that each address got, a repeated delivery counted once."""
        found = collections.defaultdict(set)
        for envelope in self.sink.envelopes:
            for address in envelope.rcpt_tos:
                found[address].add(parsed(envelope)["Message-ID"])
        return found


def parsed(envelope):
    return email.message_from_bytes(envelope.content, policy=email.policy.default)


class Registrations(Mailed):
    """Couples that register, each once: a call that nobody answered is not made again, and has
    written to both or to none."""

    def prepare(self):
        self.told, self.perhaps = [], []

    def step(self, number):
        both = [f"siege{number}.{which}@example.test" for which in "ab"]
        try:
            answer = self.siege.api("POST", "/auth/register/initiate", {
                "email_a": both[0], "email_b": both[1], "couple_name": f"Siege {number}",
                "anniversary": "2020-01-17", "accept_terms": True})
        except Unanswered:
            self.perhaps.append(both)
            self.siege.done.wait(0.1)
            return
        assert answer.status == 202, answer.body
        self.told.append(both)
        self.noted()
        # Each makes two mails, which a worker that dies all the time can't keep up with.
        self.siege.done.wait(0.1)

    def check(self):
        assert self.told
        mails = self.mails()
        for both in self.told:
            assert [len(mails[address]) for address in both] == [1, 1], both
        for both in self.perhaps:
            assert [len(mails[address]) for address in both] in ([0, 0], [1, 1]), both
        for envelope in self.sink.envelopes[-40:]:
            if envelope.rcpt_tos[0].startswith("siege"):
                path = link_in(parsed(envelope)).removeprefix(self.site.url)
                assert Visitor(self.site).get(path).status == 200


class CheckIns(Mailed):
    """Guests who come, name a contact, and tap three times."""

    def prepare(self):
        self.guests = []

    def step(self, number):
        begun = self.known("POST", "/auth/guest", {"display_name": f"Guest {number}"})
        if begun is None:
            return
        token, address = begun.json["access_token"], f"siegekin{number}@example.test"
        self.known("PUT", "/checkin/settings", {
            "display_name": f"Guest {number}", "time_zone": ZONE}, token)
        if not self.once("/checkin/contacts", {"email": address}, token, lambda answer: None):
            # They tap when it is settled.
            self.guests.append((token, address, False))
            return
        taps = [self.known("POST", "/checkin", {}, token) for _ in range(3)]
        statuses = [tap.status for tap in taps if tap]
        # A first tap may have been done by a call that nobody answered.
        assert statuses[1:] == [200] * len(statuses[1:]), statuses
        self.guests.append((token, address, bool(statuses)))
        self.siege.done.wait(0.1)

    def check(self):
        assert any(tapped for *_, tapped in self.guests)
        mails = self.mails()
        for token, address, tapped in self.guests:
            state = self.siege.api("GET", "/checkin", token=token).json
            assert [one["email"] for one in state["contacts"]] == [address]
            assert len(mails[address]) == 1, (address, mails[address])
            if tapped:
                assert (state["checked_in_today"], state["total"]) == (True, 1)
            else:
                assert state["total"] in (0, 1)
        assert not any(len(ids) > 1 for ids in mails.values()), "a mail was queued twice"


# MARK: Workouts, photos, groups

class Workouts(Writer):
    """Sam's app uploads batches, some workouts of earlier ones among them."""

    def prepare(self):
        self.token = self.sign_in("sam")
        self.rides = {}
        # The batch of which nobody said whether it is there.
        self.last = []

    def step(self, number):
        new = [workout(self.chance.randrange(1, 2000), self.chance.randrange(60, 1800))
               for _ in range(self.chance.randint(1, 5))]
        old = self.chance.sample(list(self.rides.values()), min(2, len(self.rides)))
        answer = self.siege.until_known(lambda: self.siege.api(
            "POST", "/sessions/batch_upload", {"sessions": new + old}, self.token))
        # Without an answer they may be there: the last batch is sent once more at the end.
        self.rides |= {ride["client_session_id"]: ride for ride in new}
        if answer is None:
            self.last = new
            return
        said = answer.json
        assert answer.status == 200 and said["failed_sessions"] == [], answer.body
        assert said["success_count"] + said["duplicate_count"] == len(new + old)
        assert said["duplicate_count"] >= len(old)
        self.noted()

    def settle(self):
        if self.last:
            answer = self.siege.api(
                "POST", "/sessions/batch_upload", {"sessions": self.last}, self.token)
            assert answer.status == 200, answer.body

    def check(self):
        found, cursor = [], ""
        while cursor is not None:
            page = self.siege.api(
                "GET", f"/sessions?limit=100{cursor and '&cursor='}{cursor}", token=self.token).json
            found += page["sessions"]
            cursor = page["next_cursor"]
        ids = collections.Counter(one["client_session_id"] for one in found)
        assert set(self.rides) <= set(ids) and max(ids.values()) == 1
        stats = self.siege.api("GET", "/users/me/stats", token=self.token).json
        assert stats[COUNT] == len(found)
        assert abs(stats[DURATION] - sum(one["duration"] for one in found)) < 1
        assert abs(stats[DISTANCE] - sum(one["total_distance"] for one in found)) < 1


COUNT, DURATION, DISTANCE = (
    "workout_total_count", "workout_total_duration", "workout_total_distance")


class Album(Writer):
    """Jun adds photos with stories and tells other ones; what a file holds is what the page
    says."""

    def prepare(self):
        self.token = self.sign_in("jun")
        self.photo = TURNED.read_bytes()
        # Of each photo the stories that may stand in it: what was told last, and before it what
        # nobody answered yet.
        self.stories = {}
        self.before = self.album()
        # What stands in photos of which nobody told the address, and which are nobody's to change
        # any more.
        self.unnamed, self.overtaken = set(), set()

    def album(self):
        found, cursor = set(), ""
        while cursor is not None:
            page = self.siege.api(
                "GET", f"/photos?limit=100{cursor and '&cursor='}{cursor}", token=self.token).json
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
            else:
                self.unnamed.add(story)

        self.once("/photos", None, self.token, note, form=(
            {"story": story}, [("file", "a.jpg", self.photo)]))

    def tell(self, photo, story):
        self.stories[photo].append(story)

        def note(answer):
            # Done it is, whether the answer came or not.
            self.stories[photo] = [story]

        if not self.once(
                f"/photos/{photo}/story", {"story": story}, self.token, note, method="PUT"):
            # Another one told now might be overtaken by this one.
            self.overtaken.add(photo)

    def check(self):
        found = self.album() - self.before
        assert set(self.stories) <= found, "a photo is lost"
        unnamed = [self.story(photo) for photo in found - set(self.stories)]
        assert sorted(unnamed) == sorted(self.unnamed), "a photo is lost or doubled"
        for photo, stories in self.stories.items():
            assert self.story(photo) in stories[-1:], (photo, self.story(photo), stories)

    def story(self, photo):
        """A photo's story, which is the same in the file and on the page."""
        at = f"/photos/{photo}"
        read = self.siege.api("GET", f"{at}/story", token=self.token).json["story"]
        assert read == self.siege.api("GET", at, token=self.token).json["story"]
        file = self.siege.api("GET", f"{at}/file", token=self.token)
        assert file.status == 200 and file.body.startswith(b"\xff\xd8")
        return read


class Groups(Writer):
    """Guests on the way: one makes a group, two join, share a place and call out."""

    def prepare(self):
        self.groups, self.guests = [], []
        for number in range(3):
            answer = self.siege.api("POST", "/auth/guest", {"display_name": f"Walker {number}"})
            self.guests.append(answer.json["access_token"])

    def step(self, number):
        leader, *others = self.guests
        made = []
        if not self.once("/groups", {"name": f"Siege {number}"}, leader, made.append):
            return
        group, code = made[0].json["id"], made[0].json["invite_code"]
        known = {"members": 1, "places": 0, "calls": 0, "is_whole": False}
        self.groups.append((group, known))
        for other in others:
            if self.known("POST", "/groups/join", {"code": code}, other) is None:
                return
            known["members"] += 1
        place = {"latitude": 25 + number % 90 / 100, "longitude": 121.5}
        for person in self.guests:
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
        assert any(known["is_whole"] for _, known in self.groups)
        for group, known in self.groups:
            found = self.siege.api("GET", f"/groups/{group}", token=self.guests[0]).json
            assert known["members"] <= len(found["members"]) <= 3
            places = [one["location"]["latitude"] for one in found["members"] if one["location"]]
            assert known["places"] <= len(places) <= 3
            if known["is_whole"]:
                assert places == [known["latitude"]] * 3
            calls = [one for one in found["events"] if one["kind"] == "gather"]
            assert len(calls) == known["calls"], (group, found["events"])
        names = self.siege.sql(
            "SELECT name, count(*) FROM groups WHERE name LIKE 'Siege %' GROUP BY 1")
        assert all(times == 1 for _, times in names), names


# MARK: Coins

class Coins(Writer):
    """Purchases, vouchers and promotions of three people; each purchase is told twice, once under a
    key and once without, as an app does that was not answered."""

    def __init__(self, siege, receipts, codes):
        super().__init__(siege)
        self.receipts, self.codes = list(receipts), list(codes)

    def prepare(self):
        self.people = []
        for name in ("mei", "sam"):
            token = self.sign_in(name)
            post = self.siege.api(
                "POST", "/posts", token=token, form=({"content": "Look at this"}, [])).json["id"]
            self.people.append({
                "token": token, "post": post, "bought": 0, "given": 0, "spent": 0,
                "began": self.balance(token)})

    def balance(self, token):
        return self.siege.api("GET", "/wallet", token=token).json["balance"]

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
            self.siege.done.wait(0.05)

    def surely_has(self, person):
        """Whether the coins are there, however the calls came out that nobody answered."""
        sure = person["began"] + 50 * (person["bought"] + person["given"] - len(self.open))
        return sure - 30 * person["spent"] >= 30

    def buy(self, person, receipt):
        person["bought"] += 1
        body = {"signedTransaction": receipt}
        self.once("/wallet/verify-receipt", body, person["token"], lambda answer: None)
        again = self.siege.until_known(lambda: self.siege.api(
            "POST", "/wallet/verify-receipt", body, person["token"]))
        assert again is None or again.status == 200, again.body

    def check(self):
        for person in self.people:
            assert self.balance(person["token"]) == (
                person["began"] + 50 * (person["bought"] + person["given"]) - 30 * person["spent"])
        assert self.siege.sql(
            "SELECT count(*) FROM user_wallets w WHERE balance < 0 OR balance <> (SELECT "
            "coalesce(sum(amount), 0) FROM coin_transactions c WHERE c.user_id = w.user_id)") == [0]
        # Coins and time are one transaction: each promotion added its three days.
        for person in self.people:
            post = uuid.UUID(person["post"]).hex
            times = self.siege.sql(
                "SELECT (p.promoted_until - min(c.created_at)) / 86400000.0 FROM promotions p JOIN "
                "coin_transactions c ON c.post_id = p.post_id WHERE hex(p.post_id) = upper(?)", post)
            assert times == [3 * person["spent"] or None], (times, person["spent"])
        bought = sum(person["bought"] for person in self.people)
        assert bought > 0
        assert self.siege.sql("SELECT count(*) FROM apple_transactions") == [bought]
        assert self.siege.sql(
            "SELECT count(*) FROM coin_transactions WHERE type = 'purchase'") == [bought]


EVERYBODY = (Posts, AppPosts, Likes, Follows, Workouts, Album, Groups)


def everybody(siege, sink, receipts, codes):
    return [
        *(kind(siege) for kind in EVERYBODY), Registrations(siege, sink), CheckIns(siege, sink),
        Coins(siege, receipts, codes)]
