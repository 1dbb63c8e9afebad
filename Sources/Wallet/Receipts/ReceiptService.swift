import Core
import Database
import Secrets
import Web

/// Result of redeeming a purchase or voucher.
struct RedeemResult: Sendable {
  let balance: Int
  /// 0 if it was credited before.
  let credited: Int
}

/// Credits purchases in the App Store once, and takes the coins back after a refund.
struct ReceiptService: Sendable {
  private static let limit = RateLimit("receipts", maximum: 240, window: .hours(1))
  /// Limit per IP address: more than Apple's server needs, retries included. Protects against load
  /// from verifying forged signatures.
  static let notifications = RateLimit("apple-notifications", maximum: 600, window: .minutes(1))

  let services: WalletEnvironment

  /// Credits a purchase. Throws 422 with the reason, 409 if it was credited to another user, 429. A
  /// transaction that is signed as refunded is recorded, and the coins are taken back from the user
  /// who has them; an older signature of it credits nothing afterwards.
  func claim(_ signed: String, by viewer: Viewer, now: Instant) throws -> RedeemResult {
    try services.limits.count(Self.limit, viewer.id.description, now: now)
    let reader = try reader()
    let transaction = try refusing { () throws(ReceiptError) -> AppleTransaction in
      try reader.transaction(signed)
    }
    let hash = hash(transaction)
    // Set by each run of the body.
    var rejection = Self.problem(.revoked)
    let credit = try services.site.database.write { writer -> RedeemResult? in
      rejection = Self.problem(.revoked)
      if transaction.isRevoked {
        try note(.refunded, of: hash, signedAt: transaction.signedAt, now: now, in: writer)
      }
      // A credited purchase is answered before further checks, because the products may have
      // changed since.
      if let known = try services.receipts.find(hash, in: writer), !known.isUnclaimed {
        guard known.person == viewer.id else {
          rejection = Problem(.transactionClaimed)
          return nil
        }
        let holding = try services.wallets.holding(of: viewer.id, in: writer)
        return RedeemResult(balance: holding.balance, credited: 0)
      }
      guard !transaction.isRevoked else { return nil }
      let coins = try refusing { () throws(ReceiptError) -> Int in
        try reader.coins(for: transaction, to: viewer.id)
      }
      // No other user was credited, so this one was refunded before it was claimed.
      guard
        try services.receipts.claim(hash, coins: coins, by: viewer.id, now: now, in: writer)
      else { return nil }
      let holding = try WalletWriter(writer: writer).purchase(
        coins, with: hash, by: viewer.id, now: now)
      return RedeemResult(balance: holding.balance, credited: coins)
    }
    guard let credit else { throw rejection }
    return credit
  }

  /// Processes a notification of Apple's server, once even if repeated; types without effect are
  /// accepted. Throws 422 if Apple didn't sign it, 429.
  func receive(_ signed: String, from address: String, now: Instant) throws {
    let reader = try reader()
    try services.limits.count(Self.notifications, address, now: now)
    let received = try refusing {
      () throws(ReceiptError) -> (state: ReceiptState, id: String, AppleTransaction)? in
      let notification = try reader.notification(signed)
      guard let state = notification.state else { return nil }
      guard let text = notification.data?.signedTransactionInfo else { throw .malformed }
      return (state, notification.notificationUUID ?? signed, try reader.transaction(text))
    }
    guard let (state, id, transaction) = received else { return }
    let hash = hash(transaction)
    let notification = Digests.hmac(
      Array(id.utf8), key: services.site.keys.derivedKey(purpose: "apple notifications"))
    try services.site.database.write { writer in
      guard try services.receipts.receive(notification, now: now, in: writer) else { return }
      try note(state, of: hash, signedAt: transaction.signedAt, now: now, in: writer)
    }
  }

  /// Records whether a transaction is refunded. Notifications arrive in any order: the newest
  /// counts, and of two with the same time the refund. A purchase without a refund date is no
  /// evidence, however late it was signed: only a reversal ends a refund. A refunded transaction
  /// that was not claimed yet cannot be claimed from then on.
  private func note(
    _ state: ReceiptState, of hash: [UInt8], signedAt: Instant, now: Instant,
    in writer: WriteTransaction
  ) throws {
    let known = try services.receipts.find(hash, in: writer)
    if let newest = known?.stateSignedAt {
      guard signedAt > newest || (signedAt == newest && state == .refunded) else { return }
    }
    let refundedAt = state == .refunded ? known?.refundedAt ?? now : nil
    try services.receipts.setState(
      hash, refundedAt: refundedAt, signedAt: signedAt, now: now, in: writer)
    let wasRefunded = known?.refundedAt != nil
    guard let known, let person = known.person, wasRefunded != (refundedAt != nil) else { return }
    let wallet = WalletWriter(writer: writer)
    switch state {
    case .refunded: try wallet.reclaim(known.coins, from: person, now: now)
    case .paid: try wallet.restoreRefunded(known.coins, to: person, now: now)
    }
  }

  /// HMAC with a key that never changes: the hash is kept longer than all other data
  /// (docs/developer/wallet.md).
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
    _ body: () throws(ReceiptError) -> Result
  ) throws -> Result {
    do throws(ReceiptError) {
      return try body()
    } catch {
      throw Self.problem(error)
    }
  }

  /// Whether the problem means that Apple didn't sign it.
  static func isForged(_ problem: Problem) -> Bool {
    let reasons: [ReceiptError] = [
      .malformed, .algorithm, .wrongRoot, .chain, .missingMarker, .notValidThen, .signature,
    ]
    return reasons.contains {
      problem.fields["signedTransaction"] == FieldError("receipt.\($0.rawValue)")
    }
  }

  /// 422 with the reason as a text for users and as a name for programs.
  static func problem(_ reason: ReceiptError) -> Problem {
    Problem(
      .invalidReceipt,
      fields: [
        "signedTransaction": FieldError("receipt.\(reason.rawValue)"),
        "reason": FieldError("receipt.reason", ["reason": reason.rawValue]),
      ])
  }
}
