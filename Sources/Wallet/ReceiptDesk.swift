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
    let transaction = try refusing { () throws(ReceiptProblem) -> AppleTransaction in
      try reader.transaction(signed)
    }
    let hash = hash(transaction)
    return try services.site.database.write { writer in
      // What was paid out is answered before anything is judged: the shop may have changed since.
      if let known = try services.receipts.find(hash, in: writer), !known.isUnclaimed {
        guard known.person == viewer.id else { throw Problem(.transactionClaimed) }
        let holding = try services.wallets.holding(of: viewer.id, in: writer.reader)
        return Credit(balance: holding.balance, credited: 0)
      }
      let coins = try refusing { () throws(ReceiptProblem) -> Int in
        try reader.coins(for: transaction, to: viewer.id)
      }
      // Nobody else was paid, so this one was refunded before anybody asked.
      guard
        try services.receipts.claim(hash, coins: coins, by: viewer.id, now: now, in: writer)
      else { throw Self.problem(.revoked) }
      let holding = try WalletWriter(writer: writer).purchase(
        coins, with: hash, by: viewer.id, now: now)
      return Credit(balance: holding.balance, credited: coins)
    }
  }

  /// Takes in what Apple's server tells. Heard twice it is done once; what needs nothing done is
  /// fine. Throws 422 for what Apple didn't sign.
  func hear(_ signed: String, now: Instant) throws {
    let reader = try reader()
    let told = try refusing {
      () throws(ReceiptProblem) -> (deed: AppleNotification.Deed, id: String, AppleTransaction)? in
      let notification = try reader.notification(signed)
      guard let deed = notification.deed else { return nil }
      guard let text = notification.data?.signedTransactionInfo else { throw .malformed }
      return (deed, notification.notificationUUID ?? signed, try reader.transaction(text))
    }
    guard let (deed, id, transaction) = told else { return }
    let hash = hash(transaction)
    let notification = Digests.hmac(
      Array(id.utf8), key: services.site.keys.derivedKey(purpose: "apple notifications"))
    try services.site.database.write { writer in
      guard try services.receipts.hear(notification, now: now, in: writer) else { return }
      switch deed {
      case .takeBack: try takeBack(hash, now: now, in: writer)
      case .giveBack: try giveBack(hash, now: now, in: writer)
      }
    }
  }

  /// Where nobody asked for the coins yet, nobody gets them from now on.
  private func takeBack(_ hash: [UInt8], now: Instant, in writer: Writer) throws {
    let known = try services.receipts.find(hash, in: writer)
    if known?.isSpared == true {
      return try services.receipts.setSpared(hash, at: nil, now: now, in: writer)
    }
    guard known?.isRefunded != true else { return }
    try services.receipts.setRefunded(hash, at: now, now: now, in: writer)
    if let known, let person = known.person {
      try WalletWriter(writer: writer).takeBack(known.coins, from: person, now: now)
    }
  }

  /// Told before the refund itself, it is kept until that comes.
  private func giveBack(_ hash: [UInt8], now: Instant, in writer: Writer) throws {
    guard let known = try services.receipts.find(hash, in: writer), known.isRefunded else {
      return try services.receipts.setSpared(hash, at: now, now: now, in: writer)
    }
    try services.receipts.setRefunded(hash, at: nil, now: now, in: writer)
    if let person = known.person {
      try WalletWriter(writer: writer).giveBack(known.coins, to: person, now: now)
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
