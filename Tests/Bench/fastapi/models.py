"""The tables and views of PairSpot as SQLAlchemy's ORM maps them."""

from sqlalchemy import BigInteger, ForeignKey, LargeBinary
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    type_annotation_map = {bytes: LargeBinary, int: BigInteger}


class User(Base):
    __tablename__ = "users"
    id: Mapped[bytes] = mapped_column(primary_key=True)
    role: Mapped[int]
    display_name: Mapped[str]
    avatar: Mapped[str | None]
    language: Mapped[str | None]
    theme: Mapped[str | None]
    time_zone: Mapped[str | None]
    couple_id: Mapped[bytes | None] = mapped_column(ForeignKey("couples.id"))
    couple_side: Mapped[int | None]
    deleted_at: Mapped[int | None]


class Couple(Base):
    __tablename__ = "couples"
    id: Mapped[bytes] = mapped_column(primary_key=True)
    name: Mapped[str]
    status: Mapped[str]
    anniversary: Mapped[int | None]
    hidden_at: Mapped[int | None]


class SignedIn(Base):
    __tablename__ = "sessions"
    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    user_id: Mapped[bytes] = mapped_column(ForeignKey("users.id"))
    expires_at: Mapped[int]


class CoupleSeen(Base):
    """The view of couples with the names of their members."""
    __tablename__ = "couples_seen"
    id: Mapped[bytes] = mapped_column(primary_key=True)
    name: Mapped[str]
    anniversary: Mapped[int | None]
    first_name: Mapped[str | None]
    first_avatar: Mapped[str | None]
    second_name: Mapped[str | None]
    second_avatar: Mapped[str | None]


class Picture(Base):
    __tablename__ = "post_images"
    id: Mapped[bytes] = mapped_column(primary_key=True)
    post_id: Mapped[bytes] = mapped_column(ForeignKey("posts.id"))
    position: Mapped[int]
    extension: Mapped[str]
    width: Mapped[int]
    height: Mapped[int]
    has_webp: Mapped[bool]
    description: Mapped[str]


class Post(Base):
    __tablename__ = "posts"
    id: Mapped[bytes] = mapped_column(primary_key=True)
    couple_id: Mapped[bytes] = mapped_column(ForeignKey("couples_seen.id"))
    author_id: Mapped[bytes] = mapped_column(ForeignKey("users.id"))
    content: Mapped[str]
    visibility: Mapped[str]
    like_count: Mapped[int]
    comment_count: Mapped[int]
    created_at: Mapped[int]
    edited_at: Mapped[int | None]
    hidden_at: Mapped[int | None]
    deleted_at: Mapped[int | None]
    couple: Mapped[CoupleSeen] = relationship()
    author: Mapped[User] = relationship()
    pictures: Mapped[list[Picture]] = relationship(order_by=Picture.position)

    # The template of a post's card uses these names.
    couple_name = property(lambda self: self.couple.name)
    anniversary = property(lambda self: self.couple.anniversary)
    first_name = property(lambda self: self.couple.first_name)
    first_avatar = property(lambda self: self.couple.first_avatar)
    second_name = property(lambda self: self.couple.second_name)
    second_avatar = property(lambda self: self.couple.second_avatar)
    author_name = property(lambda self: self.author.display_name)


class Like(Base):
    __tablename__ = "likes"
    post_id: Mapped[bytes] = mapped_column(ForeignKey("posts.id"), primary_key=True)
    user_id: Mapped[bytes] = mapped_column(ForeignKey("users.id"), primary_key=True)


class Saved(Base):
    __tablename__ = "saved_posts"
    post_id: Mapped[bytes] = mapped_column(ForeignKey("posts.id"), primary_key=True)
    user_id: Mapped[bytes] = mapped_column(ForeignKey("users.id"), primary_key=True)


class Block(Base):
    __tablename__ = "blocks"
    couple_id: Mapped[bytes] = mapped_column(primary_key=True)
    blocked_id: Mapped[bytes] = mapped_column(primary_key=True)


class Follow(Base):
    __tablename__ = "follows"
    follower_id: Mapped[bytes] = mapped_column(primary_key=True)
    followed_id: Mapped[bytes] = mapped_column(primary_key=True)


class Notice(Base):
    __tablename__ = "notifications"
    id: Mapped[bytes] = mapped_column(primary_key=True)
    user_id: Mapped[bytes]
    read_at: Mapped[int | None]


class CheckIn(Base):
    __tablename__ = "check_ins"
    user_id: Mapped[bytes] = mapped_column(primary_key=True)
    day: Mapped[int] = mapped_column(primary_key=True)
    tapped_at: Mapped[int]
    time_zone: Mapped[str]
    is_offline: Mapped[int]


class WatchSettings(Base):
    __tablename__ = "checkin_settings"
    user_id: Mapped[bytes] = mapped_column(primary_key=True)
    threshold_days: Mapped[int] = mapped_column(default=2)
    alert_minute: Mapped[int] = mapped_column(default=540)
    contact_language: Mapped[str]
    last_day: Mapped[int | None]
    last_tap: Mapped[int | None]
    next_at: Mapped[int | None]


class Contact(Base):
    __tablename__ = "emergency_contacts"
    id: Mapped[bytes] = mapped_column(primary_key=True)
    user_id: Mapped[bytes]
    removed_at: Mapped[int | None]
    state: Mapped[str]
