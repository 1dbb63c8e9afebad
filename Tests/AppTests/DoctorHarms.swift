import Foundation
import Testing

@testable import Album
@testable import App
@testable import Database

/// A harm for every check of the application; `DoctorHarmTests` sees to it that none is missing.
enum DoctorHarms {
  static let all = house + accounts + feed + rooms + WalletHarms.all

  private static let ever = "9000000000000000"
  private static let ann = "display_name = 'Ann'"

  @Sendable private static func inTwoDays() -> Date { Date().addingTimeInterval(2 * 86_400) }

  /// A file of the media folder whose name has these words in it.
  @Sendable private static func file(_ words: String, of house: TestHouse) throws -> String {
    let path = try #require(try house.mediaFiles().sorted().first { $0.contains(words) })
    return "\(house.house.configuration.mediaFolder)/\(path)"
  }

  // MARK: The application

  private static let house = [
    // What SQLite finds in a file that was damaged is in DatabaseTests.
    DoctorHarm("database", in: .home) { house in
      // Another program keeps no foreign keys unless it is asked to.
      try house.database.writer.writeWithoutTransaction { connection in
        try connection.execute(
          sql: """
            PRAGMA foreign_keys = OFF;
            INSERT INTO user_wallets (user_id) VALUES (randomblob(16));
            PRAGMA foreign_keys = ON;
            """)
      }
    },
    DoctorHarm(
      "there is room on the disk", in: .home,
      others: {
        var disks = DiskWatch($0.house.configuration)
        disks.room = { _ in DiskWatch.Room(bytes: 1000, files: nil) }
        return DataDoctor($0.house.configuration, disks: disks).checks
      }, { _ in }),
    DoctorHarm("every file that a row speaks of is there", in: .home) { house in
      try FileManager.default.removeItem(atPath: file("/medium_", of: house))
    },
    DoctorHarm("no restore was left half way", in: .home) { house in
      try FileManager.default.createDirectory(
        atPath: "\(house.folder.path)/20260302T000000Z.restored/secrets",
        withIntermediateDirectories: true)
    },
    DoctorHarm(
      "a row speaks of every file", in: .home,
      others: {
        var old = DataDoctor($0.house.configuration)
        old.today = inTwoDays
        return old.checks
      },
      { house in
        let beside = try file("/medium_", of: house)
        try Data([1]).write(
          to: URL(filePath: "\((beside as NSString).deletingLastPathComponent)/x"))
      }),
    DoctorHarm(
      "every job of the timetable comes round", in: .home,
      "DELETE FROM jobs WHERE unique_key = 'timetable:mail.purge'"),
    DoctorHarm(
      "no job waits for longer than its kind ever does", in: .home,
      "UPDATE jobs SET run_at = \(ever) WHERE unique_key = 'timetable:mail.purge'"),
    DoctorHarm("every mail that waits has a job that takes it", in: .home) { house in
      try mail(in: house)
      try house.database.write { _ = try $0.execute("DELETE FROM jobs WHERE kind = 'mail'") }
    },
    DoctorHarm("keys open mail that waits", in: .home) { house in
      try mail(in: house)
      try house.database.write {
        _ = try $0.execute("UPDATE mail_queue SET content_sealed = randomblob(80)")
      }
    },
    DoctorHarm(
      "no live event waits that nobody will take", in: .home,
      """
      INSERT INTO live_news (channel, mark, version, cuts, due)
      VALUES ('no/channel', x'ff', 1, 0, 0)
      """),
  ]

  /// Has a mail wait.
  @Sendable private static func mail(in house: TestHouse) throws {
    house.browser().post("/reset", ["email": "sam@example.test"])
    try #require(house.count("SELECT count(*) FROM mail_queue WHERE sent_at IS NULL") > 0)
  }

  // MARK: Accounts

  private static let accounts = [
    DoctorHarm(
      "couples have their members", in: .home,
      "UPDATE users SET couple_id = NULL, couple_side = NULL WHERE couple_side = 2"),
    DoctorHarm(
      "nobody is in two couples", in: .home,
      """
      UPDATE couple_members SET user_id = (SELECT id FROM users WHERE \(ann))
      WHERE user_id = (SELECT id FROM users WHERE display_name = 'Cy')
      """),
    DoctorHarm(
      "apps have one refresh token each", in: .home, "UPDATE refresh_tokens SET used_at = 1"),
    DoctorHarm("every export that somebody waits for is being made", in: .home) { house in
      try house.signedIn("ann").post("/settings/export")
      try house.database.write { writer in
        let gone = try writer.execute("DELETE FROM jobs WHERE kind = 'accounts.export'")
        try #require(gone == 1)
      }
    },
    DoctorHarm(
      "keys open what accounts keep sealed", in: .home,
      "UPDATE users SET email_sealed = randomblob(60) WHERE \(ann)"),
  ]

  // MARK: Feed

  private static let feed = [
    DoctorHarm("likes are counted right", in: .home, "UPDATE posts SET like_count = 7"),
    DoctorHarm("pictures are counted right", in: .home, "UPDATE posts SET image_count = 3"),
    DoctorHarm(
      "the index of the search is whole", in: .home,
      "UPDATE post_words_content SET c0 = 'an other'"),
    DoctorHarm(
      "every post is found by its words", in: .home, "UPDATE posts SET content = 'Others'"),
    DoctorHarm(
      "every couple is found by its words", in: .home, "DELETE FROM search_couples"),
  ]

  // MARK: The other modules

  private static let rooms = [
    DoctorHarm(
      "nobody who checks in is forgotten", in: .silence,
      "UPDATE alerts SET ended_at = 1", "UPDATE checkin_settings SET next_at = NULL"),
    DoctorHarm(
      "the last check-in is known", in: .silence,
      "UPDATE checkin_settings SET last_day = last_day - 1"),
    DoctorHarm(
      "every alert that waits has its mail", in: .silence,
      "UPDATE contact_mails SET state = 'waiting' WHERE kind = 'alert'",
      "DELETE FROM mail_queue WHERE id IN (SELECT mail_id FROM contact_mails)"),
    DoctorHarm(
      "keys open what check-ins keep sealed", in: .silence,
      "UPDATE emergency_contacts SET email_sealed = randomblob(60)"),
    DoctorHarm(
      "photos hold the stories that their rows say", in: .photos,
      "UPDATE photos SET story = 'Wrong'"),
    DoctorHarm("photos have the pictures that pages show", in: .photos) { house in
      try FileManager.default.removeItem(atPath: file("/thumb_", of: house))
    },
    DoctorHarm(
      "workout statistics are counted right", in: .workouts, "UPDATE user_stats SET count = 7"),
    DoctorHarm(
      "samples of workouts can be read", in: .workouts,
      "UPDATE workout_samples SET samples = x'0102'"),
    DoctorHarm(
      "nobody is in a group who isn't there", in: .walk,
      "UPDATE users SET deleted_at = 1 WHERE display_name = 'Fay'"),
    DoctorHarm(
      "every open group has its leader", in: .walk, "PRAGMA ignore_check_constraints = ON",
      "UPDATE groups SET leader_id = NULL", "PRAGMA ignore_check_constraints = OFF"),
    DoctorHarm("every open group has a code", in: .walk, "DELETE FROM invite_codes"),
    DoctorHarm(
      "no place is kept that isn't shared", in: .walk, "DROP TRIGGER group_members_forget",
      "UPDATE group_members SET sharing_until = NULL"),
    DoctorHarm(
      "nothing of groups is kept for longer than it may be", in: .walk,
      "UPDATE group_members SET sharing_until = 1 WHERE sharing_until IS NOT NULL"),
    DoctorHarm("no group is behind its log", in: .walk, "UPDATE groups SET version = 1"),
    DoctorHarm(
      "reporters are counted right", in: .reports, "UPDATE report_cases SET reporters = 7"),
    DoctorHarm("the queue by reason is the queue", in: .reports, "DELETE FROM case_reasons"),
    DoctorHarm(
      "no report waits where all is decided", in: .reports,
      "UPDATE report_cases SET state = 'dismissed'"),
    DoctorHarm(
      "no line of the staff's log is missing", in: .reports,
      """
      INSERT INTO staff_log (number, at, actor_name, action, kind, details, note)
      VALUES (99, 0, 'x', 'role', 'person', '', '')
      """),
    DoctorHarm(
      "notices say who did it", in: .home, "DROP TRIGGER notification_actors_last",
      "DELETE FROM notification_actors"),
    DoctorHarm(
      "no push waits that can never leave", in: .home,
      "UPDATE push_outbox SET run_at = \(ever), ends_at = \(ever)"),
  ]
}

/// Those of coins; what each of them says is in `WalletDoctorTests`.
enum WalletHarms {
  private static let ann = "(SELECT id FROM users WHERE display_name = 'Ann')"

  /// A line that follows Ann's last one, so that no trigger minds.
  private static func line(_ type: String, _ amount: Int, source: String) -> String {
    """
    INSERT INTO coin_transactions (id, user_id, number, type, amount, balance_after, created_at,
      source)
    SELECT randomblob(16), user_id,
      1 + (SELECT max(number) FROM coin_transactions c WHERE c.user_id = w.user_id),
      '\(type)', \(amount), balance + \(amount), 0, \(source)
    FROM user_wallets w WHERE user_id = \(ann)
    """
  }

  static let all = [
    DoctorHarm(
      "every wallet holds the sum of its lines", in: .shop, "DROP TRIGGER user_wallets_follow",
      "UPDATE user_wallets SET balance = 9000 WHERE user_id = \(ann)"),
    DoctorHarm(
      "every line of a wallet follows the one before it", in: .shop,
      "DROP TRIGGER coin_transactions_keep", "DELETE FROM coin_transactions WHERE number = 2"),
    DoctorHarm(
      "every wallet owes what refunds didn't find in it", in: .shop,
      "UPDATE user_wallets SET owed = 7 WHERE user_id = \(ann)"),
    DoctorHarm(
      "every purchase has its receipt", in: .shop, "DROP TRIGGER apple_transactions_stay",
      "UPDATE apple_transactions SET coins = 40"),
    DoctorHarm(
      "every receipt and every code paid once", in: .shop, "DROP INDEX coin_transactions_once",
      "DROP TRIGGER coin_transactions_fit",
      line("grant", 50, source: "(SELECT code_hash FROM voucher_codes WHERE used_at > 0 LIMIT 1)")),
    DoctorHarm(
      "every voucher's coins came by a code that was used", in: .shop,
      "UPDATE voucher_codes SET used_at = NULL, used_by = NULL"),
    DoctorHarm(
      "every batch of vouchers has its codes, and no more", in: .shop,
      "UPDATE vouchers SET count = 1"),
  ]
}
