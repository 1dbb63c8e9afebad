/// An invariant that `pairspot doctor` checks, and its repair
/// (docs/operator/administration.md#doctor).
public struct DoctorCheck: Sendable {
  public let name: String
  /// Finds violations, one line each; empty if there are none.
  public let find: @Sendable (Database) throws -> [String]
  /// Repairs violations; nil if only an operator can.
  public let repair: (@Sendable (Database) throws -> Void)?

  /// A check in one read transaction with a repair in one write transaction: for few rows.
  public init(
    _ name: String, find: @escaping @Sendable (ReadTransaction) throws -> [String],
    repair: (@Sendable (WriteTransaction) throws -> Void)? = nil
  ) {
    self.name = name
    self.find = { database in try database.read { try find($0) } }
    if let repair {
      self.repair = { database in try database.write { try repair($0) } }
    } else {
      self.repair = nil
    }
  }

  /// A check in one read transaction with a repair in batches (`Database.writeInBatches`): for many
  /// rows, so that other writers do not wait for the whole repair.
  public init(
    _ name: String, find: @escaping @Sendable (ReadTransaction) throws -> [String],
    repairInSteps: @escaping @Sendable (Database) throws -> Void
  ) {
    self.name = name
    self.find = { database in try database.read { try find($0) } }
    repair = repairInSteps
  }

  /// A check that needs more than one read transaction.
  public init(
    _ name: String, findIn find: @escaping @Sendable (Database) throws -> [String],
    repairInSteps: (@Sendable (Database) throws -> Void)?
  ) {
    self.name = name
    self.find = find
    repair = repairInSteps
  }

  /// Checks the whole file (PRAGMA integrity_check) and every foreign key. SQLite only: a server
  /// checks both by itself.
  public static let integrity = DoctorCheck("database") { reader in
    let pages = try reader.values("PRAGMA integrity_check").filter { $0 != "ok" }
    let keys = try reader.rows("SELECT \"table\", parent FROM pragma_foreign_key_check") { row in
      "\(try row.next(String.self)): a row refers to a missing row in \(try row.next(String.self))"
    }
    return pages + keys
  }
}
