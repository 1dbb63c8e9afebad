import Accounts
import Core
import Database
import Foundation

/// This module's part of an account: a user's notices and settings.
struct NoticesParticipant: AccountParticipant {
  let tables: Set<String> = [
    "notifications", "notification_actors", "notice_settings", "push_subscriptions",
    "push_memory", "anniversaries_told", "calendar_links",
  ]

  /// Other users' texts and actions are not exported: an export has kinds and times only.
  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let notices = try reader.rows(
      """
      SELECT kind, event, created_at, read_at FROM notifications WHERE user_id = \(person)
      ORDER BY id
      """
    ) {
      ExportedNotices.Notice(
        kind: try $0.next(), event: try $0.next(), createdAt: try $0.next(Instant.self).rfc3339,
        readAt: try $0.next(Instant?.self)?.rfc3339)
    }
    let preferences = try NoticePreferenceStore.all(of: person, in: reader).map {
      ExportedNotices.ExportedPreference(
        kind: $0.key.rawValue, onPage: $0.value.onPage, byPush: $0.value.byPush)
    }.sorted { $0.kind < $1.kind }
    let devices = try reader.rows(
      "SELECT host, created_at FROM push_subscriptions WHERE user_id = \(person) ORDER BY id"
    ) { ExportedNotices.Device(service: try $0.next(), since: try $0.next(Instant.self).rfc3339) }
    guard !notices.isEmpty || !preferences.isEmpty || !devices.isEmpty else { return [] }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let exported = ExportedNotices(notices: notices, settings: preferences, devices: devices)
    return [ExportedFile(name: "notices.json", json: Array(try encoder.encode(exported)))]
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  { [] }

  func purge(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws -> [String] {
    try writer.execute("DELETE FROM notification_actors WHERE user_id = \(person)")
    try writer.execute("DELETE FROM notifications WHERE user_id = \(person)")
    try writer.execute("DELETE FROM notice_settings WHERE user_id = \(person)")
    try writer.execute("DELETE FROM push_subscriptions WHERE user_id = \(person)")
    try PushDeduplication.forget(person, in: writer)
    try writer.execute("DELETE FROM anniversaries_told WHERE user_id = \(person)")
    try writer.execute("DELETE FROM calendar_links WHERE user_id = \(person)")
    return []
  }

  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute("UPDATE notifications SET user_id = \(member) WHERE user_id = \(guest)")
    // The subject of check-in notices is their recipient.
    try writer.execute(
      """
      UPDATE notifications SET subject = \(member) WHERE subject = \(guest) AND kind = 'check_in'
      """)
    // If both are actors of a notice, the member's row is kept.
    try writer.execute(
      """
      UPDATE notification_actors SET user_id = \(member) WHERE user_id = \(guest) AND NOT EXISTS (
        SELECT 1 FROM notification_actors o
        WHERE o.notification_id = notification_actors.notification_id AND o.user_id = \(member))
      """)
    try writer.execute("DELETE FROM notification_actors WHERE user_id = \(guest)")
    // Users are not notified of their own actions.
    try writer.execute(
      """
      DELETE FROM notification_actors WHERE user_id = \(member) AND notification_id IN (
        SELECT id FROM notifications WHERE user_id = \(member))
      """)
    // The member's settings are kept; the guest's are deleted.
    try writer.execute("DELETE FROM notice_settings WHERE user_id = \(guest)")
    // The browser has a new session now, which has no subscription yet.
    try writer.execute("DELETE FROM push_subscriptions WHERE user_id = \(guest)")
    try PushDeduplication.forget(guest, in: writer)
    // A guest is in no couple, so there are no rows in the last two tables.
  }

  /// A deleted user is no longer an actor of others' notices.
  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM notification_actors WHERE user_id = \(person)")
    try writer.execute("DELETE FROM push_subscriptions WHERE user_id = \(person)")
  }

  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // The user's own notices were kept; those of others about the user are outdated.
  }

  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Days are those of the viewer's current time zone.
  }

  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Notices are shared by all browsers; the subscription is deleted with its session.
  }
}

private struct ExportedNotices: Encodable {
  struct Notice: Encodable {
    let kind: String
    let event: String
    let createdAt: String
    let readAt: String?
  }

  struct ExportedPreference: Encodable {
    let kind: String
    let onPage: Bool
    let byPush: Bool
  }

  /// A browser or app with a push subscription.
  struct Device: Encodable {
    let service: String
    let since: String
  }

  let notices: [Notice]
  let settings: [ExportedPreference]
  let devices: [Device]
}
