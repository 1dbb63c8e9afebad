"""Generated users, couples and posts, written directly into a database created by the product."""

import hashlib
import random
import secrets
import sqlite3
import time

from .databases import ServerConnection

WORDS = "We got lost twice and found the good dumplings the second time. 路上的小店都还开着。"
DAY_MS = 86_400_000


def bulk(file):
    """A connection for bulk writes to a file, or to an address of PostgreSQL; no other process has
    the database open."""
    if isinstance(file, str):
        return ServerConnection(file)
    database = sqlite3.connect(file, timeout=60)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA cache_size = -1000000")
    return database


def close(database):
    database.commit()
    if isinstance(database, sqlite3.Connection):
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def id_at(moment, chance):
    return moment.to_bytes(6, "big") + chance.randbytes(10)


# With activity: every how many posts one is for followers only, number of likes per post, and
# number of follows per couple.
FOR_FOLLOWERS, LIKED, FOLLOWED = 10, 2, 4


def fill(file, users, posts, lively=False):
    """Generates users in couples of two, and posts, a third with a picture, the last one an hour
    ago; with activity some are for followers only, and there are follows, likes and notices in
    proportion. No `ANALYZE` in SQLite: PairSpot doesn't run it, and it would change the query plans."""
    chance, now = random.Random(20261122), int(time.time() * 1000)
    couples = [id_at(now - 3 * DAY_MS, chance) for _ in range(max(1, users // 2))]
    people = [(id_at(now - 2 * DAY_MS, chance), couple, side)
              for couple in couples for side in (1, 2)]
    database = bulk(file)
    database.executemany(
        "INSERT INTO couples (id, name, anniversary, status, created_at)"
        " VALUES (?, ?, 19000, 'active', ?)",
        ((couple, f"Couple {number}", now) for number, couple in enumerate(couples)))
    database.executemany(
        "INSERT INTO users (id, role, display_name, couple_id, couple_side, terms_version,"
        " terms_accepted_at, created_at) VALUES (?, 2, ?, ?, ?, 'x', ?, ?)",
        ((person, f"Person {number // 2}.{side}", couple, side, now, now)
         for number, (person, couple, side) in enumerate(people)))
    database.executemany(
        "INSERT INTO couple_members (couple_id, user_id, joined_at) VALUES (?, ?, ?)",
        ((couple, person, now) for person, couple, _ in people))
    rows, pictures = [], []
    for number in range(posts):
        person, couple, _ = people[number % len(people)]
        # Far enough apart for a day with a million of them, and never in the future.
        created = now - 3_600_000 - (posts - number) * 1000
        post = id_at(created, chance)
        followers = lively and number % FOR_FOLLOWERS == FOR_FOLLOWERS - 1
        rows.append((post, couple, person, WORDS, "followers" if followers else "public",
                     LIKED if lively else 0, int(number % 3 == 0), created))
        if number % 3 == 0:
            pictures.append((chance.randbytes(16), post))
    # In the order of their keys, as in real use.
    database.executemany(POST, rows)
    database.executemany(
        "INSERT INTO post_images (id, post_id, position, extension, width, height, has_webp, bytes,"
        " description) VALUES (?, ?, 1, 'jpg', 1200, 900, 1, 1, 'x')", sorted(pictures))
    if lively:
        enliven(database, couples, people, rows, chance, now)
    # Drops names waiting for the search index, which is not used here: half a million of them would
    # keep the worker busy during the measurements.
    database.execute("DELETE FROM search_waiting")
    database.execute("DELETE FROM search_progress")
    close(database)
    return couples


POST = """INSERT INTO posts (id, couple_id, author_id, content, visibility, like_count, image_count,
  created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
FOLLOW = """INSERT INTO follows (follower_id, followed_id, created_at) VALUES (?, ?, ?)
  ON CONFLICT DO NOTHING"""
NOTICE = """INSERT INTO notifications (id, user_id, kind, subject, event, detail, path, created_at, read_at)
  VALUES (?, ?, 'post_liked', ?, '', '', '/', ?, ?)"""


def enliven(database, couples, people, posts, chance, now):
    """Follows, likes, and the authors' notices about them, one in ten unread."""
    database.executemany(FOLLOW, (
        (couple, couples[(number + 1 + step * 7919) % len(couples)], now)
        for number, couple in enumerate(couples) for step in range(FOLLOWED)
        if (number + 1 + step * 7919) % len(couples) != number))

    def likers(number):
        return (people[(number * 7919 + step * 104_729 + 1) % len(people)] for step in range(LIKED))

    database.executemany(
        "INSERT INTO likes (post_id, user_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        ((post[0], person, post[-1]) for number, post in enumerate(posts)
         for person, _, _ in likers(number)))
    notices = [(id_at(post[-1] + 1000, chance), post[2], post[0], post[-1] + 1000,
                None if number % 10 == 0 else now) for number, post in enumerate(posts)]
    database.executemany(NOTICE, notices)
    database.executemany(
        "INSERT INTO notification_actors (notification_id, user_id, couple_id, at)"
        " VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        ((notice[0], person, couple, notice[3]) for number, notice in enumerate(notices)
         for person, couple, _ in likers(number)))


def promote(database, count):
    """Promotes this number of generated posts for some days, and no others; they are apart from
    each other. None is of the demonstration, whose members don't see their own promoted."""
    database.execute("DELETE FROM promotions")
    posts = [post for (post,) in database.execute(
        "SELECT p.id FROM posts p JOIN couples c ON c.id = p.couple_id WHERE c.name LIKE 'Couple %'"
        " AND p.visibility = 'public' AND p.deleted_at IS NULL ORDER BY p.id")]
    if count > len(posts):
        raise ValueError(f"{count} promotions of {len(posts)} posts")
    end = int(time.time() * 1000) + 3 * DAY_MS
    database.executemany(
        "INSERT INTO promotions (post_id, promoted_until) VALUES (?, ?)",
        ((posts[number * len(posts) // count], end) for number in range(count)))
    database.commit()


def guests(database, count, chance, now):
    """Signed-in guests: their ids and the secrets of their sessions."""
    made = [(id_at(now, chance), secrets.token_bytes(32)) for _ in range(count)]
    database.executemany(
        "INSERT INTO users (id, role, display_name, language, time_zone, terms_version,"
        " terms_accepted_at, created_at) VALUES (?, 1, 'Guest', 'en', 'Asia/Taipei', 'x', ?, ?)",
        ((person, now, now) for person, _ in made))
    sign_in(database, made, now)
    return made


def sign_in(database, made, now):
    """Sessions of people: pairs of their ids and the secrets."""
    database.executemany(
        "INSERT INTO sessions (token_hash, user_id, created_at, seen_at, expires_at, browser)"
        " VALUES (?, ?, ?, ?, ?, 'bench')",
        sorted((hashlib.sha256(secret).digest(), person, now, now, now + 90 * DAY_MS)
               for person, secret in made))


def coupled(file, count):
    """Signed-in members in couples of two; returns each couple's identifier and the secrets of its
    members."""
    chance, now = random.Random(13), int(time.time() * 1000)
    database, couples = bulk(file), []
    for number in range(count // 2):
        couple = id_at(now, chance)
        made = [(id_at(now, chance), secrets.token_bytes(32)) for _ in range(2)]
        database.execute(
            "INSERT INTO couples (id, name, anniversary, status, created_at)"
            " VALUES (?, ?, 19000, 'active', ?)", (couple, f"Pair {number}", now))
        for side, (person, _) in enumerate(made, 1):
            database.execute(
                "INSERT INTO users (id, role, display_name, couple_id, couple_side, terms_version,"
                " terms_accepted_at, created_at) VALUES (?, 2, ?, ?, ?, 'x', ?, ?)",
                (person, f"Member {number}.{side}", couple, side, now, now))
            database.execute(
                "INSERT INTO couple_members (couple_id, user_id, joined_at) VALUES (?, ?, ?)",
                (couple, person, now))
        sign_in(database, made, now)
        couples.append((couple, [secret for _, secret in made]))
    # As in `fill`: the search index would keep the worker busy.
    database.execute("DELETE FROM search_waiting")
    close(database)
    return couples


def grouped(file, count, most):
    """Guests in groups of equal size; returns each group's identifier and the secrets of its
    members, the leader's first."""
    chance, now = random.Random(11), int(time.time() * 1000)
    database = bulk(file)
    made = guests(database, count, chance, now)
    groups = []
    for start in range(0, count, most):
        group, inside = id_at(now, chance), made[start:start + most]
        database.execute(
            "INSERT INTO groups (id, name, leader_id, created_at) VALUES (?, ?, ?, ?)",
            (group, f"Group {start}", inside[0][0], now))
        database.executemany(
            "INSERT INTO group_members (group_id, user_id, id, joined_at) VALUES (?, ?, ?, ?)",
            ((group, person, id_at(now, chance), now) for person, _ in inside))
        groups.append((group, [secret for _, secret in inside]))
    close(database)
    return groups


def watched(file, count):
    """Guests with monitoring and a contact; returns the secrets of their sessions."""
    chance, now = random.Random(7), int(time.time() * 1000)
    database = bulk(file)
    made = guests(database, count, chance, now)
    database.executemany(
        "INSERT INTO checkin_settings (user_id, contact_language) VALUES (?, 'en')",
        ((person,) for person, _ in made))
    database.executemany(
        "INSERT INTO emergency_contacts (id, user_id, position, name, email_sealed, email_hash,"
        " state, added_at) VALUES (?, ?, 1, '', ?, ?, 'introduced', ?)",
        ((id_at(now, chance), person, chance.randbytes(60), chance.randbytes(32), now)
         for person, _ in made))
    close(database)
    return [secret for _, secret in made]
