"""The signed-in feed page, queried with SQLAlchemy's ORM (`/orm`) and with its Core (`/core`),
from the database that PairSpot created and still serves, in SQLite or PostgreSQL.

Statements are built once, as SQLAlchemy recommends for performance; they scan the same indexes
as PairSpot's, with one limit per branch. Related rows are loaded with joins and one
`selectinload`.

Each page exists twice: as a coroutine that queries the database directly, and below `/pool` as a plain
function in FastAPI's thread pool. The faster one depends on the machine: the bench tries both
and compares with the better one.
"""

import time

from fastapi import APIRouter, Depends
from fastapi.responses import HTMLResponse
from sqlalchemy import bindparam, case, exists, false, func, select, text, union
from sqlalchemy.orm import Session, aliased, joinedload, selectinload

from models import Block, Couple, Follow, Like, Notice, Picture, Post, Saved, SignedIn, User
from page import feed_page
from people import VIEWER, cookie_of, found, known, reading

SIZE = 20
router = APIRouter()

# The ORM

me_id, me_couple = bindparam("me"), bindparam("couple")
partner = aliased(User)
viewer_orm = (
    select(
        User.id, User.role, User.display_name, User.avatar, User.language, User.theme,
        User.time_zone, User.couple_id, Couple.name.label("couple_name"),
        Couple.status.label("couple_status"), Couple.anniversary, User.couple_side,
        partner.display_name.label("partner_name"), partner.avatar.label("partner_avatar"))
    .select_from(SignedIn).join(User, User.id == SignedIn.user_id)
    .outerjoin(Couple, Couple.id == User.couple_id)
    .outerjoin(partner, (partner.couple_id == User.couple_id)
               & (partner.couple_side == 3 - User.couple_side) & partner.deleted_at.is_(None))
    .where(SignedIn.token_hash == bindparam("hash"), SignedIn.expires_at > bindparam("now"),
           User.deleted_at.is_(None)))


def newest(*conditions):
    """The newest posts of one branch, as ids; SQLite needs a subquery for a limit inside a
    union."""
    author = aliased(User)
    return select(
        select(Post.id).where(
            Post.deleted_at.is_(None),
            exists().where(author.id == Post.author_id, author.deleted_at.is_(None)), *conditions)
        .order_by(Post.created_at.desc(), Post.id.desc()).limit(SIZE + 1).subquery().c.id)


open_couple = exists().where(
    Couple.id == Post.couple_id, Couple.status.in_(("active", "single")), Couple.hidden_at.is_(None))
apart = exists().where(
    ((Block.couple_id == Post.couple_id) & (Block.blocked_id == me_couple))
    | ((Block.couple_id == me_couple) & (Block.blocked_id == Post.couple_id)))
# A literal, so that the partial index can be used.
public, followers = text("posts.visibility = 'public'"), text("posts.visibility = 'followers'")
ids = union(
    newest(public, Post.hidden_at.is_(None), open_couple, ~apart),
    newest(Post.couple_id == me_couple),
    newest(followers, Post.hidden_at.is_(None), open_couple, ~apart, Post.couple_id.in_(
        select(Follow.followed_id).where(Follow.follower_id == me_couple)))).subquery()
feed_orm = (
    select(Post, exists().where(Like.post_id == Post.id, Like.user_id == me_id),
           # Most have saved nothing, which is found out once.
           case((exists().where(Saved.user_id == me_id),
                 exists().where(Saved.post_id == Post.id, Saved.user_id == me_id)), else_=false()))
    .join(ids, ids.c.id == Post.id)
    .options(joinedload(Post.couple, innerjoin=True), joinedload(Post.author, innerjoin=True),
             selectinload(Post.pictures))
    .order_by(Post.created_at.desc(), Post.id.desc()).limit(SIZE + 1))
unread_orm = select(func.count()).select_from(
    select(Notice.id).where(Notice.user_id == me_id, Notice.read_at.is_(None)).limit(100).subquery())


@router.get("/pool/orm")
def by_orm(cookie: bytes = Depends(cookie_of)):
    with Session(reading, autoflush=False, expire_on_commit=False) as session:
        me = found(session.execute(viewer_orm, known(cookie)).first())
        whose = {"me": me.id, "couple": me.couple_id, "now": int(time.time() * 1000)}
        rows = session.execute(feed_orm, whose).all()
        unread = session.scalar(unread_orm, whose)
        moments, groups = home(session, whose)
        posts, pictures = [], {}
        for post, liked, saved in rows[:SIZE]:
            post.liked, post.saved = liked, saved
            posts.append(post)
            pictures[post.id] = post.pictures
        return HTMLResponse(feed_page(
            me, cookie, unread, posts, pictures, len(rows) > SIZE, moments, groups))


@router.get("/orm")
async def by_orm_at_once(cookie: bytes = Depends(cookie_of)):
    return by_orm(cookie)


# Core

feed_core = text("""
  SELECT p.id, p.couple_id, c.name AS couple_name, c.anniversary, c.first_name, c.first_avatar,
    c.second_name, c.second_avatar, p.author_id, w.name AS author_name, p.content, p.visibility,
    p.like_count, p.comment_count, EXISTS (SELECT 1 FROM likes l WHERE l.post_id = p.id AND l.user_id = :me) AS liked,
    CASE WHEN EXISTS (SELECT 1 FROM saved_posts o WHERE o.user_id = :me) THEN EXISTS (
      SELECT 1 FROM saved_posts s WHERE s.post_id = p.id AND s.user_id = :me) ELSE FALSE END AS saved,
    p.created_at, p.edited_at, p.image_count
  FROM (
    SELECT * FROM (
      SELECT p.id FROM posts p
      WHERE p.visibility = 'public' AND p.deleted_at IS NULL AND p.hidden_at IS NULL
        AND EXISTS (SELECT 1 FROM couples_open k WHERE k.id = p.couple_id)
        AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
        AND NOT EXISTS (
          SELECT 1 FROM couples_apart a WHERE a.one_id = p.couple_id AND a.other_id = :couple)
      ORDER BY p.created_at DESC, p.id DESC LIMIT 21) AS x
    UNION
    SELECT * FROM (
      SELECT p.id FROM posts p
      WHERE p.couple_id = :couple AND p.deleted_at IS NULL
        AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
      ORDER BY p.created_at DESC, p.id DESC LIMIT 21) AS y
    UNION
    SELECT * FROM (
      SELECT p.id FROM follows_open f JOIN posts p ON p.couple_id = f.followed_id
      WHERE f.follower_id = :couple AND p.visibility = 'followers' AND p.deleted_at IS NULL
        AND p.hidden_at IS NULL AND EXISTS (SELECT 1 FROM people_seen w WHERE w.id = p.author_id)
      ORDER BY p.created_at DESC, p.id DESC LIMIT 21) AS z
  ) AS found JOIN posts p ON p.id = found.id
  JOIN couples_seen c ON c.id = p.couple_id JOIN people_seen w ON w.id = p.author_id
  ORDER BY p.created_at DESC, p.id DESC LIMIT 21""")
pictures_core = (
    select(Picture.__table__).where(Picture.post_id.in_(bindparam("posts", expanding=True)))
    .order_by(Picture.post_id, Picture.position))
unread_core = text(
    "SELECT count(*) FROM (SELECT 1 FROM notifications WHERE user_id = :me AND read_at IS NULL"
    " LIMIT 100) AS newest")

# The couples with moments, and the viewer's groups. Each part of the first is in the order of an
# index; the few couples are sorted afterwards. The viewer's own needs no names.
THERE = """m.ends_at > :now AND m.deleted_at IS NULL AND m.removed_at IS NULL
    AND (m.hidden_at IS NULL OR m.author_id = :me)
    AND EXISTS (SELECT 1 FROM people_seen s WHERE s.id = m.author_id)"""
COUNTS = """max(m.created_at) AS latest, count(*) FILTER (WHERE m.author_id <> :me AND NOT EXISTS (
      SELECT 1 FROM moment_views v WHERE v.moment_id = m.id AND v.user_id = :me)) AS unseen"""
moments_core = text(f"""
  SELECT m.couple_id AS id, NULL AS name, NULL AS first_name, NULL AS first_avatar,
    NULL AS second_name, NULL AS second_avatar, {COUNTS}
  FROM moments m WHERE m.couple_id = :couple AND {THERE} GROUP BY m.couple_id
  UNION ALL
  SELECT c.id, c.name, c.first_name, c.first_avatar, c.second_name, c.second_avatar, x.latest, x.unseen
  FROM (
    SELECT f.followed_id, {COUNTS} FROM follows_open f CROSS JOIN moments m
    WHERE f.follower_id = :couple AND m.couple_id = f.followed_id AND m.audience = 'followers'
      AND {THERE} GROUP BY f.followed_id
  ) AS x JOIN couples_seen c ON c.id = x.followed_id""")
groups_core = text("""
  SELECT g.id, g.name FROM group_members m JOIN groups g ON g.id = m.group_id
  WHERE m.user_id = :me AND g.closed_at IS NULL ORDER BY m.joined_at DESC, m.group_id DESC LIMIT 3""")


def home(connection, whose):
    return (connection.execute(moments_core, whose).all(), connection.execute(groups_core, whose).all())


@router.get("/pool/core")
def by_core(cookie: bytes = Depends(cookie_of)):
    with reading.connect() as connection:
        me = found(connection.execute(VIEWER, known(cookie)).first())
        whose = {"me": me.id, "couple": me.couple_id, "now": int(time.time() * 1000)}
        rows = connection.execute(feed_core, whose).all()
        posts, pictures = rows[:SIZE], {}
        wanted = [post.id for post in posts if post.image_count]
        if wanted:
            for one in connection.execute(pictures_core, {"posts": wanted}):
                pictures.setdefault(one.post_id, []).append(one)
        unread = connection.scalar(unread_core, whose)
        moments, groups = home(connection, whose)
    return HTMLResponse(feed_page(
        me, cookie, unread, posts, pictures, len(rows) > SIZE, moments, groups))


@router.get("/core")
async def by_core_at_once(cookie: bytes = Depends(cookie_of)):
    return by_core(cookie)
