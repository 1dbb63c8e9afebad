import Core
import Database

/// Reads wallets; each is visible to its own user only.
struct WalletStore: Sendable {
  func holding(of person: ID<Person>, in reader: ReadTransaction) throws -> Balance {
    try reader.first("SELECT balance, owed FROM user_wallets WHERE user_id = ?", person) {
      Balance(balance: $0.int(0), owed: $0.int(1))
    } ?? Balance()
  }

  /// The latest lines before this number.
  func lines(
    of person: ID<Person>, before number: Int = .max, limit: Int, in reader: ReadTransaction
  ) throws -> [LedgerEntry] {
    try reader.rows(
      """
      SELECT id, number, type, amount, balance_after, post_id, days, created_at
      FROM coin_transactions WHERE user_id = ? AND number < ? ORDER BY number DESC LIMIT ?
      """, person, number, limit, make: Self.line)
  }

  static func line(_ row: Row) throws -> LedgerEntry {
    guard let reason = CoinReason(rawValue: row.text(2)) else {
      throw StorageError.unreadable("no reason is called \(row.text(2))")
    }
    return LedgerEntry(
      id: try row.id(0), number: row.int(1), reason: reason, amount: row.int(3),
      balanceAfter: row.int(4), post: try row.optionalID(5),
      days: row.isNull(6) ? nil : row.int(6), createdAt: row.instant(7))
  }
}

/// Changes wallets in the caller's transaction. The database itself rejects a line that doesn't
/// continue the previous one, and a negative balance.
struct WalletWriter {
  let writer: WriteTransaction

  private var store: WalletStore { WalletStore() }

  /// Adds a line, negative to take coins; returns the new balance. `source` is the hash of the
  /// receipt or code behind it.
  @discardableResult
  func add(
    _ amount: Int, _ reason: CoinReason, to person: ID<Person>, now: Instant,
    post: ID<PromotedPost>? = nil, days: Int? = nil, source: [UInt8]? = nil
  ) throws -> Balance {
    try open(for: person)
    let last = try store.lines(of: person, limit: 1, in: writer.reader).first
    try writer.execute(
      """
      INSERT INTO coin_transactions
        (id, user_id, number, type, amount, balance_after, post_id, days, created_at, source)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, ID<CoinChange>(now: now), person, (last?.number ?? 0) + 1, reason.rawValue, amount,
      (last?.balanceAfter ?? 0) + amount, post, days, now, source)
    return try store.holding(of: person, in: writer.reader)
  }

  /// Adds purchased coins, and pays coins owed from them.
  func purchase(
    _ coins: Int, with receipt: [UInt8], by person: ID<Person>, now: Instant
  ) throws -> Balance {
    let holding = try add(coins, .purchase, to: person, now: now, source: receipt)
    let paid = min(holding.owed, holding.balance)
    guard paid > 0 else { return holding }
    try writer.execute(
      "UPDATE user_wallets SET owed = owed - ? WHERE user_id = ?", paid, person)
    return try add(-paid, .refund, to: person, now: now)
  }

  /// Takes refunded coins back, as far as available; the rest is owed.
  func reclaim(_ coins: Int, from person: ID<Person>, now: Instant) throws {
    try open(for: person)
    let taken = min(coins, try store.holding(of: person, in: writer.reader).balance)
    if taken > 0 { try add(-taken, .refund, to: person, now: now) }
    try writer.execute(
      "UPDATE user_wallets SET owed = owed + ? WHERE user_id = ?", coins - taken, person)
  }

  /// Reverses a refund: first reduces the coins owed, since those were never taken.
  func giveBack(_ coins: Int, to person: ID<Person>, now: Instant) throws {
    let forgiven = min(coins, try store.holding(of: person, in: writer.reader).owed)
    if forgiven > 0 {
      try writer.execute(
        "UPDATE user_wallets SET owed = owed - ? WHERE user_id = ?", forgiven, person)
    }
    if coins > forgiven { try add(coins - forgiven, .refund, to: person, now: now) }
  }

  private func open(for person: ID<Person>) throws {
    guard try !writer.exists("SELECT 1 FROM user_wallets WHERE user_id = ?", person) else {
      return
    }
    try writer.execute("INSERT INTO user_wallets (user_id) VALUES (?)", person)
  }
}
