import Database

/// Rows of an instance by the migration that made their tables.
enum SampleRows {
  static let byMigration: [String: [Query]] = [
    "jobs 1: jobs and heartbeats": [
      """
      INSERT INTO jobs (id, kind, payload, run_at, created_at)
      VALUES (x'01', 'x', '{}', 0, 0)
      """
    ],
    "mail 1: queue": [
      """
      INSERT INTO mail_queue (id, recipient_sealed, content_sealed, created_at)
      VALUES (zeroblob(16), x'01', x'02', 1)
      """
    ],
    "accounts 1: people, couples, sessions, registrations": [
      """
      INSERT INTO couples (id, name, status, created_at)
      VALUES (zeroblob(16), 'Ann & Ben', 'active', 1)
      """,
      """
      INSERT INTO users (id, role, display_name, couple_id, couple_side, terms_version,
      terms_accepted_at, created_at)
      VALUES (zeroblob(16), 2, 'Ann', zeroblob(16), 1, '', 1, 1)
      """,
      """
      INSERT INTO users (id, role, display_name, couple_id, couple_side, terms_version,
      terms_accepted_at, created_at)
      VALUES (x'11111111111111111111111111111111', 2, 'Ben', zeroblob(16), 2, '', 1, 1)
      """,
      """
      INSERT INTO couple_members (couple_id, user_id, joined_at)
      SELECT couple_id, id, 1 FROM users
      """,
      """
      INSERT INTO sessions (token_hash, user_id, created_at, seen_at, expires_at, browser)
      VALUES (x'01', zeroblob(16), 1, 1, 2, 'Firefox')
      """,
    ],
    "feed 1: posts, pictures, likes": [
      """
      INSERT INTO posts (id, couple_id, author_id, content, visibility, created_at)
      VALUES (zeroblob(16), zeroblob(16), zeroblob(16), 'Hello', 'public', 1)
      """,
      """
      INSERT INTO likes (post_id, user_id, created_at)
      VALUES (zeroblob(16), zeroblob(16), 1)
      """,
    ],
    "accounts 5: second factors, recovery codes, enrolments of staff": [
      """
      INSERT INTO totp_secrets (user_id, secret_sealed, created_at)
      VALUES (zeroblob(16), x'01', 1)
      """
    ],
    "checkin 1: check-ins, contacts and alerts": [
      """
      INSERT INTO check_ins (user_id, day, tapped_at, time_zone, is_offline)
      VALUES (zeroblob(16), 20000, 1, 'Asia/Taipei', 0)
      """,
      """
      INSERT INTO checkin_settings (user_id, contact_language, last_day)
      VALUES (zeroblob(16), 'en', 20000)
      """,
      """
      INSERT INTO emergency_contacts (id, user_id, position, name, email_sealed, email_hash,
      state, added_at)
      VALUES (zeroblob(16), zeroblob(16), 1, 'Kim', x'01', x'02', 'introduced', 1)
      """,
      """
      INSERT INTO alerts (id, user_id, silence, day, missed_days, claimed_at)
      VALUES (zeroblob(16), zeroblob(16), 20000, 20003, 2, 1)
      """,
      """
      INSERT INTO contact_mails (mail_id, user_id, contact_id, alert_id, kind, state,
      queued_at, changed_at)
      VALUES (zeroblob(16), zeroblob(16), zeroblob(16), zeroblob(16), 'alert', 'sent', 1, 1)
      """,
    ],
    "album 1: photos": [
      """
      INSERT INTO photos (id, user_id, folder, original_id, format, width, height, bytes,
      picture_id, picture_extension, has_webp, story, dropped, version, created_at)
      VALUES (zeroblob(16), zeroblob(16), zeroblob(16), zeroblob(16), 'jpeg', 8, 8, 100,
      zeroblob(16), 'jpg', 0, 'At the lake', '', 1, 1)
      """
    ],
    "workouts 1: workouts, samples and statistics": [
      """
      INSERT INTO workouts (id, user_id, client_session_id, started_at, ended_at, day,
      duration_ms, energy_cal, distance_mm, device_type, source, claim_round, received_at)
      VALUES (zeroblob(16), zeroblob(16), zeroblob(16), 1, 2, 20000, 1, 1, 1, 'bike', 'typed',
      0, 1)
      """
    ],
    "trainings 1: trainings and their stages": [
      """
      INSERT INTO trainings (id, position, name, description, difficulty, created_at,
      updated_at)
      VALUES (zeroblob(16), 1, 'Hills', '', 'easy', 1, 1)
      """
    ],
    "groups 1: groups, members, codes, places, waypoints and logs": [
      """
      INSERT INTO groups (id, name, leader_id, created_at)
      VALUES (zeroblob(16), 'Hike', zeroblob(16), 1)
      """,
      """
      INSERT INTO group_members (group_id, user_id, id, joined_at)
      VALUES (zeroblob(16), zeroblob(16), zeroblob(16), 1)
      """,
      """
      INSERT INTO invite_codes (group_id, code, made_at, expires_at)
      VALUES (zeroblob(16), 'ABC234', 1, 2)
      """,
    ],
    "moderation 1: reports, decisions, appeals, notices, log": [
      """
      INSERT INTO report_cases (id, kind, thing_id, state, thing_state, version, round,
      reporters, waiting_since, rank)
      VALUES (zeroblob(16), 'post', zeroblob(16), 'open', 'shown', 1, 1, 1, 1, 1)
      """,
      """
      INSERT INTO reports (id, case_id, round, user_id, reporter_key, counts, reason, note,
      state, created_at)
      VALUES (zeroblob(16), zeroblob(16), 1, zeroblob(16), x'01', 1, 'spam', '', 'open', 1)
      """,
      """
      INSERT INTO staff_log (id, at, actor, actor_name, action, kind, details, note)
      VALUES (zeroblob(16), 1, zeroblob(16), 'Ann', 'dismiss', 'post', '', '')
      """,
    ],
    "notices 1: notices, who did it, what is wanted": [
      """
      INSERT INTO notifications (id, user_id, kind, event, detail, path, created_at)
      VALUES (zeroblob(16), zeroblob(16), 'like', '', '', '/posts', 1)
      """,
      """
      INSERT INTO notification_actors (notification_id, user_id, at)
      VALUES (zeroblob(16), x'11111111111111111111111111111111', 1)
      """,
    ],
    "wallet 1: wallets, coins, Apple's transactions, vouchers, promotions": [
      """
      INSERT INTO user_wallets (user_id)
      VALUES (zeroblob(16))
      """,
      """
      INSERT INTO coin_transactions (id, user_id, number, type, amount, balance_after,
      created_at, source)
      VALUES (zeroblob(16), zeroblob(16), 1, 'grant', 5, 5, 1, x'01')
      """,
    ],
    "feed comments 1: comments": [
      """
      INSERT INTO comments (id, post_id, author_id, content, visibility, created_at)
      VALUES (zeroblob(16), zeroblob(16), zeroblob(16), 'Lovely', 'public', 1)
      """
    ],
    "messages 1: conversations and messages": [
      """
      INSERT INTO conversations (id, kind, couple_id, state, created_at)
      VALUES (zeroblob(16), 'pair', zeroblob(16), 'open', 1)
      """,
      """
      INSERT INTO messages (id, conversation_id, number, version, author_id, side, client_id,
      text_sealed, created_at)
      VALUES (zeroblob(16), zeroblob(16), 1, 1, zeroblob(16), 1, 'a', x'01', 1)
      """,
      """
      INSERT INTO message_pictures (id, message_id, position, extension, width, height, has_webp,
      bytes)
      VALUES (zeroblob(16), zeroblob(16), 0, 'png', 8, 8, 0, 1)
      """,
    ],
    "feed saved 1: saved posts": [
      """
      INSERT INTO saved_posts (user_id, post_id, saved_at)
      VALUES (x'11111111111111111111111111111111', zeroblob(16), 1)
      """
    ],
    "album 3: favourite photos": [
      """
      INSERT INTO photo_favourites (user_id, photo_id)
      VALUES (zeroblob(16), zeroblob(16))
      """
    ],
    "moments 1: moments and views": [
      """
      INSERT INTO moments (id, couple_id, author_id, audience, words, file_id, extension, width,
      height, has_webp, has_sound, bytes, created_at, ends_at, purge_at)
      VALUES (zeroblob(16), zeroblob(16), zeroblob(16), 'followers', '', zeroblob(16), 'jpg', 8,
      8, 0, 0, 1, 1, 2, 3)
      """,
      """
      INSERT INTO moment_views (moment_id, user_id, seen_at)
      VALUES (zeroblob(16), x'11111111111111111111111111111111', 1)
      """,
    ],
    "messages reports 1: texts of reported messages": [
      """
      INSERT INTO message_reported_texts (message_id, number, text_sealed, reported_at)
      VALUES (zeroblob(16), 1, x'01', 1)
      """
    ],
  ]
}
