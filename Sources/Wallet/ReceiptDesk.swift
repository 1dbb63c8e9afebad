import Basics
import Database
import Secrets
import Web

/// What came of asking for coins.
struct Credit: Sendable {
  let balance: Int
  /// 0 for what was paid out before.
  let credited: Int
}

/// Pays out what was bought at Apple's, once, and takes it back when Apple gives the money back.
struct ReceiptDesk: Sendable {
  private static let limit = RateLimit("receipts", most: 240, window: .hours(1))

  let services: WalletServices

  /// Throws 422 with the reason, 409 for what was somebody else's, 429.
  func claim(_ signed: String, by viewer: Viewer, now: Instant) throws -> Credit {
    try services.limits.count(Self.limit, viewer.id.description, now: now)
    let reader = try reader()
    let (transaction, coins) = try refusing {
      () throws(ReceiptProblem) -> (AppleTransaction, Int) in
      let transaction = try reader.transaction(signed)
      return (transaction, try reader.coins(for: transaction, to: viewer.id))
    }
    let hash = hash(transaction)
    return try services.site.database.write { writer in
      if let known = try services.receipts.find(hash, in: writer) {
        if known.person == viewer.id {
          let holding = try services.wallets.holding(of: viewer.id, in: writer.reader)
          return Credit(balance: holding.balance, credited: 0)
        }
        guard known.person == nil, known.isRefunded, known.coins == 0 else {
          throw Problem(.transactionClaimed)
        }
        throw Self.problem(.revoked)
      }
      try services.receipts.claim(hash, coins: coins, by: viewer.id, now: now, in: writer)
      let holding = try WalletWriter(writer: writer).purchase(coins, by: viewer.id, now: now)
      return Credit(balance: holding.balance, credited: coins)
    }
  }

  /// Takes in what Apple's server tells. Heard twice it is done once; what needs nothing done is
  /// fine. Throws 422 for what Apple didn't sign.
  func hear(_ signed: String, now: Instant) throws {
    let reader = try reader()
    let transaction = try refusing { () throws(ReceiptProblem) -> AppleTransaction? in
      let notification = try reader.notification(signed)
      guard AppleNotification.takingBack.contains(notification.notificationType) else {
        return nil
      }
      guard let text = notification.data?.signedTransactionInfo else { throw .malformed }
      return try reader.transaction(text)
    }
    guard let transaction else { return }
    let hash = hash(transaction)
    try services.site.database.write { writer in
      guard let known = try services.receipts.find(hash, in: writer) else {
        // Nobody asked for the coins yet, and from now on nobody gets them.
        return try services.receipts.void(hash, now: now, in: writer)
      }
      guard !known.isRefunded else { return }
      try services.receipts.refund(hash, now: now, in: writer)
      if let person = known.person {
        try WalletWriter(writer: writer).takeBack(known.coins, from: person, now: now)
      }
    }
  }

  /// By a key that never changes: the hash outlives everything else (wallet.md).
  private func hash(_ transaction: AppleTransaction) -> [UInt8] {
    Digests.hmac(
      Array("\(transaction.environment):\(transaction.transactionId)".utf8),
      key: services.site.keys.derivedKey(purpose: "apple transactions"))
  }

  private func reader() throws -> ReceiptReader {
    guard let shop = services.settings.apple else { throw Self.problem(.notConfigured) }
    return ReceiptReader(shop: shop)
  }

  private func refusing<Result>(
    _ body: () throws(ReceiptProblem) -> Result
  ) throws -> Result {
    do throws(ReceiptProblem) {
      return try body()
    } catch {
      throw Self.problem(error)
    }
  }

  /// 422 with the reason: in words for people, and by its name for programs.
  static func problem(_ reason: ReceiptProblem) -> Problem {
    Problem(
      .invalidReceipt,
      fields: [
        "signedTransaction": FieldError("receipt.\(reason.rawValue)"),
        "reason": FieldError("receipt.reason", ["reason": reason.rawValue]),
      ])
  }
}
