import Database

/// Consistency checks of coins, which triggers enforce.
enum WalletDoctor {
  static let checks = [balances, lines, debts, purchases, once, vouchers, codes]

  private static let balances = DoctorCheck("every wallet holds the sum of its lines") {
    try $0.rows(
      """
      SELECT lower(hex(w.user_id)), w.balance, coalesce(sum(c.amount), 0) FROM user_wallets w
      LEFT JOIN coin_transactions c ON c.user_id = w.user_id GROUP BY w.user_id, w.balance
      HAVING w.balance <> coalesce(sum(c.amount), 0)
      """
    ) { "wallet \($0.text(0)) says \($0.int(1)) coins, and its lines \($0.int(2))" }
  }

  private static let lines = DoctorCheck("every line of a wallet follows the one before it") {
    try $0.rows(
      """
      SELECT lower(hex(c.user_id)), c.number FROM coin_transactions c
      LEFT JOIN coin_transactions b ON b.user_id = c.user_id AND b.number = c.number - 1
      WHERE c.balance_after <> coalesce(b.balance_after, 0) + c.amount
        OR (b.id IS NULL AND c.number <> 1)
        OR NOT EXISTS (SELECT 1 FROM user_wallets w WHERE w.user_id = c.user_id)
      """
    ) { "line \($0.int(1)) of wallet \($0.text(0)) doesn't follow" }
  }

  /// Refunded coins were taken back or are owed, exactly.
  private static let debts = DoctorCheck("every wallet owes what refunds didn't find in it") {
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
    ) { "wallet \($0.text(0)) owes \($0.int(1)) coins, and refunds left \($0.int(2))" }
  }

  private static let purchases = DoctorCheck("every purchase has its receipt") {
    try $0.rows(
      """
      SELECT lower(hex(c.user_id)), c.number, c.amount FROM coin_transactions c
      WHERE c.type = 'purchase' AND NOT EXISTS (
        SELECT 1 FROM apple_transactions a
        WHERE a.hash = c.source AND a.user_id = c.user_id AND a.coins = c.amount)
      """
    ) { "line \($0.int(1)) of wallet \($0.text(0)), \($0.int(2)) coins, has no receipt for it" }
      + $0.rows(
        """
        SELECT lower(hex(a.hash)), lower(hex(a.user_id)), a.coins FROM apple_transactions a
        WHERE a.user_id IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM coin_transactions c
          WHERE c.source = a.hash AND c.type = 'purchase' AND c.user_id = a.user_id
            AND c.amount = a.coins)
        """
      ) { "receipt \($0.text(0)) didn't bring wallet \($0.text(1)) its \($0.int(2)) coins" }
  }

  private static let once = DoctorCheck("every receipt and every code paid once") {
    try $0.rows(
      """
      SELECT lower(hex(source)), count(*) FROM coin_transactions WHERE source IS NOT NULL
      GROUP BY source HAVING count(*) > 1
      """
    ) { "\($0.text(0)) paid \($0.int(1)) times" }
  }

  private static let vouchers = DoctorCheck("every voucher's coins came by a code that was used") {
    try $0.rows(
      """
      SELECT lower(hex(c.user_id)), c.number, c.amount FROM coin_transactions c
      WHERE c.type = 'grant' AND NOT EXISTS (
        SELECT 1 FROM voucher_codes k JOIN vouchers v ON v.id = k.voucher_id
        WHERE k.code_hash = c.source AND k.used_by = c.user_id AND k.used_at IS NOT NULL
          AND v.coins = c.amount)
      """
    ) { "line \($0.int(1)) of wallet \($0.text(0)), \($0.int(2)) coins, has no code for it" }
      // Only the use of a code stays after an account is purged.
      + $0.rows(
        """
        SELECT lower(hex(k.code_hash)), lower(hex(k.used_by)) FROM voucher_codes k
        WHERE k.used_by IS NOT NULL AND (k.used_at IS NULL OR NOT EXISTS (
          SELECT 1 FROM coin_transactions c
          WHERE c.source = k.code_hash AND c.type = 'grant' AND c.user_id = k.used_by))
        """
      ) { "code \($0.text(0)) didn't bring wallet \($0.text(1)) its coins" }
  }

  private static let codes = DoctorCheck("every batch of vouchers has its codes, and no more") {
    try $0.rows(
      """
      SELECT lower(hex(v.id)), v.count, count(c.code_hash) FROM vouchers v
      LEFT JOIN voucher_codes c ON c.voucher_id = v.id GROUP BY v.id, v.count
      HAVING v.count <> count(c.code_hash)
      """
    ) { "batch \($0.text(0)) has \($0.int(2)) codes of \($0.int(1))" }
      + $0.rows(
        """
        SELECT lower(hex(v.id)), v.count, count(c.used_at) FROM vouchers v
        JOIN voucher_codes c ON c.voucher_id = v.id GROUP BY v.id, v.count
        HAVING count(c.used_at) > v.count
        """
      ) { "batch \($0.text(0)) was used \($0.int(2)) times and may be \($0.int(1)) times" }
  }
}
