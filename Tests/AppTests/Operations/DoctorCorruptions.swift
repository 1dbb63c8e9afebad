import Foundation
import Testing

@testable import Album
@testable import App
@testable import Database

/// A corruption for every check of the application; `DoctorCorruptionTests` checks that none is
/// missing.
enum DoctorCorruptions {
  static let all = instance + accounts + feed + modules + WalletCorruptions.all

  /// Corruptions of SQLite's file and its search index, and those that PostgreSQL's constraints
  /// prevent.
  static let onSQLite = ["database", "every open group has a leader", "the search index is intact"]

  private static let ever = 9_000_000_000_000_000
  private static let ann: Query = "display_name = 'Ann'"

  @Sendable private static func inTwoDays() -> Date { Date().addingTimeInterval(2 * 86_400) }

  /// A file of the media folder whose path contains this text.
  @Sendable private static func file(_ words: String, of instance: TestInstance) throws -> String {
    let path = try #require(try instance.mediaFiles().sorted().first { $0.contains(words) })
    return "\(instance.instance.configuration.mediaFolder)/\(path)"
  }

  // MARK: The application

  private static let instance = [
    // DatabaseTests covers SQLite's findings in damaged files.
    DoctorCorruption("database", in: .home) { instance in
      // Other programs don't enforce foreign keys by default.
      try instance.database.file().writer.writeWithoutTransaction { connection in
        try connection.execute(
          sql: """
            PRAGMA foreign_keys = OFF;
            INSERT INTO user_wallets (user_id) VALUES (randomblob(16));
            PRAGMA foreign_keys = ON;
            """)
      }
    },
    DoctorCorruption(
      "enough disk space is free", in: .home,
      others: {
        var disks = DiskSpaceMonitor($0.instance.configuration)
        disks.space = { _ in DiskSpaceMonitor.FreeSpace(bytes: 1000, files: nil) }
        return DataDoctor($0.instance.configuration, disks: disks).checks
      }, { _ in }),
    DoctorCorruption(
      "the program that processes pictures exists", in: .home,
      others: { _ in [ProgramDoctor.pictures("/nowhere")] }, { _ in }),
    DoctorCorruption("every file in the database exists", in: .home) { instance in
      try FileManager.default.removeItem(atPath: file("/medium_", of: instance))
    },
    DoctorCorruption("no restore is unfinished", in: .home) { instance in
      try FileManager.default.createDirectory(
        atPath: "\(instance.folder.path)/20260302T000000Z.restored/secrets",
        withIntermediateDirectories: true)
    },
    DoctorCorruption(
      "every file is in the database", in: .home,
      others: {
        var old = DataDoctor($0.instance.configuration)
        old.today = inTwoDays
        return old.checks
      },
      { instance in
        let beside = try file("/medium_", of: instance)
        try Data([1]).write(
          to: URL(filePath: "\((beside as NSString).deletingLastPathComponent)/x"))
      }),
    DoctorCorruption(
      "every recurring job is queued", in: .home,
      "DELETE FROM jobs WHERE unique_key = 'timetable:mail.purge'"),
    DoctorCorruption(
      "no job is delayed too long", in: .home,
      "UPDATE jobs SET run_at = \(ever) WHERE unique_key = 'timetable:mail.purge'"),
    DoctorCorruption("every queued mail has a job", in: .home) { instance in
      try mail(in: instance)
      try instance.database.write { _ = try $0.execute("DELETE FROM jobs WHERE kind = 'mail'") }
    },
    DoctorCorruption("the keys decrypt queued mail", in: .home) { instance in
      try mail(in: instance)
      try instance.database.write {
        _ = try $0.execute("UPDATE mail_queue SET content_sealed = randomblob(80)")
      }
    },
    DoctorCorruption(
      "no live event is stuck", in: .home,
      """
      INSERT INTO live_news (channel, mark, version, cuts, due)
      VALUES ('no/channel', \([255] as [UInt8]), 1, 0, 0)
      """),
  ]

  /// Queues a mail.
  @Sendable private static func mail(in instance: TestInstance) throws {
    instance.browser().post("/reset", ["email": "sam@example.test"])
    try #require(instance.count("SELECT count(*) FROM mail_queue WHERE sent_at IS NULL") > 0)
  }

  // MARK: Accounts

  private static let accounts = [
    DoctorCorruption(
      "couples have all their members", in: .home,
      "UPDATE users SET couple_id = NULL, couple_side = NULL WHERE couple_side = 2"),
    DoctorCorruption(
      "no user is in two couples", in: .home,
      """
      UPDATE couple_members SET user_id = (SELECT id FROM users WHERE \(ann))
      WHERE user_id = (SELECT id FROM users WHERE display_name = 'Cy')
      """),
    DoctorCorruption(
      "app sign-ins have one refresh token each", in: .home, "UPDATE refresh_tokens SET used_at = 1"
    ),
    DoctorCorruption("every requested export has a job", in: .home) { instance in
      try instance.signedIn("ann").post("/settings/export")
      try instance.database.write { writer in
        let gone = try writer.execute("DELETE FROM jobs WHERE kind = 'accounts.export'")
        try #require(gone == 1)
      }
    },
    DoctorCorruption(
      "the keys decrypt account data", in: .home,
      "UPDATE users SET email_sealed = randomblob(60) WHERE \(ann)"),
  ]

  // MARK: Feed

  private static let feed = [
    DoctorCorruption("counts of likes are correct", in: .home, "UPDATE posts SET like_count = 7"),
    DoctorCorruption(
      "counts of comments are correct", in: .home, "UPDATE posts SET comment_count = 7"),
    DoctorCorruption(
      "counts of pictures are correct", in: .home, "UPDATE posts SET image_count = 3"),
    DoctorCorruption(
      "the search index is intact", in: .home,
      "UPDATE post_words_content SET c0 = 'an other'"),
    DoctorCorruption(
      "the search index matches every post", in: .home, "UPDATE posts SET content = 'Others'"),
    DoctorCorruption(
      "the search index matches every couple", in: .home, "DELETE FROM search_couples"),
  ]

  // MARK: The other modules

  private static let modules = [
    DoctorCorruption(
      "every user who checks in is scheduled", in: .silence,
      "UPDATE alerts SET ended_at = 1", "UPDATE checkin_settings SET next_at = NULL"),
    DoctorCorruption(
      "last check-ins are correct", in: .silence,
      "UPDATE checkin_settings SET last_day = last_day - 1"),
    DoctorCorruption(
      "every queued alert has a mail", in: .silence,
      "UPDATE contact_mails SET state = 'waiting' WHERE kind = 'alert'",
      "DELETE FROM mail_queue WHERE id IN (SELECT mail_id FROM contact_mails)"),
    DoctorCorruption(
      "every channel of a contact is offered", in: .silence,
      """
      INSERT INTO contact_channels (id, contact_id, user_id, offer, recipient_sealed)
      SELECT randomblob(16), id, user_id, 'fax', randomblob(60) FROM emergency_contacts
      """),
    DoctorCorruption(
      "records of check-ins are whole", in: .silence, .dropTrigger("checkin_record_stays"),
      "DELETE FROM checkin_record WHERE number = 1"),
    DoctorCorruption(
      "the keys decrypt check-in data", in: .silence,
      "UPDATE emergency_contacts SET email_sealed = randomblob(60)"),
    DoctorCorruption(
      "photo stories match the database", in: .photos,
      "UPDATE photos SET story = 'Wrong'"),
    DoctorCorruption("photos have all picture files", in: .photos) { instance in
      try FileManager.default.removeItem(atPath: file("/thumb_", of: instance))
    },
    DoctorCorruption(
      "workout statistics are correct", in: .workouts, "UPDATE user_stats SET count = 7"),
    DoctorCorruption(
      "workout samples are readable", in: .workouts,
      "UPDATE workout_samples SET samples = \([1, 2] as [UInt8])"),
    DoctorCorruption(
      "no deleted user is in a group", in: .exercise,
      "UPDATE users SET deleted_at = 1 WHERE display_name = 'Fay'"),
    DoctorCorruption(
      "every open group has a leader", in: .exercise, "PRAGMA ignore_check_constraints = ON",
      "UPDATE groups SET leader_id = NULL", "PRAGMA ignore_check_constraints = OFF"),
    DoctorCorruption("every open group has a code", in: .exercise, "DELETE FROM invite_codes"),
    DoctorCorruption(
      "only shared locations are stored", in: .exercise, .dropTrigger("group_members_forget"),
      "UPDATE group_members SET sharing_until = NULL"),
    DoctorCorruption(
      "expired group data is deleted", in: .exercise,
      "UPDATE group_members SET sharing_until = 1 WHERE sharing_until IS NOT NULL"),
    DoctorCorruption(
      "group versions match their logs", in: .exercise, "UPDATE groups SET version = 1"),
    DoctorCorruption(
      "reporter counts are correct", in: .reports, "UPDATE report_cases SET reporters = 7"),
    DoctorCorruption("the queues by reason are correct", in: .reports, "DELETE FROM case_reasons"),
    DoctorCorruption(
      "no open report is in a closed case", in: .reports,
      "UPDATE report_cases SET state = 'dismissed'"),
    DoctorCorruption(
      "the staff log has no gaps", in: .reports,
      """
      INSERT INTO staff_log (number, at, actor_name, action, kind, details, note)
      VALUES (99, 0, 'x', 'role', 'person', '', '')
      """),
    DoctorCorruption(
      "counts of pictures of messages are correct", in: .home,
      "UPDATE messages SET picture_count = 2"),
    DoctorCorruption(
      "every conversation has a member", in: .home, "DELETE FROM conversation_members"),
    DoctorCorruption(
      "moments that are over are removed", in: .home, "UPDATE moments SET purge_at = 1"),
    DoctorCorruption(
      "the keys decrypt messages", in: .home,
      "UPDATE messages SET text_sealed = randomblob(60)"),
    DoctorCorruption("files of messages can be decrypted", in: .home) { instance in
      let path = try file("messages/", of: instance)
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes[bytes.count - 1] ^= 1
      try bytes.write(to: URL(filePath: path))
    },
    DoctorCorruption(
      "every notice has an actor", in: .home, .dropTrigger("notification_actors_last"),
      "DELETE FROM notification_actors"),
    DoctorCorruption(
      "no push message is stuck", in: .home,
      "UPDATE push_outbox SET run_at = \(ever), ends_at = \(ever)"),
  ]
}

/// Corruptions of coins; `WalletDoctorTests` has the messages of each check.
enum WalletCorruptions {
  private static let ann: Query = "(SELECT id FROM users WHERE display_name = 'Ann')"

  /// A line that continues Ann's last one, so that no trigger rejects it.
  private static func line(_ type: String, _ amount: Int, source: Query) -> Query {
    """
    INSERT INTO coin_transactions (id, user_id, number, type, amount, balance_after, created_at,
      source)
    SELECT randomblob(16), user_id,
      1 + (SELECT max(number) FROM coin_transactions c WHERE c.user_id = w.user_id),
      \(type), \(amount), balance + \(amount), 0, \(source)
    FROM user_wallets w WHERE user_id = \(ann)
    """
  }

  static let all = [
    DoctorCorruption(
      "wallet balances match the transactions", in: .shop, .dropTrigger("user_wallets_follow"),
      "UPDATE user_wallets SET balance = 9000 WHERE user_id = \(ann)"),
    DoctorCorruption(
      "every wallet transaction continues the previous one", in: .shop,
      .dropTrigger("coin_transactions_keep"), "DELETE FROM coin_transactions WHERE number = 2"),
    DoctorCorruption(
      "wallet debts match the refunds", in: .shop,
      "UPDATE user_wallets SET owed = 7 WHERE user_id = \(ann)"),
    DoctorCorruption(
      "every purchase has a receipt", in: .shop, .dropTrigger("apple_transactions_stay"),
      "UPDATE apple_transactions SET coins = 40"),
    DoctorCorruption(
      "every receipt and code was credited once", in: .shop, "DROP INDEX coin_transactions_once",
      .dropTrigger("coin_transactions_fit"),
      line("grant", 50, source: "(SELECT code_hash FROM voucher_codes WHERE used_at > 0 LIMIT 1)")),
    DoctorCorruption(
      "every voucher credit has a used code", in: .shop,
      "UPDATE voucher_codes SET used_at = NULL, used_by = NULL"),
    DoctorCorruption(
      "every voucher batch has the right number of codes", in: .shop,
      "UPDATE vouchers SET count = 1"),
  ]
}
