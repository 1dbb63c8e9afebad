"""Coins: texts of the pages, and killed processes that never duplicate or lose one."""

import base64
import collections
import itertools
import json
import os
import random
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
import uuid
from http.client import HTTPException

import pytest

from instance import CHECKOUT, PROGRAM, wait_until
from people import Visitor
from test_pages import check, signed_in
from test_trainings import as_admin, enrolled

TOOL = os.environ.get("RECEIPT_TOOL", CHECKOUT / ".build/debug/receipt-tool")
LANGUAGES = {"en": "Your coins", "zh-Hant": "你的金幣", "zh-Hans": "你的金币"}


class Apple:
    """Signs like the App Store."""

    def __init__(self, folder):
        self.folder = str(folder)
        subprocess.run([TOOL, "make", self.folder], check=True)

    @property
    def variables(self):
        return dict(
            PAIRSPOT_APPLE_ROOT_CERTIFICATE=f"{self.folder}/root.pem",
            PAIRSPOT_APPLE_BUNDLE_ID="app.pairspot", PAIRSPOT_VOUCHERS_IN_APPS="on")

    def sign(self, payloads):
        payloads = list(payloads)
        told = [payload["data"] for payload in payloads if "data" in payload]
        # The transaction in a notification is signed itself, before it.
        inside = self.sign(data["signedTransactionInfo"] for data in told) if told else []
        for data, signed in zip(told, inside, strict=True):
            data["signedTransactionInfo"] = signed
        lines = "\n".join(json.dumps(payload) for payload in payloads) + "\n"
        done = subprocess.run(
            [TOOL, "sign", self.folder], input=lines, text=True, capture_output=True, check=True)
        return done.stdout.split()


def transaction(number):
    now = int(time.time() * 1000)
    return {"transactionId": f"t{number}", "productId": "coins50", "bundleId": "app.pairspot",
            "environment": "Production", "quantity": 1, "signedDate": now}


def refund(signed, kind="REFUND"):
    """Apple's notification about a purchase: the transaction inside has its current state,
    revoked or not."""
    body = signed.split(".")[1]
    now = int(time.time() * 1000)
    about = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))) | {
        "signedDate": now}
    if kind in ("REFUND", "REVOKE"):
        about["revocationDate"] = now
    return {"notificationType": kind, "notificationUUID": str(uuid.uuid4()), "signedDate": now,
            "data": {"bundleId": "app.pairspot", "environment": "Production",
                     "signedTransactionInfo": about}}


def call(site, path, body, token=None):
    """A call of the API: its status and its body."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    asked = urllib.request.Request(
        f"{site.url}/api/v1{path}", json.dumps(body).encode(), headers, method="POST")
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, {}


def token(site, name):
    body = {"email": f"{name}@example.test", "password": site.demo_password()}
    return call(site, "/auth/login", body)[1]["access_token"]


def made_codes(site, count, coins=50):
    admin = enrolled(site, "ada")
    form = admin.get("/admin/vouchers").form("/admin/vouchers")
    page = admin.post(
        "/admin/vouchers", form | {"coins": str(coins), "count": str(count), "days": "9"})
    codes = re.findall(r"[A-Z2-9]{4}(?:-[A-Z2-9]{4}){3}", page.text)
    assert len(codes) == count
    return codes


def fill_feed(writer):
    """Writes so many posts that promotions are shown, and sold."""
    for number in range(20):
        writer.write(f"Number {number}.")


def made_codes_at(page, count):
    page.locator("#count").fill(str(count))
    page.get_by_role("button", name="Create codes").click()
    page.get_by_role("link", name="I’ve copied them").click()


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.long)])
def test_calls_while_processes_are_killed_double_nothing_and_lose_nothing(
        own_site, tmp_path, count):
    apple = Apple(tmp_path / "apple")
    site = own_site(PAIRSPOT_DEMO="1", PAIRSPOT_PROCESSES="2", **apple.variables)
    tokens = [token(site, name) for name in ("mei", "jun", "sam")]
    fill_feed(Visitor(site).sign_in("mei@example.test"))
    posts = [Visitor(site).sign_in(f"{name}@example.test").write("Look").made
             for name in ("mei", "jun", "sam")]
    codes = made_codes(site, count // 12)

    def one(sql):
        return site.sql(sql)[0][0]

    # Those of the demo data.
    spent_before = one("SELECT count(*) FROM coin_transactions WHERE type = 'spend'")
    receipts = apple.sign(transaction(number) for number in range(count // 7))
    refunds = apple.sign(
        [refund(receipt) for receipt in receipts[::3]]
        + [refund(receipt, "REFUND_REVERSED") for receipt in receipts[::9]])
    # Each of them two or three times, by different users.
    receipt, code, back = (itertools.cycle(some) for some in (receipts, codes, refunds))
    calls = []
    for number in range(count):
        who = number % 3
        kind = number % 10
        if kind < 4:
            calls.append(("/wallet/verify-receipt", {"signedTransaction": next(receipt)}, who))
        elif kind < 6:
            calls.append(("/wallet/redeem", {"code": next(code)}, who))
        elif kind == 6:
            calls.append(("/wallet/apple-notifications", {"signedPayload": next(back)}, None))
        else:
            calls.append((f"{posts[who]}/promote", {"coins": 30, "days": 3}, who))
    random.Random(7).shuffle(calls)
    # Only promotions can have unknown results: everything else is repeated until it is known.
    turns, seen, done, unknown = iter(calls), [], collections.defaultdict(list), []
    lock, ended = threading.Lock(), threading.Event()

    def work():
        while True:
            with lock:
                found = next(turns, None)
            if found is None:
                return
            # However fast they are answered: not all of them before the first kill.
            while len(kills) < min(len(seen) // 50, needed):
                time.sleep(0.05)
            path, body, who = found
            # An unanswered call is repeated, as by apps; a promotion might then be a second one.
            last = time.monotonic() + (0 if path.endswith("promote") else 60)
            while True:
                try:
                    status, said = call(site, path, body, None if who is None else tokens[who])
                except (OSError, HTTPException):
                    status, said = 599, {}
                seen.append(status)
                if status == 200:
                    done[path, *body.values()].append(said)
                if status < 500:
                    break
                if time.monotonic() > last:
                    unknown.append(path)
                    break
                time.sleep(0.05)

    def kill():
        chance = random.Random(1)
        while not ended.is_set():
            time.sleep(chance.uniform(0.3, 0.8))
            if not site.is_healthy():
                continue
            for victim in site.processes(chance.choice([" handlers", " worker"]))[:1]:
                try:
                    os.kill(victim, signal.SIGKILL)
                    kills.append(victim)
                except ProcessLookupError:
                    pass

    kills, needed = [], count // 100
    killer = threading.Thread(target=kill)
    workers = [threading.Thread(target=work) for _ in range(12)]
    for thread in [*workers, killer]:
        thread.start()
    for thread in workers:
        thread.join()
    ended.set()
    killer.join()
    wait_until(site.is_healthy, 30, "pages")
    print(f"{len(seen)} answers, {len(kills)} kills, "
          f"{ {status: seen.count(status) for status in sorted(set(seen))} }")
    assert len(kills) >= needed
    assert not {400, 401, 403, 404, 500} & set(seen)
    assert all(path.endswith("promote") for path in unknown), unknown
    doctor = subprocess.run(
        [PROGRAM, "doctor"], env=site.environment, capture_output=True, text=True, timeout=60)
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
    assert one("SELECT count(*) FROM user_wallets WHERE balance < 0 OR owed < 0") == 0
    assert one("""SELECT count(*) FROM user_wallets w WHERE balance <>
        (SELECT coalesce(sum(amount), 0) FROM coin_transactions c WHERE c.user_id = w.user_id)""") == 0
    bought = one("SELECT count(*) FROM apple_transactions WHERE user_id IS NOT NULL")
    assert bought == one("SELECT count(*) FROM coin_transactions WHERE type = 'purchase'")
    # An unanswered call was repeated and then answered: each purchase is an acknowledged one.
    paid = {what[1]: answers for what, answers in done.items() if "receipt" in what[0]}
    assert bought == len(paid) > len(receipts) // 2
    assert all(sum(answer["credited"] > 0 for answer in each) <= 1 for each in paid.values())
    used = one("SELECT count(*) FROM voucher_codes WHERE used_at IS NOT NULL")
    # Mei began with coins from the demo data, from a code of its own.
    demo = 1
    granted = one("SELECT count(*) FROM coin_transactions WHERE type = 'grant'")
    assert used == granted == len(codes) + demo
    redeemed = {what[1]: answers for what, answers in done.items() if "redeem" in what[0]}
    assert len(redeemed) > len(codes) // 2 and all(len(each) == 1 for each in redeemed.values())
    refunded = one(
        "SELECT coalesce(sum(coins), 0) FROM apple_transactions WHERE refunded_at IS NOT NULL")
    taken = -one("SELECT coalesce(sum(amount), 0) FROM coin_transactions WHERE type = 'refund'")
    assert refunded == taken + one("SELECT sum(owed) FROM user_wallets")
    assert refunded > 0 and any("notifications" in what[0] for what in done)
    promoted = sum(len(answers) for what, answers in done.items() if "promote" in what[0])
    spent = one("SELECT count(*) FROM coin_transactions WHERE type = 'spend'")
    assert 0 < promoted <= spent - spent_before <= promoted + len(unknown)
    # Two concurrent requests may be written in another order than they arrived: a minute is more
    # than enough.
    assert abs(told_days(site) - 3 * spent) < 1 / 1440


def told_days(site):
    """Number of days for which posts are promoted in total, each from its first promotion: coins
    and time are one transaction. No promotion may have ended in between."""
    return sum(
        (until - first) / 86_400_000 for until, first in site.sql("""
            SELECT p.promoted_until, min(c.created_at) FROM promotions p
            JOIN coin_transactions c ON c.post_id = p.post_id GROUP BY p.post_id"""))


def test_wallet_and_vouchers_are_accessible_and_fit(own_site, browser):
    site = own_site(PAIRSPOT_DEMO="1")
    mei = Visitor(site).sign_in("mei@example.test")
    fill_feed(mei)
    post = mei.write("Sixty kilometres of headwind, and tea at the end of it.").made
    for language, words in LANGUAGES.items():
        mei.read_in(language)
        context = browser.new_context(
            base_url=site.url, viewport={"width": 390, "height": 844}, locale=language,
            reduced_motion="reduce")
        page = context.new_page()
        page.goto("/sign-in")
        page.locator("#email").fill("mei@example.test")
        page.locator("#password").fill(site.demo_password())
        page.locator("main form button.button-large").first.click()
        page.locator("[data-composer]").wait_for()
        page.goto("/wallet")
        assert words in page.locator("main").inner_text()
        check(page)
        page.goto("/wallet/redeem")
        page.locator("#code").fill("AAAA")
        page.locator("main form button").click()
        page.get_by_test_id("error-summary").wait_for()
        check(page)
        page.goto(f"{post}/promote")
        check(page)
        context.close()


def test_a_voucher_and_a_promotion_by_thumb(own_site, browser):
    site = own_site(PAIRSPOT_DEMO="1")
    code = made_codes(site, 1)[0]
    admin = enrolled(site, "abe")
    context = browser.new_context(
        base_url=site.url, viewport={"width": 390, "height": 844}, locale="en-GB",
        reduced_motion="reduce")
    desk = as_admin(context.new_page(), admin)
    desk.goto("/admin/vouchers")
    check(desk)
    # Asked first, in a sheet; without a script it is a page of its own.
    made_codes_at(desk, 3)
    desk.get_by_role("link", name="End", exact=True).first.click()
    asking = desk.locator("dialog")
    asking.get_by_text("End these vouchers?").wait_for()
    check(desk)
    asking.get_by_role("link", name="Cancel").click()
    asking.wait_for(state="hidden")
    desk.goto(desk.get_by_role("link", name="End", exact=True).first.get_attribute("href"))
    check(desk)
    desk.get_by_role("button", name="End", exact=True).click()
    desk.wait_for_url("**/admin/vouchers")
    desk.get_by_text("Ended").first.wait_for()
    context.close()
    context = browser.new_context(
        base_url=site.url, viewport={"width": 390, "height": 844}, locale="en-GB",
        reduced_motion="reduce")
    page = context.new_page()
    signed_in(page, site, "sam@example.test")
    page.goto("/wallet")
    page.get_by_role("link", name="Voucher", exact=True).click()
    page.locator("dialog #code").fill(code.lower())
    page.get_by_role("button", name="Redeem").click()
    page.get_by_test_id("balance").filter(has_text="50").wait_for()
    mei = Visitor(site).sign_in("mei@example.test")
    fill_feed(mei)
    post = Visitor(site).sign_in("sam@example.test").write("Look at this walk.").made
    page.goto(post)
    page.locator("summary", has_text="More").last.click()
    page.get_by_role("link", name="Promote").click()
    sheet = page.locator("dialog")
    sheet.get_by_text("you have 50").wait_for()
    check(page)
    assert sheet.get_by_role("button").inner_text().strip() == "Promote for 30 coins"
    sheet.get_by_role("link", name="Cancel").click()
    sheet.wait_for(state="hidden")
    assert page.url.endswith(post)
    page.goto(f"{post}/promote")
    check(page)
    page.get_by_role("button", name="Promote for 30 coins").click()
    page.wait_for_url(f"**{post}")
    # Others see it at the top of their feed, also after newer posts; sam does not.
    mei.write("A newer one.")
    page.goto("/")
    assert not page.locator(".promoted").count()
    # Wide, with the card of the couple beside the feed.
    other = browser.new_context(base_url=site.url, locale="en-GB", reduced_motion="reduce")
    reader = other.new_page()
    signed_in(reader, site, "jun@example.test")
    reader.goto("/")
    first = reader.get_by_test_id("post").first
    assert "Promoted" in first.inner_text() and "Look at this walk." in first.inner_text()
    check(reader)
    # A promoted post at the top hides no new posts.
    mei.write("Just said.")
    reader.get_by_test_id("newer").click()
    reader.get_by_text("Just said.").wait_for()
    assert reader.locator(".post-text").all_inner_texts()[:2] == ["Just said.", "Look at this walk."]
    other.close()
    page.goto("/wallet")
    assert page.get_by_test_id("balance").inner_text() == "20"
    context.close()
