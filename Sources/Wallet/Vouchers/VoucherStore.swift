import Core
import Database

/// Vouchers and their codes; only hashes of codes are stored.
struct VoucherStore: Sendable {
  /// Stores a batch.
  func make(_ voucher: Voucher, hashes: [[UInt8]], in writer: WriteTransaction) throws {
    try writer.execute(
      """
      INSERT INTO vouchers (id, coins, count, expires_at, created_at)
      VALUES (\(voucher.id), \(voucher.coins), \(voucher.count), \(voucher.expiresAt),
        \(voucher.createdAt))
      """)
    for hash in hashes {
      try writer.execute(
        "INSERT INTO voucher_codes (code_hash, voucher_id) VALUES (\(hash), \(voucher.id))")
    }
  }

  /// The latest batches before this one.
  func batches(before: ID<Voucher>?, limit: Int, in reader: ReadTransaction) throws -> [Voucher] {
    try reader.rows(
      """
      SELECT \(Self.columns) FROM vouchers v WHERE v.id < \(before?.bytes ?? Self.upperBound)
      ORDER BY v.id DESC LIMIT \(limit)
      """, make: Self.voucher)
  }

  /// Longer than any identifier, so it sorts after all of them.
  private static let upperBound = [UInt8](repeating: 0xFF, count: 17)

  /// A batch; nil if it doesn't exist.
  func find(_ id: ID<Voucher>, in reader: ReadTransaction) throws -> Voucher? {
    try reader.first(
      "SELECT \(Self.columns) FROM vouchers v WHERE v.id = \(id)", make: Self.voucher)
  }

  private static let columns: Query = """
    v.id, v.coins, v.count,
    (SELECT count(*) FROM voucher_codes c WHERE c.voucher_id = v.id AND c.used_at IS NOT NULL),
    v.expires_at, v.created_at
    """

  private static func voucher(_ row: inout RowReader) throws -> Voucher {
    Voucher(
      id: try row.next(), coins: try row.next(), count: try row.next(), used: try row.next(),
      expiresAt: try row.next(), createdAt: try row.next())
  }

  /// Ends a batch now; false if it doesn't exist or has ended.
  func end(_ id: ID<Voucher>, now: Instant, in writer: WriteTransaction) throws -> Bool {
    try writer.execute(
      "UPDATE vouchers SET expires_at = \(now) WHERE id = \(id) AND expires_at > \(now)") == 1
  }

  /// Result of redeeming a code.
  enum Use: Sendable {
    case used(coins: Int)
    case refused(VoucherError)
  }

  /// Redeems a code once.
  func use(
    _ hash: [UInt8], by person: ID<Person>, now: Instant, in writer: WriteTransaction
  ) throws -> Use {
    let found = try writer.first(
      """
      SELECT v.coins, v.expires_at, c.used_at IS NOT NULL, c.used_by FROM voucher_codes c
      JOIN vouchers v ON v.id = c.voucher_id WHERE c.code_hash = \(hash)
      """
    ) {
      (
        coins: try $0.next(Int.self), expiresAt: try $0.next(Instant.self),
        isUsed: try $0.next(Bool.self), usedBy: try $0.next(ID<Person>?.self)
      )
    }
    guard let found else { return .refused(.unknown) }
    if found.isUsed { return .refused(found.usedBy == person ? .usedByYou : .used) }
    guard found.expiresAt > now else { return .refused(.expired) }
    let isOurs =
      try writer.execute(
        """
        UPDATE voucher_codes SET used_at = \(now), used_by = \(person) WHERE code_hash = \(hash)
          AND used_at IS NULL
        """) == 1
    // A concurrent request has redeemed it.
    return isOurs ? .used(coins: found.coins) : .refused(.used)
  }
}
