import Core
import Database
import Secrets

/// An account as the operator sees it.
public struct OperatorAccount: Sendable {
  public let id: ID<Person>
  /// Nil for guests.
  public let address: String?
  public let name: String
  public let role: Role
  public let couple: String?
  public let hasSecondFactor: Bool
  /// The number of browsers and apps in which the user is signed in.
  public let sessions: Int
  public let createdAt: Instant
  public let deletedAt: Instant?
  public let suspension: Suspension?

  /// Until when a deleted account can be restored.
  public var restorableUntil: Instant? { deletedAt.map(AccountDeletionService.restoreUntil) }

  /// How the audit log names the user.
  public var target: AuditTarget { AuditTarget(kind: "person", bytes: id.bytes) }
}

/// Finds accounts for the operator, deleted ones that are not purged too.
struct OperatorStore {
  let people: PersonStore
  let deletions: DeletionStore
  let sessions: SessionListStore

  /// The accounts with this address: the current one, then deleted ones, the latest first.
  func accounts(address: String, now: Instant) throws -> [OperatorAccount] {
    let hash = people.hash(address)
    let current = try people.credentials(emailHash: hash).map { [$0] } ?? []
    let all = try current + deletions.credentials(emailHash: hash, now: now)
    return try people.database.read { reader in
      try all.compactMap { try account($0.id, now: now, in: reader) }
    }
  }

  func account(
    _ person: ID<Person>, now: Instant, in reader: ReadTransaction
  ) throws -> OperatorAccount? {
    let address = try people.address(of: person, in: reader)
    let count = try sessions.count(of: person, now: now, in: reader)
    return try reader.first(
      """
      SELECT u.display_name, u.role, c.name, \(SecondFactorStore.isSet),
        u.created_at, u.deleted_at, u.suspended_until, u.suspended_why
      FROM users u LEFT JOIN couples c ON c.id = u.couple_id WHERE u.id = \(person)
      """
    ) { row in
      OperatorAccount(
        id: person, address: address, name: try row.next(),
        role: Role(rawValue: try row.next()) ?? .guest, couple: try row.next(),
        hasSecondFactor: try row.next(), sessions: count, createdAt: try row.next(),
        deletedAt: try row.next(),
        suspension: ModerationStatuses.suspension(
          until: try row.next(), why: try row.next(), now: now))
    }
  }
}
