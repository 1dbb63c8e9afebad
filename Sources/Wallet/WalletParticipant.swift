import Accounts
import Core
import Database
import Foundation

/// This module's part of an account: the user's coins, which are deleted with the account.
struct WalletParticipant: AccountParticipant {
  /// Coins are deleted with the user's row only; hashes of purchases and used codes stay without a
  /// user. A guest can't hold coins (docs/developer/accounts.md#guests).
  let tables = [
    PersonalTable("user_wallets", purge: .custom),
    PersonalTable("coin_transactions", purge: .custom),
    PersonalTable("apple_transactions", purge: .custom),
    PersonalTable("voucher_codes", owner: "used_by", purge: .custom),
  ]

  func export(_ person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedFile] {
    let holding = try WalletStore().holding(of: person, in: reader)
    let lines = try reader.rows(
      """
      SELECT id, number, type, amount, balance_after, post_id, days, created_at
      FROM coin_transactions WHERE user_id = \(person) ORDER BY number
      """, make: WalletStore.line)
    let wallet = ExportedWallet(
      balance: holding.balance, owed: holding.debt,
      changes: lines.map {
        ExportedCoins(
          type: $0.reason.rawValue, amount: $0.amount, balanceAfter: $0.balanceAfter,
          post: $0.post?.description, days: $0.days, createdAt: $0.createdAt.rfc3339)
      })
    return [try ExportedFile(name: "wallet.json", encoding: wallet)]
  }

  func exportedMedia(of person: ID<Person>, from reader: ReadTransaction) throws -> [ExportedMedia]
  { [] }

  func left(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // A user who returns still has them.
  }

  func returned(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // They were not changed.
  }

  func moved(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // Times are shown in the viewer's current time zone.
  }

  func signOut(_ person: ID<Person>, now: Instant, in writer: WriteTransaction) throws {
    // No browser stores anything about a wallet.
  }
}

private struct ExportedWallet: Encodable {
  let balance: Int
  let owed: Int
  let changes: [ExportedCoins]
}

private struct ExportedCoins: Encodable {
  let type: String
  let amount: Int
  let balanceAfter: Int
  let post: String?
  let days: Int?
  let createdAt: String
}
