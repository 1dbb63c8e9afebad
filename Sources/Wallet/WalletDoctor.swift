import Database

/// What must always hold of coins: the triggers see to it, and this proves it.
enum WalletDoctor {
  static let checks = [balances, lines, transactions, codes]

  private static let balances = DoctorCheck("every wallet holds the sum of its lines") {
    try $0.rows(
      """
      SELECT lower(hex(w.user_id)), w.balance, coalesce(sum(c.amount), 0) FROM user_wallets w
      LEFT JOIN coin_transactions c ON c.user_id = w.user_id GROUP BY w.user_id
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

  private static let transactions = DoctorCheck("every purchase was paid out once") {
    try $0.rows(
      """
      SELECT lower(hex(u.user_id)), u.bought, coalesce(sum(c.amount), 0) FROM (
        SELECT user_id, sum(coins) AS bought FROM apple_transactions
        WHERE user_id IS NOT NULL GROUP BY user_id) u
      LEFT JOIN coin_transactions c ON c.user_id = u.user_id AND c.type = 'purchase'
      GROUP BY u.user_id HAVING u.bought <> coalesce(sum(c.amount), 0)
      """
    ) { "wallet \($0.text(0)) bought \($0.int(1)) coins and got \($0.int(2))" }
  }

  private static let codes = DoctorCheck("every batch of vouchers has its codes") {
    try $0.rows(
      """
      SELECT lower(hex(v.id)), v.count, count(c.code_hash) FROM vouchers v
      LEFT JOIN voucher_codes c ON c.voucher_id = v.id GROUP BY v.id
      HAVING v.count <> count(c.code_hash)
      """
    ) { "batch \($0.text(0)) has \($0.int(2)) codes of \($0.int(1))" }
  }
}
