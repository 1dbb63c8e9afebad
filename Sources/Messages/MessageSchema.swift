import Database

/// Conversations, messages and what users do with them (docs/developer/messages.md).
enum MessageSchema {
  static let migrations = [
    Migration(
      "messages 1: conversations and messages",
      """
      CREATE TABLE conversations (
        -- That of the two has the identifier of their couple.
        id BLOB PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('pair', 'couples')),
        -- Side 1; of two couples the one with the smaller identifier. Not a foreign key: the other
        -- couple keeps the conversation when both accounts of this one are purged.
        couple_id BLOB NOT NULL,
        -- Side 2; NULL for the two.
        other_id BLOB,
        state TEXT NOT NULL CHECK (state IN ('open', 'requested', 'declined', 'ended')),
        -- The side that asked; NULL unless requested or declined.
        requested_side INTEGER CHECK (requested_side IN (1, 2)),
        -- One more with every change that a member sees; a new message's number.
        version INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL,
        CHECK ((kind = 'couples') = (other_id IS NOT NULL)),
        CHECK (other_id IS NULL OR couple_id < other_id),
        CHECK ((state IN ('requested', 'declined')) = (requested_side IS NOT NULL))
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX conversations_by_couples ON conversations (couple_id, other_id);
      -- A block by either couple ends their conversation; unblocking does not reopen it.
      CREATE TRIGGER conversations_end_at_blocks AFTER INSERT ON blocks BEGIN
        UPDATE conversations SET state = 'ended', requested_side = NULL, version = version + 1
        WHERE couple_id = min(NEW.couple_id, NEW.blocked_id)
          AND other_id = max(NEW.couple_id, NEW.blocked_id);
      END;

      CREATE TABLE conversation_members (
        conversation_id BLOB NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        user_id BLOB NOT NULL REFERENCES users (id),
        side INTEGER NOT NULL CHECK (side IN (1, 2)),
        -- The number of the last message that was read; of the last one of another member.
        read_number INTEGER NOT NULL DEFAULT 0,
        last_number INTEGER NOT NULL DEFAULT 0,
        -- When the last message was written; its place in the list.
        latest_at INTEGER NOT NULL,
        -- Hours without notices, in minutes of the day; both NULL for none.
        muted_from INTEGER CHECK (muted_from BETWEEN 0 AND 1439),
        muted_to INTEGER CHECK (muted_to BETWEEN 0 AND 1439),
        -- When the member last typed.
        writing_at INTEGER,
        PRIMARY KEY (conversation_id, user_id),
        CHECK ((muted_from IS NULL) = (muted_to IS NULL))
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX conversation_members_by_user
        ON conversation_members (user_id, latest_at DESC, conversation_id DESC);
      CREATE INDEX conversation_members_unread ON conversation_members (user_id)
        WHERE last_number > read_number;

      CREATE TABLE messages (
        id BLOB NOT NULL PRIMARY KEY,
        conversation_id BLOB NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        -- The version of the conversation that the message made, and that of its last change.
        number INTEGER NOT NULL,
        version INTEGER NOT NULL,
        author_id BLOB NOT NULL REFERENCES users (id),
        -- The side that the author wrote for.
        side INTEGER NOT NULL CHECK (side IN (1, 2)),
        -- The sender's own identifier: a message is stored once.
        client_id TEXT NOT NULL,
        -- NULL for pictures only, and once it is deleted.
        text_sealed BLOB,
        quoted_id BLOB REFERENCES messages (id) ON DELETE SET NULL,
        picture_count INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL,
        edited_at INTEGER,
        -- Since when moderators may see it.
        reported_at INTEGER,
        hidden_at INTEGER,
        -- When a moderator removed it.
        removed_at INTEGER,
        -- When its author deleted it for all.
        deleted_at INTEGER,
        -- When text and pictures of a deleted or removed message that was reported are removed.
        purge_at INTEGER
      ) STRICT;
      CREATE UNIQUE INDEX messages_by_number ON messages (conversation_id, number);
      CREATE INDEX messages_by_version ON messages (conversation_id, version);
      CREATE INDEX messages_by_time ON messages (conversation_id, created_at);
      CREATE UNIQUE INDEX messages_by_client ON messages (author_id, client_id);
      CREATE INDEX messages_by_quoted ON messages (quoted_id) WHERE quoted_id IS NOT NULL;
      CREATE INDEX messages_purge ON messages (purge_at) WHERE purge_at IS NOT NULL;

      CREATE TABLE message_pictures (
        id BLOB PRIMARY KEY,
        message_id BLOB NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        extension TEXT NOT NULL CHECK (extension IN ('jpg', 'png', 'webp')),
        width INTEGER NOT NULL,
        height INTEGER NOT NULL,
        has_webp INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        -- NULL for none.
        description_sealed BLOB
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX message_pictures_by_message ON message_pictures (message_id, position);

      CREATE TABLE message_reactions (
        message_id BLOB NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
        user_id BLOB NOT NULL REFERENCES users (id),
        kind TEXT NOT NULL CHECK (
          kind IN ('heart', 'laugh', 'surprise', 'sad', 'thumbs_up', 'thanks')),
        created_at INTEGER NOT NULL,
        PRIMARY KEY (message_id, user_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX message_reactions_by_user ON message_reactions (user_id);

      -- A user without a row has the defaults.
      CREATE TABLE message_settings (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        -- Whether a push shows the beginning of a message.
        shows_content INTEGER NOT NULL CHECK (shows_content IN (0, 1)),
        -- Whether read marks are shown, both ways.
        shares_reads INTEGER NOT NULL CHECK (shares_reads IN (0, 1))
      ) STRICT, WITHOUT ROWID;
      """),
    Migration(
      "messages 2: when members last read",
      """
      -- When the read mark moved; no push comes soon after it.
      ALTER TABLE conversation_members ADD COLUMN read_at INTEGER;
      """),
    Migration(
      "messages 3: voice notes",
      """
      -- The identifier in the name of the file; NULL without a voice note.
      ALTER TABLE messages ADD COLUMN voice_id BLOB;
      -- The length of the voice note, in ms.
      ALTER TABLE messages ADD COLUMN voice_milliseconds INTEGER
        CHECK ((voice_id IS NULL) = (voice_milliseconds IS NULL));
      CREATE INDEX messages_voices ON messages (voice_id) WHERE voice_id IS NOT NULL;
      """),
    Migration(
      "messages 4: withdrawn requests",
      """
      -- When the couple that asked took its request back; NULL for all others.
      ALTER TABLE conversations ADD COLUMN withdrawn_at INTEGER;
      """),
    Migration(
      "messages 5: answers to moments",
      """
      -- Whether it answers a moment, which is not named: it is over after a day.
      ALTER TABLE messages ADD COLUMN answers_moment INTEGER NOT NULL DEFAULT 0
        CHECK (answers_moment IN (0, 1));
      """),
    Migration(
      "messages 6: encrypted files",
      """
      -- The key of the files; NULL for those of an earlier version, as long as they are not
      -- encrypted.
      ALTER TABLE message_pictures ADD COLUMN key_sealed BLOB;
      CREATE INDEX message_pictures_plain ON message_pictures (id) WHERE key_sealed IS NULL;
      -- That of the voice note.
      ALTER TABLE messages ADD COLUMN voice_key_sealed BLOB
        CHECK (voice_key_sealed IS NULL OR voice_id IS NOT NULL);
      CREATE INDEX messages_plain_voices ON messages (id)
        WHERE voice_id IS NOT NULL AND voice_key_sealed IS NULL;
      """),
  ]
}
