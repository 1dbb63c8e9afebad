import Core
import Database

/// Reads wallets; each is visible to its own user only.
struct WalletStore: Sendable {
  func holding(of person: ID<Person>, in reader: ReadTransaction) throws -> Balance {
    try reader.first("SELECT balance, owed FROM user_wallets WHERE user_id = \(person)") {
      Balance(balance: try $0.next(), debt: try $0.next())
    } ?? Balance()
  }

  /// The latest lines before this number.
  func lines(
    of person: ID<Person>, before number: Int = .max, limit: Int, in reader: ReadTransaction
  ) throws -> [LedgerEntry] {
    try reader.rows(
      """
      SELECT id, number, type, amount, balance_after, post_id, days, created_at
      FROM coin_transactions WHERE user_id = \(person) AND number < \(number) ORDER BY number DESC
      LIMIT \(limit)
      """, make: Self.line)
  }

  static func line(_ row: inout RowReader) throws -> LedgerEntry {
    LedgerEntry(
      id: try row.next(), number: try row.next(), reason: try reason(row.next()),
      amount: try row.next(), balanceAfter: try row.next(), post: try row.next(),
      days: try row.next(), createdAt: try row.next())
  }

  private static func reason(_ name: String) throws -> CoinReason {
    guard let reason = CoinReason(rawValue: name) else {
      throw StorageError.unreadable("no reason is called \(name)")
    }
    return reason
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
    let last = try store.lines(of: person, limit: 1, in: writer).first
    try writer.execute(
      """
      INSERT INTO coin_transactions
        (id, user_id, number, type, amount, balance_after, post_id, days, created_at, source)
      VALUES (\(ID<CoinChange>(now: now)), \(person), \((last?.number ?? 0) + 1),
        \(reason.rawValue), \(amount), \((last?.balanceAfter ?? 0) + amount), \(post), \(days),
        \(now), \(source))
      """)
    return try store.holding(of: person, in: writer)
  }

  /// Adds purchased coins, and pays coins owed from them.
  func purchase(
    _ coins: Int, with receipt: [UInt8], by person: ID<Person>, now: Instant
  ) throws -> Balance {
    let holding = try add(coins, .purchase, to: person, now: now, source: receipt)
    let paid = min(holding.debt, holding.balance)
    guard paid > 0 else { return holding }
    try writer.execute("UPDATE user_wallets SET owed = owed - \(paid) WHERE user_id = \(person)")
    return try add(-paid, .refund, to: person, now: now)
  }

  /// Takes refunded coins back, as far as available; the rest is owed.
  func reclaim(_ coins: Int, from person: ID<Person>, now: Instant) throws {
    try open(for: person)
    let taken = min(coins, try store.holding(of: person, in: writer).balance)
    if taken > 0 { try add(-taken, .refund, to: person, now: now) }
    try writer.execute(
      "UPDATE user_wallets SET owed = owed + \(coins - taken) WHERE user_id = \(person)")
  }

  /// Reverses a refund: first reduces the coins owed, since those were never taken.
  func restoreRefunded(_ coins: Int, to person: ID<Person>, now: Instant) throws {
    let forgiven = min(coins, try store.holding(of: person, in: writer).debt)
    if forgiven > 0 {
      try writer.execute(
        "UPDATE user_wallets SET owed = owed - \(forgiven) WHERE user_id = \(person)")
    }
    if coins > forgiven { try add(coins - forgiven, .refund, to: person, now: now) }
  }

  private func open(for person: ID<Person>) throws {
    guard try !writer.exists("SELECT 1 FROM user_wallets WHERE user_id = \(person)") else {
      return
    }
    try writer.execute("INSERT INTO user_wallets (user_id) VALUES (\(person))")
  }
}
