import Database

/// The tables of this module (docs/developer/check-in.md#data).
enum CheckInSchema {
  static let migrations = [
    Migration(
      "checkin 1: check-ins, contacts and alerts",
      """
      CREATE TABLE check_ins (
        user_id BLOB NOT NULL REFERENCES users (id),
        -- The local day that it counts for.
        day INTEGER NOT NULL,
        tapped_at INTEGER NOT NULL,
        time_zone TEXT NOT NULL,
        is_offline INTEGER NOT NULL CHECK (is_offline IN (0, 1)),
        PRIMARY KEY (user_id, day)
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER check_ins_never_change BEFORE UPDATE ON check_ins BEGIN
        SELECT RAISE(ABORT, 'a check-in never changes');
      END;
      CREATE TRIGGER check_ins_stay BEFORE DELETE ON check_ins
      WHEN EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id AND deleted_at IS NULL) BEGIN
        SELECT RAISE(ABORT, 'a check-in goes with its account only');
      END;

      CREATE TABLE checkin_settings (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        threshold_days INTEGER NOT NULL DEFAULT 2 CHECK (threshold_days BETWEEN 2 AND 7),
        -- Minutes after midnight.
        alert_minute INTEGER NOT NULL DEFAULT 540
          CHECK (alert_minute BETWEEN 0 AND 1439 AND alert_minute % 15 = 0),
        reminder_minute INTEGER
          CHECK (reminder_minute BETWEEN 0 AND 1439 AND reminder_minute % 15 = 0),
        contact_language TEXT NOT NULL,
        note_sealed BLOB,
        -- The last day of a pause, that day included.
        paused_until INTEGER,
        -- The day of the latest check-in, and the moment of the latest tap.
        last_day INTEGER,
        last_tap INTEGER,
        -- Days before this one are not held against the person: the first contact, a return.
        counts_from INTEGER,
        -- What was sent: the day of a reminder, the silence of each warning.
        reminded_day INTEGER,
        evening_for INTEGER,
        hour_for INTEGER,
        grace_for INTEGER,
        -- When there is something to do next.
        next_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX checkin_settings_due ON checkin_settings (next_at) WHERE next_at IS NOT NULL;

      CREATE TABLE checkin_pauses (
        user_id BLOB NOT NULL REFERENCES users (id),
        first_day INTEGER NOT NULL,
        last_day INTEGER NOT NULL,
        PRIMARY KEY (user_id, first_day)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE emergency_contacts (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        position INTEGER NOT NULL,
        name TEXT NOT NULL,
        email_sealed BLOB NOT NULL,
        email_hash BLOB NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'introduced', 'refused', 'bouncing')),
        added_at INTEGER NOT NULL,
        -- Kept until the alert that they know of has ended.
        removed_at INTEGER,
        -- When the next weekly line goes out; NULL for who did not ask.
        weekly_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX emergency_contacts_of ON emergency_contacts (user_id, email_hash)
        WHERE removed_at IS NULL;
      CREATE INDEX emergency_contacts_by_user ON emergency_contacts (user_id, position);
      CREATE INDEX emergency_contacts_weekly ON emergency_contacts (weekly_at)
        WHERE weekly_at IS NOT NULL;
      CREATE INDEX emergency_contacts_by_hash ON emergency_contacts (email_hash);

      -- Addresses whose people want no such mail from anybody here.
      CREATE TABLE contact_refusals (
        email_hash BLOB PRIMARY KEY,
        refused_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE alerts (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        -- The day from which the missed ones are counted: one alert a silence.
        silence INTEGER NOT NULL,
        day INTEGER NOT NULL,
        missed_days INTEGER NOT NULL,
        claimed_at INTEGER NOT NULL,
        reached_at INTEGER,
        reached_by BLOB,
        ended_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX alerts_once_a_silence ON alerts (user_id, silence);
      CREATE INDEX alerts_open ON alerts (user_id) WHERE ended_at IS NULL;

      -- Every mail to a contact or to the person, so that its fate is known.
      CREATE TABLE contact_mails (
        mail_id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        -- NULL for mail to the person.
        contact_id BLOB,
        alert_id BLOB,
        kind TEXT NOT NULL,
        state TEXT NOT NULL CHECK (
          state IN ('waiting', 'sent', 'refused', 'bounced', 'given-up', 'recalled')),
        queued_at INTEGER NOT NULL,
        changed_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        error TEXT
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX contact_mails_by_user ON contact_mails (user_id, queued_at);
      CREATE INDEX contact_mails_waiting ON contact_mails (user_id) WHERE state = 'waiting';
      CREATE INDEX contact_mails_by_contact ON contact_mails (contact_id, queued_at)
        WHERE contact_id IS NOT NULL;
      CREATE INDEX contact_mails_by_alert ON contact_mails (alert_id) WHERE alert_id IS NOT NULL;

      -- Each attempt to bring an alert to somebody.
      CREATE TABLE notification_logs (
        id BLOB PRIMARY KEY,
        user_id BLOB NOT NULL REFERENCES users (id),
        mail_id BLOB NOT NULL,
        notification_day INTEGER NOT NULL,
        missed_days INTEGER NOT NULL,
        is_sent INTEGER NOT NULL CHECK (is_sent IN (0, 1)),
        error TEXT,
        attempted_at INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX notification_logs_by_user ON notification_logs (user_id, attempted_at);

      -- Times in which nobody could tap because of us.
      CREATE TABLE outages (
        began_at INTEGER PRIMARY KEY,
        ended_at INTEGER NOT NULL,
        grace_until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX outages_by_grace ON outages (grace_until);
      """),
    Migration(
      "checkin 2: why alerts wait, and who checked in ahead of time",
      """
      -- A clock that was set back, and is not where it was yet, has ended_at before began_at.
      ALTER TABLE outages ADD COLUMN cause TEXT NOT NULL DEFAULT 'outage'
        CHECK (cause IN ('outage', 'restore', 'clock'));
      -- Of who has a check-in of a day after tomorrow: the day on which that was seen.
      ALTER TABLE checkin_settings ADD COLUMN ahead_from INTEGER;
      """),
    Migration(
      "checkin 3: partners as contacts",
      """
      -- The partner whose account this contact is; their address follows the account's.
      ALTER TABLE emergency_contacts ADD COLUMN account_id BLOB REFERENCES users (id);
      -- Since a parting: whether they stay is undecided, and they don't see the note.
      ALTER TABLE emergency_contacts ADD COLUMN asked_since INTEGER;
      CREATE INDEX emergency_contacts_by_account ON emergency_contacts (account_id)
        WHERE account_id IS NOT NULL;
      UPDATE emergency_contacts SET account_id = (
        SELECT p.id FROM users u JOIN couples c ON c.id = u.couple_id AND c.status = 'active'
        JOIN users p ON p.couple_id = u.couple_id AND p.id <> u.id
        WHERE u.id = emergency_contacts.user_id AND p.email_hash = emergency_contacts.email_hash
          AND p.deleted_at IS NULL);
      UPDATE emergency_contacts SET name = coalesce(
        (SELECT display_name FROM users WHERE id = account_id), '')
      WHERE account_id IS NOT NULL AND name = '';
      """),
    Migration(
      "checkin 4: the record of what was decided",
      """
      CREATE TABLE checkin_record (
        user_id BLOB NOT NULL REFERENCES users (id),
        -- Counted from 1, without gaps.
        number INTEGER NOT NULL,
        at INTEGER NOT NULL,
        event TEXT NOT NULL,
        day INTEGER,
        -- Stays when the contact is removed.
        contact_id BLOB,
        detail TEXT NOT NULL,
        -- SHA-256 of the previous line's hash and this line.
        hash BLOB NOT NULL,
        PRIMARY KEY (user_id, number)
      ) STRICT, WITHOUT ROWID;
      CREATE TRIGGER checkin_record_never_changes BEFORE UPDATE ON checkin_record BEGIN
        SELECT RAISE(ABORT, 'a line of the record never changes');
      END;
      CREATE TRIGGER checkin_record_stays BEFORE DELETE ON checkin_record
      WHEN EXISTS (SELECT 1 FROM users WHERE id = OLD.user_id AND deleted_at IS NULL) BEGIN
        SELECT RAISE(ABORT, 'the record goes with its account only');
      END;
      """),
    Migration(
      "checkin 5: contacts in turn, and their responses",
      """
      -- Minutes between one contact and the next; NULL: all at once.
      ALTER TABLE checkin_settings ADD COLUMN contact_pause INTEGER
        CHECK (contact_pause BETWEEN 15 AND 720);
      -- The current round of notifying all contacts, the first one since the alert was claimed, and
      -- since when.
      ALTER TABLE alerts ADD COLUMN round INTEGER NOT NULL DEFAULT 1;
      ALTER TABLE alerts ADD COLUMN first_round INTEGER NOT NULL DEFAULT 1;
      ALTER TABLE alerts ADD COLUMN round_at INTEGER;
      ALTER TABLE alerts ADD COLUMN looking_until INTEGER;
      -- When the next contact is notified, or all of them again.
      ALTER TABLE alerts ADD COLUMN next_at INTEGER;
      CREATE INDEX alerts_next ON alerts (next_at) WHERE next_at IS NOT NULL;
      -- The round of an alert's mail.
      ALTER TABLE contact_mails ADD COLUMN round INTEGER;
      UPDATE contact_mails SET round = 1 WHERE kind = 'alert';
      CREATE TABLE alert_responses (
        alert_id BLOB NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
        contact_id BLOB NOT NULL,
        opened_at INTEGER NOT NULL,
        looking_at INTEGER,
        PRIMARY KEY (alert_id, contact_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX alert_responses_by_contact ON alert_responses (contact_id);
      """),
    Migration(
      "checkin 6: channels beside mail",
      """
      CREATE TABLE contact_channels (
        id BLOB PRIMARY KEY,
        contact_id BLOB NOT NULL,
        user_id BLOB NOT NULL REFERENCES users (id),
        -- The name in the operator's file.
        offer TEXT NOT NULL,
        recipient_sealed BLOB NOT NULL,
        -- The code that was sent last, until it is entered.
        code_hash BLOB,
        code_sent_at INTEGER,
        code_tries INTEGER NOT NULL DEFAULT 0,
        proven_at INTEGER,
        failed_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX contact_channels_by_user ON contact_channels (user_id);
      CREATE INDEX contact_channels_by_contact ON contact_channels (contact_id);
      -- NULL for mail.
      ALTER TABLE contact_mails ADD COLUMN channel_id BLOB;
      -- When a message by a channel is sent, or tried again.
      ALTER TABLE contact_mails ADD COLUMN send_at INTEGER;
      CREATE INDEX contact_mails_to_send ON contact_mails (send_at)
        WHERE send_at IS NOT NULL AND state = 'waiting';
      CREATE INDEX contact_mails_by_channel ON contact_mails (channel_id)
        WHERE channel_id IS NOT NULL;
      """),
    Migration(
      "checkin 7: exercises, and the sheet for contacts",
      """
      -- When an exercise was sent last, and answered last.
      ALTER TABLE emergency_contacts ADD COLUMN exercise_at INTEGER;
      ALTER TABLE emergency_contacts ADD COLUMN answered_at INTEGER;
      ALTER TABLE checkin_settings ADD COLUMN sheet_sealed BLOB;
      ALTER TABLE alert_responses ADD COLUMN sheet_read_at INTEGER;
      """),
    Migration(
      "checkin 8: timers",
      """
      -- The running timer of a user.
      CREATE TABLE checkin_timers (
        user_id BLOB PRIMARY KEY REFERENCES users (id),
        id BLOB NOT NULL,
        note_sealed BLOB,
        started_at INTEGER NOT NULL,
        ends_at INTEGER NOT NULL,
        -- Seconds between the end and the alert.
        grace INTEGER NOT NULL,
        warned_at INTEGER,
        end_warned_at INTEGER,
        alerted_at INTEGER,
        next_at INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX checkin_timers_due ON checkin_timers (next_at) WHERE next_at IS NOT NULL;
      -- The timer that an alert is about; NULL for missed check-ins.
      ALTER TABLE alerts ADD COLUMN timer_id BLOB;
      DROP INDEX alerts_once_a_silence;
      CREATE UNIQUE INDEX alerts_once_a_silence ON alerts (user_id, silence)
        WHERE timer_id IS NULL;
      CREATE INDEX alerts_by_user ON alerts (user_id, silence);
      CREATE UNIQUE INDEX alerts_once_a_timer ON alerts (timer_id) WHERE timer_id IS NOT NULL;
      """),
    Migration(
      "checkin 9: other signs of life",
      """
      ALTER TABLE checkin_settings ADD COLUMN counts_posts INTEGER NOT NULL DEFAULT 0
        CHECK (counts_posts IN (0, 1));
      ALTER TABLE checkin_settings ADD COLUMN counts_workouts INTEGER NOT NULL DEFAULT 0
        CHECK (counts_workouts IN (0, 1));
      -- SHA-256 of the token of the address for calls.
      ALTER TABLE checkin_settings ADD COLUMN ping_hash BLOB;
      CREATE UNIQUE INDEX checkin_settings_ping ON checkin_settings (ping_hash)
        WHERE ping_hash IS NOT NULL;
      """),
    watchman, placesAndHours, callsForHelp, removedContacts, removedChannels, keptChannels,
  ]
}
