/// An invariant that `pairspot doctor` looks at, and how to mend it (operations.md).
public struct DoctorCheck: Sendable {
  public let name: String
  /// What is wrong, a line each; empty when all is well.
  public let find: @Sendable (Reader) throws -> [String]
  /// Mends what can be mended; nil where only a person can.
  public let repair: (@Sendable (Writer) throws -> Void)?

  public init(
    _ name: String, find: @escaping @Sendable (Reader) throws -> [String],
    repair: (@Sendable (Writer) throws -> Void)? = nil
  ) {
    self.name = name
    self.find = find
    self.repair = repair
  }

  /// Looks at the whole file (PRAGMA integrity_check) and at every foreign key.
  public static let integrity = DoctorCheck("database") { reader in
    let pages = try reader.rows("PRAGMA integrity_check") { $0.text(0) }.filter { $0 != "ok" }
    let keys = try reader.rows("PRAGMA foreign_key_check") {
      "\($0.text(0)): a row points at a missing one in \($0.text(2))"
    }
    return pages + keys
  }
}
