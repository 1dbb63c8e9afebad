/// An invariant that `pairspot doctor` looks at, and how to mend it
/// (docs/operator/administration.md#doctor).
public struct DoctorCheck: Sendable {
  public let name: String
  /// What is wrong, a line each; empty when all is well.
  public let find: @Sendable (Database) throws -> [String]
  /// Mends what can be mended; nil where only a person can.
  public let repair: (@Sendable (Database) throws -> Void)?

  /// One that asks questions in one view, and is mended by one transaction: for a few rows.
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

  /// One that asks questions in one view, and is mended in steps (`Database.writeInBatches`): where
  /// many rows may be wrong, nobody who writes may have to wait for all of them.
  public init(
    _ name: String, find: @escaping @Sendable (ReadTransaction) throws -> [String],
    repairInSteps: @escaping @Sendable (Database) throws -> Void
  ) {
    self.name = name
    self.find = { database in try database.read { try find($0) } }
    repair = repairInSteps
  }

  /// One that does not get by with questions in one view.
  public init(
    _ name: String, findIn find: @escaping @Sendable (Database) throws -> [String],
    repairInSteps: (@Sendable (Database) throws -> Void)?
  ) {
    self.name = name
    self.find = find
    repair = repairInSteps
  }

  /// Looks at the whole file (PRAGMA integrity_check) and at every foreign key. SQLite only.
  public static let integrity = DoctorCheck("database") { reader in
    let pages = try reader.rows("PRAGMA integrity_check") { $0.text(0) }.filter { $0 != "ok" }
    let keys = try reader.rows("PRAGMA foreign_key_check") {
      "\($0.text(0)): a row points at a missing one in \($0.text(2))"
    }
    return pages + keys
  }
}
