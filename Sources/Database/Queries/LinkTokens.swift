import Core
import Secrets

/// The tokens of mailed links, which work for a while and once. Each row of their table has the
/// hash of a token (`token_hash`), its end (`expires_at`), its owner and what belongs to the link.
public struct LinkTokens<Owner>: Sendable {
  /// How long a link works, in s.
  public let lifetime: Int64
  private let table: String
  private let owner: String
  private let isOnePerOwner: Bool
  private let kind: String?

  /// - Parameters:
  ///   - owner: The column with the identifier of the owner.
  ///   - isOnePerOwner: Whether this column is unique: a new link replaces the owner's earlier one.
  ///   - kind: The value of the column `purpose`, if several kinds of links share the table. The
  ///     rows of used links are then kept and have `used_at`; otherwise they are deleted.
  public init(
    table: String, owner: String = "user_id", isOnePerOwner: Bool = false, kind: String? = nil,
    lifetime: Int64
  ) {
    self.table = table
    self.owner = owner
    self.isOnePerOwner = isOnePerOwner
    self.kind = kind
    self.lifetime = lifetime
  }

  /// Stores a new link with the values of further columns; returns its token.
  public func issue(
    for id: ID<Owner>, _ values: KeyValuePairs<String, any Bindable> = [:], now: Instant,
    in writer: WriteTransaction
  ) throws -> Token {
    let token = Token.random()
    var row: [(name: String, value: Value)] = [
      ("token_hash", token.sha256.value), (owner, id.value),
      ("expires_at", now.adding(seconds: lifetime).value),
    ]
    if let kind { row += [("purpose", kind.value), ("created_at", now.value)] }
    row += values.map { ($0.key, $0.value.value) }
    if isOnePerOwner {
      try writer.execute("DELETE FROM \(name: table) WHERE \(name: owner) = \(id)")
    }
    try writer.execute(
      """
      INSERT INTO \(name: table) (\(names: row.map(\.name)))
      VALUES (\(values: row.map(\.value)))
      """)
    return token
  }

  /// The row of a valid link; nil if it is used, expired or unknown. `columns` and `join` call the
  /// table `t`.
  public func find<Row>(
    _ token: Token, _ columns: Query, _ join: Query = "", now: Instant, in reader: ReadTransaction,
    make: (inout RowReader) throws -> Row
  ) throws -> Row? {
    try reader.first(
      "SELECT \(columns) FROM \(name: table) t \(join) WHERE \(isValid(token, now))", make: make)
  }

  /// Uses a link up and returns its row; nil if it is used, expired or unknown, or does not meet
  /// the condition.
  public func use<Row>(
    _ token: Token, _ columns: Query, where condition: Query = "TRUE", now: Instant,
    in writer: WriteTransaction, make: (inout RowReader) throws -> Row
  ) throws -> Row? {
    try writer.first(
      """
      \(end(now)) WHERE \(isValid(token, now)) AND \(condition) RETURNING \(columns)
      """, make: make)
  }

  /// Ends all links of an owner that meet the condition.
  public func revokeAll(
    of id: ID<Owner>, where condition: Query = "TRUE", now: Instant, in writer: WriteTransaction
  ) throws {
    try writer.execute("\(end(now)) WHERE \(name: owner) = \(id) AND \(isUnused) AND \(condition)")
  }

  /// Deletes the rows of links, of any kind, that expired before or at a moment.
  public func purge(now: Instant, in writer: WriteTransaction) throws {
    try writer.execute("DELETE FROM \(name: table) WHERE expires_at <= \(now)")
  }

  private func isValid(_ token: Token, _ now: Instant) -> Query {
    "token_hash = \(token.sha256) AND expires_at > \(now) AND \(isUnused)"
  }

  private var isUnused: Query {
    if let kind { "purpose = \(kind) AND used_at IS NULL" } else { "TRUE" }
  }

  private func end(_ now: Instant) -> Query {
    kind == nil
      ? "DELETE FROM \(name: table)" : "UPDATE \(name: table) SET used_at = \(now)"
  }
}
