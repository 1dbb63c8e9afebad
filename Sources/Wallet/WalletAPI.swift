import Core
import Database
import Web

/// `/api/v1/wallet` and promotions, with the same services as the pages (docs/api/README.md).
struct WalletAPI {
  private static let list = "wallet"

  let services: WalletEnvironment

  private var receipts: ReceiptService { ReceiptService(services: services) }

  var routes: [Route] {
    [
      .api(
        .get, "/wallet", .atLeast(.member),
        Operation("Get your balance and transactions", .wallet), options: .noStore,
        handler: show),
      .api(
        .post, "/wallet/verify-receipt", .atLeast(.member),
        Operation(
          "Redeem an App Store purchase", .wallet,
          note: """
            Each transaction is credited only once, to one user. A repeated request credits \
            nothing and returns the balance. If it is rejected, `fields.reason` gives the reason: \
            \(ReceiptError.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")).
            """,
          errors: [.invalidReceipt, .transactionClaimed, .rateLimited]),
        options: [.noStore, .idempotent], handler: verify),
      .api(
        .post, "/wallet/redeem", .atLeast(.member),
        Operation(
          "Redeem a voucher", .wallet,
          note: """
            403 for apps, which sell coins themselves, unless this instance allows it. If the code \
            is rejected, `fields.reason` gives the reason: \
            \(VoucherError.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")).
            """,
          errors: [.forbidden, .rateLimited]), options: [.noStore, .idempotent], handler: redeem),
      notifications,
      .api(
        .post, "/posts/:id/promote", .atLeast(.member),
        Operation(
          "Promote a post of your couple", .wallet,
          note: """
            The post appears from time to time at the top of all users' feeds until the promotion \
            ends. Promoting it again extends the time. Deleting or hiding the post refunds nothing.
            """, errors: [.insufficientCoins, .forbidden]),
        options: [.noStore, .idempotent, .closedToSuspended], handler: promote),
    ]
  }

  /// Exists even without coins: Apple tells of refunds of what was sold before.
  var notifications: Route {
    .api(
      .post, "/wallet/apple-notifications", .anyone,
      Operation(
        "Receive App Store server notifications", .wallet,
        note: """
          App Store Server Notifications, version 2. `REFUND` and `REVOKE` debit the coins, \
          `REFUND_REVERSED` credits them again. If there are several for one transaction, the \
          one that Apple signed last counts. All other notifications are acknowledged and ignored.
          """, errors: [.invalidReceipt, .rateLimited]),
      options: [.withoutCSRF, .withoutViewer], bodyLimit: 256 << 10, handler: receive)
  }

  @Sendable private func show(_ query: ListQuery, _ context: Context) throws -> WalletResponse {
    let viewer = try context.signedIn()
    // A wallet is sorted by line numbers, which are the keys of its cursors.
    let place = try context.place(of: query.cursor, in: Self.list, CoinChange.self)
    let (page, holding) = try services.site.database.read { reader in
      (
        try ListPage(
          limit: query.limit, cursor: { PageCursor(key: Int64($0.number), id: $0.id) }
        ) {
          try services.wallets.lines(
            of: viewer.id, before: place.map { Int($0.key) } ?? .max, limit: $0, in: reader)
        },
        try services.wallets.holding(of: viewer.id, in: reader)
      )
    }
    return WalletResponse(
      balance: holding.balance, lines: page.rows.map(LedgerEntryResponse.init),
      nextCursor: context.nextCursor(page, in: Self.list))
  }

  @Sendable private func verify(
    _ sent: SignedTransaction, _ context: Context
  ) throws -> RedeemResponse {
    guard let signed = sent.camel ?? sent.snake else {
      throw Problem.invalid(["signedTransaction": FieldError("api.field_missing")])
    }
    return try context.answering(
      {
        try noting(context) {
          try receipts.claim(signed, by: context.signedIn(), now: context.now)
        }
      }, { RedeemResponse(credit: $0) })
  }

  @Sendable private func redeem(_ sent: VoucherRequest, _ context: Context) throws -> RedeemResponse
  {
    guard context.tokenFamily == nil || services.settings.redeemsInApps else {
      throw Problem(.forbidden)
    }
    return try context.answering(
      {
        try VoucherService(services: services).redeem(
          sent.code, by: context.signedIn(), now: context.now)
      }, { RedeemResponse(credit: $0) })
  }

  @Sendable private func receive(_ sent: SignedNotification, _ context: Context) throws
    -> AcknowledgementResponse
  {
    try noting(context) {
      try receipts.receive(sent.payload, from: context.address, now: context.now)
    }
    return AcknowledgementResponse()
  }

  /// Writes forged signatures to the security log.
  private func noting<Result>(_ context: Context, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let problem as Problem where ReceiptService.isForged(problem) {
      context.note(.signatureRefused, of: context.viewer.map { .person($0.id) })
      throw problem
    }
  }

  @Sendable private func promote(_ sent: PromotionRequest, _ context: Context) throws
    -> PromotedResponse
  {
    let id = try context.id("id", PromotedPost.self)
    return try context.answering(
      {
        let promoted = try PromotionService(services: services).promote(
          id, for: PromotionPrice(days: sent.days, coins: sent.coins), by: context.signedIn(),
          now: context.now)
        // API calls have no nonce, so the result is never nil.
        guard let promoted else { throw Problem.internalError }
        return promoted
      }, { PromotedResponse(promoted: $0) })
  }
}
