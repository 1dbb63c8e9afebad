import Core
import Secrets

/// A column of encrypted values. Each value is bound to its table, row and column and does not
/// decrypt elsewhere (docs/developer/data-protection.md).
public struct EncryptedColumn<Owner>: Sendable {
  private let table: String
  private let owner: String
  private let column: String
  private let hashColumn: String?
  private let name: String
  private let condition: Query

  /// - Parameters:
  ///   - owner: The column with the identifier that the values are bound to.
  ///   - hashColumn: The column with the blind index of the values, if there is one.
  ///   - name: The name that the values are bound to. Values with another name do not decrypt.
  ///   - condition: The rows whose values have this name.
  public init(
    table: String, owner: String, column: String, hashColumn: String? = nil, name: String,
    condition: Query = "TRUE"
  ) {
    self.table = table
    self.owner = owner
    self.column = column
    self.hashColumn = hashColumn
    self.name = name
    self.condition = condition
  }

  public func context(_ id: ID<Owner>) -> AssociatedData {
    AssociatedData(table: table, row: id, column: name)
  }

  public func seal(_ text: String, of id: ID<Owner>, with keys: KeyRing) throws -> [UInt8] {
    try keys.seal(Array(text.utf8), for: context(id))
  }

  /// Decrypts a text. Throws `SealError`.
  public func open(
    _ sealed: [UInt8], of id: ID<Owner>, with keys: KeyRing
  ) throws(SealError) -> String {
    String(decoding: try keys.open(sealed, for: context(id)), as: UTF8.self)
  }

  /// Encrypts every value with the current key of another ring; returns the number of values.
  public func reencrypt(
    from old: KeyRing, to new: KeyRing, in writer: WriteTransaction
  ) throws -> Int {
    let found = try rows(limit: .max, in: writer) {
      (id: try $0.next(ID<Owner>.self), sealed: try $0.next([UInt8].self))
    }
    for (id, sealed) in found {
      let plain = try old.open(sealed, for: context(id))
      let hash: Query =
        if let hashColumn {
          ", \(name: hashColumn) = \(new.lookupHash(String(decoding: plain, as: UTF8.self)))"
        } else {
          ""
        }
      // An owner may have several rows, but no two values are alike: each has a nonce of its own.
      try writer.execute(
        """
        UPDATE \(name: table)
        SET \(name: column) = \(try new.seal(plain, for: context(id)))\(hash)
        WHERE \(name: owner) = \(id) AND \(name: column) = \(sealed)
        """)
    }
    return found.count
  }

  /// The values of the newest owners, at most `EncryptedSample.maximumCount`.
  public func samples(in reader: ReadTransaction) throws -> [EncryptedSample] {
    try rows(limit: EncryptedSample.maximumCount, in: reader) {
      let id = try $0.next(ID<Owner>.self)
      return EncryptedSample(try $0.next(), context(id))
    }
  }

  private func rows<Row>(
    limit: Int, in reader: ReadTransaction, make: (inout RowReader) throws -> Row
  ) throws -> [Row] {
    try reader.rows(
      """
      SELECT \(name: owner), \(name: column) FROM \(name: table)
      WHERE \(name: column) IS NOT NULL AND \(condition) ORDER BY \(name: owner) DESC LIMIT \(limit)
      """, make: make)
  }
}
