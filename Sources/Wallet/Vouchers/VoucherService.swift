import Core
import Database
import Secrets
import Web

/// Creates, redeems and ends vouchers, from pages and API.
struct VoucherService: Sendable {
  /// Wrong codes per hour and user. (80-bit codes cannot be guessed; this limits the load.)
  static let limit = RateLimit("vouchers", maximum: 10, window: .hours(1))

  let services: WalletEnvironment

  /// Redeems a typed code. A repeated form with the same nonce and code succeeds without further
  /// coins. Throws 422 with the fields `code` and `reason`, 429.
  func redeem(
    _ entered: String, by viewer: Viewer, now: Instant, nonce: String = ""
  ) throws -> RedeemResult {
    guard !entered.isEmpty else { throw Problem.invalid(["code": .empty("voucher")]) }
    var rejection = VoucherError.unknown
    let credit = try services.limits.attempt(
      Self.limit, viewer.id.description, now: now
    ) { () throws -> RedeemResult? in
      guard let code = VoucherCode(entered) else { return nil }
      let hash = code.hash(services.site.keys)
      return try services.site.database.write { writer in
        // The body may run again.
        rejection = .unknown
        if try wasSent(nonce, hash, by: viewer, in: writer) {
          let holding = try services.wallets.holding(of: viewer.id, in: writer)
          return RedeemResult(balance: holding.balance, credited: 0)
        }
        switch try services.vouchers.use(hash, by: viewer.id, now: now, in: writer) {
        case .refused(let problem):
          rejection = problem
          return nil
        case .used(let coins):
          let holding = try WalletWriter(writer: writer).add(
            coins, .grant, to: viewer.id, now: now, source: hash)
          try remember(
            nonce, hash, answered: WalletLinks.wallet, by: viewer, now: now, in: writer)
          return RedeemResult(balance: holding.balance, credited: coins)
        }
      }
    }
    guard let credit else {
      throw Problem.invalid([
        "code": rejection.error,
        "reason": FieldError("receipt.reason", ["reason": rejection.rawValue]),
      ])
    }
    return credit
  }

  /// Creates a code and redeems it for a user at once, because coins have no other source.
  func issue(_ coins: Int, to person: ID<Person>, now: Instant) throws {
    let hash = VoucherCode.random().hash(services.site.keys)
    let voucher = Voucher(
      id: ID(now: now), coins: coins, count: 1, used: 0, expiresAt: now.adding(seconds: 1),
      createdAt: now)
    try services.site.database.write { writer in
      try services.vouchers.make(voucher, hashes: [hash], in: writer)
      _ = try services.vouchers.use(hash, by: person, now: now, in: writer)
      try WalletWriter(writer: writer).add(coins, .grant, to: person, now: now, source: hash)
    }
  }

  /// Creates a batch; its codes are returned now and cannot be read later. Nil if the form was sent
  /// before with the same numbers; other numbers make another batch.
  func make(_ preference: NewVoucherBatch, by viewer: Viewer, now: Instant) throws -> [VoucherCode]?
  {
    let codes = (0..<preference.count).map { _ in VoucherCode.random() }
    let voucher = Voucher(
      id: ID(now: now), coins: preference.coins, count: preference.count, used: 0,
      expiresAt: now.adding(seconds: .days(Int64(preference.days))), createdAt: now)
    let numbers = Digests.sha256(
      Array("vouchers \(preference.coins) \(preference.count) \(preference.days)".utf8))
    let isNew = try services.site.database.write { writer in
      guard try !wasSent(preference.nonce, numbers, by: viewer, in: writer) else { return false }
      try services.vouchers.make(
        voucher, hashes: codes.map { $0.hash(services.site.keys) }, in: writer)
      try services.log.note(.made, voucher, by: viewer, now: now, in: writer)
      try remember(
        preference.nonce, numbers, answered: WalletLinks.vouchers, by: viewer, now: now, in: writer)
      return true
    }
    return isNew ? codes : nil
  }

  // MARK: Forms sent twice

  private func wasSent(
    _ nonce: String, _ hash: [UInt8], by viewer: Viewer, in writer: WriteTransaction
  ) throws -> Bool {
    guard !nonce.isEmpty else { return false }
    return try services.answers.location(of: nonce, hash: hash, from: viewer, in: writer) != nil
  }

  private func remember(
    _ nonce: String, _ hash: [UInt8], answered location: String, by viewer: Viewer, now: Instant,
    in writer: WriteTransaction
  ) throws {
    guard !nonce.isEmpty else { return }
    try services.answers.remember(
      location, of: nonce, hash: hash, from: viewer, now: now, in: writer)
  }

  // MARK: Ending

  /// A batch that has not ended. Throws 404.
  func running(_ id: ID<Voucher>, now: Instant) throws -> Voucher {
    let found = try services.site.database.read { try services.vouchers.find(id, in: $0) }
    guard let found, found.expiresAt > now else { throw Problem.notFound }
    return found
  }

  /// Ends a batch: unused codes become invalid. Throws 404.
  func end(_ id: ID<Voucher>, by viewer: Viewer, now: Instant) throws {
    try services.site.database.write { writer in
      guard let voucher = try services.vouchers.find(id, in: writer),
        try services.vouchers.end(id, now: now, in: writer)
      else { throw Problem.notFound }
      try services.log.note(.ended, voucher, by: viewer, now: now, in: writer)
    }
  }
}

/// An admin's input for a new batch.
struct NewVoucherBatch: Sendable {
  /// From the form, so that sending it twice creates no second batch.
  let nonce: String
  let coins: Int
  let count: Int
  let days: Int
}
