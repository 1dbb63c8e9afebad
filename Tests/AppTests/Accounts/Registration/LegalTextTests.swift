import Accounts
import Foundation
import Moments
import Testing
import Web

@testable import App
@testable import Feed
@testable import Groups
@testable import Mail
@testable import Notices

@Suite("The privacy policy and the terms list all stored data")
struct LegalTextTests {
  /// The headings of the privacy policy, in order.
  private enum Section: Int, CaseIterable {
    case short, responsible, account, couple, posts, messages, checkIns, contacts, album, workouts
    case groups, coins, reports, notices, mail, sessions, logs, others, backups, howLong, rights,
      changes
  }

  /// Section of the privacy policy for each table with personal data. A new table needs a place in
  /// the policy, in three languages, and a new date of the policy.
  private static let tables: [Section: Set<String>] = [
    .account: [
      "users", "registrations", "registration_sides", "verification_tokens", "guest_codes",
      "email_changes", "email_undos", "mailed_codes", "idempotency_keys", "totp_secrets",
      "recovery_codes", "staff_enrolments", "guest_recovery_codes",
      "provider_identities", "passkeys",
    ],
    .couple: ["couple_members", "pair_invitations", "partings"],
    .posts: [
      "posts", "likes", "saved_posts", "comments", "draft_images", "answers", "moments",
      "moment_views",
    ],
    .messages: ["conversation_members", "messages", "message_reactions", "message_settings"],
    .checkIns: [
      "check_ins", "checkin_settings", "checkin_pauses", "checkin_record", "alerts",
      "notification_logs", "checkin_timers", "watchman_changes",
    ],
    .contacts: ["emergency_contacts", "contact_mails", "contact_channels"],
    .album: ["photos", "photo_favourites"],
    .workouts: [
      "workouts", "user_stats", "workout_goals", "workout_viewers", "workout_cheers",
      "deleted_workouts",
    ],
    .groups: [
      "group_members", "group_removals", "group_events", "group_returns", "member_locations",
    ],
    .coins: ["user_wallets", "coin_transactions", "apple_transactions", "voucher_codes"],
    .reports: ["report_cases", "reports", "appeals", "moderation_notices"],
    .notices: [
      "notifications", "notification_actors", "notice_settings", "push_subscriptions",
      "push_memory", "anniversaries_told", "calendar_links",
    ],
    .sessions: [
      "sessions", "refresh_families", "device_bindings", "known_devices", "waiting_sign_ins",
    ],
    .rights: ["deletions", "exports"],
  ]

  /// Heading and text of each section, by language.
  private static func parts(_ name: String) throws -> [String: [(heading: String, words: String)]] {
    var found: [String: [(heading: String, words: String)]] = [:]
    for language in ["en", "zh-Hant", "zh-Hans"] {
      let file = TestInstance.checkout.appending(path: "templates/legal/\(name).\(language).txt")
      let text = try String(contentsOf: file, encoding: .utf8)
      found[language] = text.split(separator: "\n\n").dropFirst().reduce(into: []) { parts, block in
        if block.hasPrefix("# ") {
          parts.append((String(block.dropFirst(2)), ""))
        } else if let last = parts.indices.last {
          parts[last].words += block
        }
      }
    }
    return found
  }

  @Test("Every table that holds something of a person has its part")
  func everyTable() throws {
    let instance = try TestInstance()
    let held = instance.instance.participants.reduce(into: Set<String>()) {
      $0.formUnion($1.tables.map(\.name))
    }
    let told = Self.tables.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    #expect(held.subtracting(told).sorted() == [], "not in the privacy policy")
  }

  @Test(
    "The parts are the same in every language, with the same numbers",
    arguments: [
      "privacy", "terms",
    ])
  func sameParts(name: String) throws {
    let parts = try Self.parts(name)
    let english = try #require(parts["en"])
    if name == "privacy" { #expect(english.count == Section.allCases.count) }
    for (language, others) in parts {
      #expect(others.count == english.count, "\(language)")
      for (part, other) in zip(english, others) {
        #expect(!other.words.isEmpty && other.words.count > 10, "\(other.heading)")
        func numbers(_ text: String) -> [String] {
          text.matches(of: /[0-9]+/).map { String($0.output) }.sorted()
        }
        #expect(numbers(part.words) == numbers(other.words), "\(language): \(other.heading)")
      }
    }
  }

  @Test("The documented retention times are those of the product")
  func times() throws {
    let english = try #require(Self.parts("privacy")["en"])
    func says(_ section: Section, _ words: String) -> Bool {
      english[section.rawValue].words.contains(words)
    }
    func days(_ seconds: Int64) -> String { "\(seconds / 86_400) days" }
    func hours(_ seconds: Int64) -> String { "\(seconds / 3_600) hours" }
    #expect(says(.posts, hours(DraftStore.lifetime)))
    #expect(says(.posts, days(DeletionPeriod.length)))
    #expect(says(.posts, "Moments disappear after \(hours(MomentRules.lifetime))"))
    #expect(says(.messages, days(DeletionPeriod.length)))
    #expect(says(.album, days(DeletionPeriod.length)))
    #expect(says(.contacts, days(DeletionPeriod.length)))
    #expect(says(.workouts, days(DeletionPeriod.length)))
    #expect(says(.groups, hours(GroupRules.sharingDuration)))
    #expect(says(.groups, days(GroupRules.logRetention)))
    #expect(says(.groups, "after \(GroupRules.closedGroupRetention / 86_400)"))
    #expect(says(.notices, days(NoticeRules.life)))
    #expect(says(.notices, days(NewNotice.maximumPushLifetime)))
    #expect(says(.mail, days(MailQueue.keptFor)))
  }

  @Test(
    "Data that other users can see or hear are named",
    arguments: [
      (Section.others, ["email service", "push service", "tile server", "Apple"]),
      (.contacts, ["names and email addresses", "hash", "same rights"]),
      (.workouts, ["heart rate", "health", "Only you can see it"]),
      (.album, ["Location", "serial numbers", "partner"]),
      (.rights, ["correct", "delete", "complain", "export it"]),
    ])
  private func named(section: Section, words: [String]) throws {
    let english = try #require(Self.parts("privacy")["en"])
    for word in words { #expect(english[section.rawValue].words.contains(word), "\(word)") }
  }
}
