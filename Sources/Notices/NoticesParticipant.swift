import Accounts
import Core
import Database
import Foundation

/// This module's part of an account: a user's notices and settings.
struct NoticesParticipant: AccountParticipant {
  let tables = [
    PersonalTable("notification_actors"),
    PersonalTable("notifications", merge: .move),
    // The member's settings are kept; the guest's are deleted.
    PersonalTable("notice_settings", merge: .delete),
    // The browser of a guest who became a member has a new session, without a subscription.
    PersonalTable("push_subscriptions", merge: .delete),
    PersonalTable("push_memory", merge: .delete),
    PersonalTable("push_memory", owner: "actor_id", merge: .delete),
    // A guest is in no couple, so there are no rows in the last two tables.
    PersonalTable("anniversaries_told"), PersonalTable("calendar_links"),
  ]

  /// Other users' texts and actions are not exported: an export has kinds and times only.
  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let notices = try reader.rows(
      """
      SELECT kind, event, created_at, read_at FROM notifications WHERE user_id = \(person)
      ORDER BY \(NoticeStore.id)
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
    let exported = ExportedNotices(notices: notices, settings: preferences, devices: devices)
    return [try ExportedFile(name: "notices.json", encoding: exported)]
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  { [] }

  func merge(
    guest: ID<Person>, into member: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws {
    try tables.merge(guest: guest, into: member, in: writer)
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
