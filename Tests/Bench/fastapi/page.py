"""Renders the feed page from rows of either of the two queries."""

import base64
import hmac
import json
import os
import pathlib
import re
import secrets
from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from jinja2 import Environment
from markupsafe import Markup, escape

from mustache import Compiler

SHARE = pathlib.Path(os.environ["SHARE"]) / "templates"
ASSETS = os.environ["ASSETS"]
LANGUAGE = "en"
TEXTS = json.loads((SHARE / f"locales/{LANGUAGE}.json").read_text())
EPOCH = date(1970, 1, 1)
CIRCLES = 30
MONTHS = ("January February March April May June July August September October November"
          " December").split()
LINK = re.compile(r"""(?<![A-Za-z])https?://[^\x00-\x20<>"'`{}|\\^\u3000-\u303f\uff00-\uff65]+""")
KEYS = {name: bytes.fromhex(value) for name, value in json.loads(os.environ["KEYS"]).items()}


def entries(*rows):
    return [{"href": href, "icon": icon, "label": TEXTS[key], "current": href == "/", "unread": None}
            for href, icon, key in rows]


TABS = entries(
    ("/", "home", "tab.feed"), ("/checkin", "ghost", "tab.checkin"),
    ("/album", "image", "tab.album"), ("/workouts", "bike", "tab.workouts"),
    ("/groups", "compass", "tab.groups"))
RAIL = entries(
    ("/search", "search", "search.title"), ("/notifications", "bell", "notices.title"),
    ("/messages", "comment", "messages.title"), ("/wallet", "coin", "layout.wallet"),
    ("/settings", "settings", "layout.settings"))

# Compiled once; files are not checked for changes.
environment = Environment(
    autoescape=True, auto_reload=False, keep_trailing_newline=True, cache_size=-1)
template = environment.from_string(Compiler(SHARE, LANGUAGE).compile("feed/feed"))


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unmasked(token):
    data = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    return bytes(a ^ b for a, b in zip(data[:32], data[32:]))


def csrf_secret(cookie):
    return hmac.digest(KEYS["csrf"], cookie, "sha256")


def csrf_token(cookie):
    mask = secrets.token_bytes(32)
    masked = int.from_bytes(mask, "big") ^ int.from_bytes(csrf_secret(cookie), "big")
    return base64url(mask + masked.to_bytes(32, "big"))


def hyphened(value):
    text = value.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def markup(content):
    """Turns URLs into links, keeps line breaks, escapes the rest."""
    if "http" not in content and "\n" not in content:
        return Markup("<p>") + content + Markup("</p>")
    parts, place = [], 0
    for link in LINK.finditer(content):
        address = link[0].rstrip(".,:;!?")
        parts.append(escape(content[place:link.start()]))
        parts.append(Markup('<a href="{0}" rel="nofollow ugc noopener">{0}</a>').format(address))
        place = link.start() + len(address)
    parts.append(escape(content[place:]))
    text = Markup("").join(parts).replace("\n\n", Markup("</p><p>")).replace("\n", Markup("<br>"))
    return Markup("<p>") + text + Markup("</p>")


def initials(name):
    words = [word for word in re.split("[ -]", name) if word]
    if not words:
        return "?"
    first = words[0][0]
    if ord(first) >= 0x2E80 or len(words) < 2:
        return first.upper()
    return first.upper() + words[-1][0].upper()


def face(name, avatar):
    return {"name": name, "initials": initials(name),
            "avatar": f"/media/{avatar}" if avatar else None}


def counted(key, count, **more):
    text = TEXTS[key]
    words = text["one" if count == 1 else "other"] if isinstance(text, dict) else text
    return words.format(count=count, **more)


def day_words(day):
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


class When:
    def __init__(self, zone):
        self.zone, self.now = ZoneInfo(zone), datetime.now(timezone.utc)
        self.milliseconds = int(self.now.timestamp() * 1000)
        self.today = self.now.astimezone(self.zone).date()

    def age(self, moment):
        seconds = (self.milliseconds - moment) // 1000
        if seconds < 60:
            return TEXTS["age.now"]
        if seconds < 3600:
            return counted("age.minutes", seconds // 60)
        if seconds < 6 * 3600:
            return counted("age.hours", seconds // 3600)
        # The day is looked up only where it matters.
        day = datetime.fromtimestamp(moment / 1000, self.zone).date()
        days = (self.today - day).days
        if seconds < 86_400 and days == 0:
            return counted("age.hours", seconds // 3600)
        if days <= 1:
            return TEXTS["age.yesterday"]
        return counted("age.days", days) if days < 7 else day_words(day)

    def days(self, anniversary):
        if anniversary is None:
            return None
        return {"count": max(1, (self.today - EPOCH).days - anniversary + 1)}


def next_anniversary(first, today):
    for year in (today.year, today.year + 1):
        try:
            day = first.replace(year=year)
        except ValueError:
            day = date(year, 3, 1)
        if year > first.year and day >= today:
            years, left = year - first.year, (day - today).days
            key = {0: "couple.years_today", 1: "couple.years_tomorrow"}.get(
                left, "couple.years_in_days")
            return counted(key, years, years=years, days=left)
    return None


def card(post, pictures, me, when):
    """`post` has the names of the columns, from either query."""
    name = hyphened(post.id)
    link, couple = f"/posts/{name}", hyphened(post.couple_id)
    own, ours = post.author_id == me.id, post.couple_id == me.couple_id
    public = post.visibility == "public"
    media = f"/media/couples/{couple}/posts/{name}/"
    promote = f"{link}/promote" if ours and public and me.may_post else None
    images = []
    for position, one in enumerate(pictures, 1):
        file = hyphened(one.id)
        images.append({
            "position": position, "link_full": f"{link}/pictures/{position}",
            "src_medium": f"{media}medium_{file}.{one.extension}",
            "src_medium_webp": f"{media}medium_{file}.webp" if one.has_webp else None,
            "alt": one.description, "width": one.width, "height": one.height})
    created = datetime.fromtimestamp(post.created_at // 1000, timezone.utc)
    return {
        "id": name, "link": link, "couple_name": post.couple_name,
        "couple_link": f"/couples/{couple}", "days": when.days(post.anniversary),
        "author_name": post.author_name, "age": when.age(post.created_at),
        "created_iso": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "edited": post.edited_at is not None,
        "public": public, "followers": post.visibility == "followers",
        "couple": post.visibility == "couple", "content": markup(post.content),
        "has_content": bool(post.content), "people": faces(post), "images": images,
        "grid": str(len(images)) if images else None, "like_count": post.like_count,
        "comment_count": post.comment_count,
        "liked": post.liked, "like_link": f"{link}/like", "unlike_link": f"{link}/unlike",
        "saved": post.saved, "save_link": f"{link}/unsave" if post.saved else f"{link}/save",
        "may_like": me.role >= 2, "join_link": None, "own": own, "promoted": False,
        "promote_link": promote,
        "ours": own or ours, "edit_link": f"{link}/edit",
        "narrow_link": f"{link}/narrow"
        if ours and not own and post.visibility != "couple" else None,
        "report_link": f"{link}/report"
        if me.role >= 2 and not own and not ours and post.visibility != "couple" else None,
        "delete_link": f"{link}/delete"}


def faces(one):
    """The members of a couple that are there."""
    both = ((one.first_name, one.first_avatar), (one.second_name, one.second_avatar))
    return [face(name, avatar) for name, avatar in both if name is not None]


def circles(found, me):
    """The viewer's own couple first, then those with unseen moments, each by the latest."""
    found = sorted(found, key=lambda one: (one.id != me.couple_id, one.unseen == 0, -one.latest))
    return [{"name": one.name, "link": f"/moments/{hyphened(one.id)}",
             "people": faces(me if one.id == me.couple_id else one), "new": one.unseen > 0,
             "own": one.id == me.couple_id} for one in found[:CIRCLES]]


def together(me, when):
    if me.couple_status != "active":
        return None
    first = None if me.anniversary is None else EPOCH + timedelta(days=me.anniversary)
    return {
        "couple_name": me.couple_name, "couple_link": f"/couples/{hyphened(me.couple_id)}",
        "people": [face(me.first_name, me.first_avatar), face(me.second_name, me.second_avatar)],
        "days": when.days(me.anniversary), "since": first and day_words(first),
        "next_anniversary": first and next_anniversary(first, when.today)}


def feed_page(me, cookie, unread, posts, pictures, older, moments, groups):
    """The page; `pictures` are lists by the id of a post."""
    when = When(me.time_zone or "Asia/Taipei")
    theme = me.theme or "auto"
    my_face = face(me.display_name, me.avatar)
    unread_mark = None if unread == 0 else str(unread) if unread < 100 else "99+"
    page = {
        "title": TEXTS["feed.title"], "language": LANGUAGE, "language_en": True,
        "language_zh_hant": False, "language_zh_hans": False, "theme": theme,
        "theme_auto": theme == "auto", "theme_light": theme == "light",
        "theme_dark": theme == "dark", "assets": ASSETS, "csrf": csrf_token(cookie), "path": "/",
        "toast": None, "travel": None, "staff": None, "settings": None, "feet": False,
        "unread_messages": None, "member": True, "signed_out": False,
        "browser_user": base64url(hmac.digest(KEYS["browser-user"], me.id, "sha256")[:16]),
        "unread": unread_mark, "tabs": TABS,
        "rail": [entry | {"unread": unread_mark} if entry["icon"] == "bell" else entry
                 for entry in RAIL],
        "me": my_face | {
            "couple_name": me.couple_name, "couple_link": f"/couples/{hyphened(me.couple_id)}",
            "partner": face(me.partner_name, me.partner_avatar) if me.partner_name else None,
            "guest": False, "admin_link": "/admin" if me.role > 2 else None,
            "forget_link": "/settings/delete", "wallet_link": "/wallet"}}
    last = posts[-1] if older else None
    return template.render(
        page=page, posts=[card(post, pictures.get(post.id, ()), me, when) for post in posts],
        everyone_link="/", following_link="/?scope=following", following=False, empty=not posts,
        first={"newest": "/api/v1/posts?limit=1&scope=everyone"}, empty_following=None,
        older=last and f"/?after={last.created_at}-{hyphened(last.id)}", may_post=me.may_post,
        composer={
            "nonce": base64url(secrets.token_bytes(16)), "content": "", "content_error": None,
            "public": True, "followers": False, "couple": False, "images_error": None, "kept": (),
            "failed": (), "remaining": 9, "errors": None},
        waiting=None, frozen=None, removed=None, suspended=None, guest=None,
        moments={"new_link": "/moments/new", "circles": circles(moments, me)},
        together=together(me, when),
        home={"received": (), "alert": None, "timer": None, "check_in_due": None, "checked_in": None,
              "groups": [{"name": one.name, "link": f"/groups/{hyphened(one.id)}"} for one in groups],
              "next_anniversary": None, "couple_link": None, "memory": None, "alone": None})
