import Core
import Database

/// A table with rows of users, and what happens to these when a user is purged or a guest becomes a
/// member. A table with several columns of users is declared once for each.
public struct PersonalTable: Sendable {
  public enum Purge: Sendable {
    case delete
    /// The column becomes NULL.
    case clear
    /// The participant's own code does it, or nothing is to be done.
    case custom
  }

  public enum Merge: Sendable {
    /// The member gets the guest's rows.
    case move
    case delete
    /// The participant's own code does it, or nothing is to be done: a guest has no such rows, or
    /// they are purged with the guest.
    case custom
  }

  public let name: String
  private let owner: String
  private let purge: Purge
  private let merge: Merge

  /// `owner` is the column with the user's identifier.
  public init(
    _ name: String, owner: String = "user_id", purge: Purge = .delete, merge: Merge = .custom
  ) {
    self.name = name
    self.owner = owner
    self.purge = purge
    self.merge = merge
  }

  fileprivate func purge(_ person: ID<Person>, in writer: WriteTransaction) throws {
    switch purge {
    case .delete: try delete(person, in: writer)
    case .clear: try set("NULL", for: person, in: writer)
    case .custom: break
    }
  }

  fileprivate func merge(
    guest: ID<Person>, into member: ID<Person>, in writer: WriteTransaction
  ) throws {
    switch merge {
    case .move: try set("\(member)", for: guest, in: writer)
    case .delete: try delete(guest, in: writer)
    case .custom: break
    }
  }

  private func delete(_ person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM \(name: name) WHERE \(name: owner) = \(person)")
  }

  private func set(_ value: Query, for person: ID<Person>, in writer: WriteTransaction) throws {
    try writer.execute(
      "UPDATE \(name: name) SET \(name: owner) = \(value) WHERE \(name: owner) = \(person)")
  }
}

extension [PersonalTable] {
  /// Purges a user's rows, table by table: a table comes before those that it references.
  public func purge(_ person: ID<Person>, in writer: WriteTransaction) throws {
    for table in self { try table.purge(person, in: writer) }
  }

  /// Merges a guest's rows into those of a member, table by table.
  public func merge(
    guest: ID<Person>, into member: ID<Person>, in writer: WriteTransaction
  ) throws {
    for table in self { try table.merge(guest: guest, into: member, in: writer) }
  }
}
