"""Made-up people, couples and posts, written straight into a database that the product has made."""

import hashlib
import random
import secrets
import sqlite3
import time

WORDS = "We got lost twice and found the good dumplings the second time. 路上的小店都还开着。"
DAY_MS = 86_400_000


def bulk(file):
    """A connection for much at once; nobody else has the database open."""
    database = sqlite3.connect(file, timeout=60)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA cache_size = -1000000")
    return database


def close(database):
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def id_at(moment, chance):
    return moment.to_bytes(6, "big") + chance.randbytes(10)


def fill(file, users, posts):
    """So many people in couples of two, and so many posts of theirs, a third with a picture, the last
    one an hour ago. No `ANALYZE`: PairSpot runs none, and other plans come of it."""
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
        rows.append((post, couple, person, WORDS, int(number % 3 == 0), created))
        if number % 3 == 0:
            pictures.append((chance.randbytes(16), post))
    # In the order of their keys, as they would have come.
    database.executemany(
        "INSERT INTO posts (id, couple_id, author_id, content, visibility, image_count, created_at)"
        " VALUES (?, ?, ?, ?, 'public', ?, ?)", rows)
    database.executemany(
        "INSERT INTO post_images (id, post_id, position, extension, width, height, has_webp, bytes,"
        " description) VALUES (?, ?, 1, 'jpg', 1200, 900, 1, 1, 'x')", sorted(pictures))
    close(database)
    return couples


def promote(database, count):
    """So many posts promoted for some days to come, and no others; they lie apart from each other."""
    database.execute("DELETE FROM promotions")
    posts = [post for (post,) in database.execute(
        "SELECT id FROM posts WHERE visibility = 'public' AND deleted_at IS NULL ORDER BY id")]
    if count > len(posts):
        raise ValueError(f"{count} promotions of {len(posts)} posts")
    end = int(time.time() * 1000) + 3 * DAY_MS
    database.executemany(
        "INSERT INTO promotions (post_id, promoted_until) VALUES (?, ?)",
        ((posts[number * len(posts) // count], end) for number in range(count)))
    database.commit()


def watched(file, count, sessions=True):
    """So many guests who are watched over and have a contact; the secrets of their sessions."""
    chance, now = random.Random(7), int(time.time() * 1000)
    made = [(id_at(now, chance), secrets.token_bytes(32)) for _ in range(count)]
    database = bulk(file)
    database.executemany(
        "INSERT INTO users (id, role, display_name, language, time_zone, terms_version,"
        " terms_accepted_at, created_at) VALUES (?, 1, 'Guest', 'en', 'Asia/Taipei', 'x', ?, ?)",
        ((person, now, now) for person, _ in made))
    database.executemany(
        "INSERT INTO checkin_settings (user_id, contact_language) VALUES (?, 'en')",
        ((person,) for person, _ in made))
    database.executemany(
        "INSERT INTO emergency_contacts (id, user_id, position, name, email_sealed, email_hash,"
        " state, added_at) VALUES (?, ?, 1, '', ?, ?, 'introduced', ?)",
        ((id_at(now, chance), person, chance.randbytes(60), chance.randbytes(32), now)
         for person, _ in made))
    if sessions:
        database.executemany(
            "INSERT INTO sessions (token_hash, user_id, created_at, seen_at, expires_at, browser)"
            " VALUES (?, ?, ?, ?, ?, 'bench')",
            sorted((hashlib.sha256(secret).digest(), person, now, now, now + 90 * DAY_MS)
                   for person, secret in made))
    close(database)
    return [secret for _, secret in made]
