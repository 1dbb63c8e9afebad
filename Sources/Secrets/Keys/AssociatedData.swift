import Core

/// The location of an encrypted value, as associated data: a value copied into another row or
/// column does not decrypt there (docs/developer/data-protection.md#encryption-of-addresses).
public struct AssociatedData: Hashable, Sendable {
  public let table: String
  /// The identifier of the row, 16 bytes; empty for a value that belongs to none.
  public let row: [UInt8]
  public let column: String

  public init<Kind>(table: String, row: ID<Kind>, column: String) {
    self.table = table
    self.row = row.bytes
    self.column = column
  }

  public init(table: String, column: String) {
    self.table = table
    row = []
    self.column = column
  }

  /// Each part has a length prefix, so that no two locations have the same encoding.
  var associatedData: [UInt8] {
    [Array(table.utf8), row, Array(column.utf8)].flatMap { part in
      withUnsafeBytes(of: UInt32(part.count).bigEndian, Array.init) + part
    }
  }
}
