import Database

/// Consistency checks of coins, which triggers enforce.
enum WalletDoctor {
  static let checks = [balances, lines, debts, purchases, once, vouchers, codes]

  private static let balances = DoctorCheck("wallet balances match the transactions") {
    try $0.rows(
      """
      SELECT lower(hex(w.user_id)), w.balance, coalesce(sum(c.amount), 0) FROM user_wallets w
      LEFT JOIN coin_transactions c ON c.user_id = w.user_id GROUP BY w.user_id, w.balance
      HAVING w.balance <> coalesce(sum(c.amount), 0)
      """
    ) {
      "wallet \(try $0.next(String.self)) has \(try $0.next(Int.self)) coins, but its transactions \(try $0.next(Int.self))"
    }
  }

  private static let lines = DoctorCheck("every wallet transaction continues the previous one") {
    try $0.rows(
      """
      SELECT c.number, lower(hex(c.user_id)) FROM coin_transactions c
      LEFT JOIN coin_transactions b ON b.user_id = c.user_id AND b.number = c.number - 1
      WHERE c.balance_after <> coalesce(b.balance_after, 0) + c.amount
        OR (b.id IS NULL AND c.number <> 1)
        OR NOT EXISTS (SELECT 1 FROM user_wallets w WHERE w.user_id = c.user_id)
      """
    ) {
      "transaction \(try $0.next(Int.self)) of wallet \(try $0.next(String.self)) does not continue the previous one"
    }
  }

  /// Refunded coins were taken back or are owed, exactly.
  private static let debts = DoctorCheck("wallet debts match the refunds") {
    try $0.rows(
      """
      SELECT id, owed, refunded - taken FROM (
        SELECT lower(hex(w.user_id)) AS id, w.owed AS owed,
          (SELECT coalesce(sum(a.coins), 0) FROM apple_transactions a
           WHERE a.user_id = w.user_id AND a.refunded_at IS NOT NULL) AS refunded,
          (SELECT coalesce(-sum(c.amount), 0) FROM coin_transactions c
           WHERE c.user_id = w.user_id AND c.type = 'refund') AS taken
        FROM user_wallets w) s
      WHERE owed <> refunded - taken
      """
    ) {
      "wallet \(try $0.next(String.self)) owes \(try $0.next(Int.self)) coins, but refunds require \(try $0.next(Int.self))"
    }
  }

  private static let purchases = DoctorCheck("every purchase has a receipt") {
    try $0.rows(
      """
      SELECT c.number, lower(hex(c.user_id)), c.amount FROM coin_transactions c
      WHERE c.type = 'purchase' AND NOT EXISTS (
        SELECT 1 FROM apple_transactions a
        WHERE a.hash = c.source AND a.user_id = c.user_id AND a.coins = c.amount)
      """
    ) {
      "transaction \(try $0.next(Int.self)) of wallet \(try $0.next(String.self)) (\(try $0.next(Int.self)) coins) has no receipt"
    }
      + $0.rows(
        """
        SELECT lower(hex(a.hash)), a.coins, lower(hex(a.user_id)) FROM apple_transactions a
        WHERE a.user_id IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM coin_transactions c
          WHERE c.source = a.hash AND c.type = 'purchase' AND c.user_id = a.user_id
            AND c.amount = a.coins)
        """
      ) {
        "receipt \(try $0.next(String.self)) did not credit \(try $0.next(Int.self)) coins to wallet \(try $0.next(String.self))"
      }
  }

  private static let once = DoctorCheck("every receipt and code was credited once") {
    try $0.rows(
      """
      SELECT lower(hex(source)), count(*) FROM coin_transactions WHERE source IS NOT NULL
      GROUP BY source HAVING count(*) > 1
      """
    ) { "\(try $0.next(String.self)) was credited \(try $0.next(Int.self)) times" }
  }

  private static let vouchers = DoctorCheck("every voucher credit has a used code") {
    try $0.rows(
      """
      SELECT c.number, lower(hex(c.user_id)), c.amount FROM coin_transactions c
      WHERE c.type = 'grant' AND NOT EXISTS (
        SELECT 1 FROM voucher_codes k JOIN vouchers v ON v.id = k.voucher_id
        WHERE k.code_hash = c.source AND k.used_by = c.user_id AND k.used_at IS NOT NULL
          AND v.coins = c.amount)
      """
    ) {
      "transaction \(try $0.next(Int.self)) of wallet \(try $0.next(String.self)) (\(try $0.next(Int.self)) coins) has no code"
    }
      // Only the use of a code stays after an account is purged.
      + $0.rows(
        """
        SELECT lower(hex(k.code_hash)), lower(hex(k.used_by)) FROM voucher_codes k
        WHERE k.used_by IS NOT NULL AND (k.used_at IS NULL OR NOT EXISTS (
          SELECT 1 FROM coin_transactions c
          WHERE c.source = k.code_hash AND c.type = 'grant' AND c.user_id = k.used_by))
        """
      ) {
        "code \(try $0.next(String.self)) credited no coins to wallet \(try $0.next(String.self))"
      }
  }

  private static let codes = DoctorCheck("every voucher batch has the right number of codes") {
    try $0.rows(
      """
      SELECT lower(hex(v.id)), count(c.code_hash), v.count FROM vouchers v
      LEFT JOIN voucher_codes c ON c.voucher_id = v.id GROUP BY v.id, v.count
      HAVING v.count <> count(c.code_hash)
      """
    ) {
      "batch \(try $0.next(String.self)) has \(try $0.next(Int.self)) of \(try $0.next(Int.self)) codes"
    }
      + $0.rows(
        """
        SELECT lower(hex(v.id)), count(c.used_at), v.count FROM vouchers v
        JOIN voucher_codes c ON c.voucher_id = v.id GROUP BY v.id, v.count
        HAVING count(c.used_at) > v.count
        """
      ) {
        "batch \(try $0.next(String.self)) was used \(try $0.next(Int.self)) times, but only \(try $0.next(Int.self)) are allowed"
      }
  }
}
