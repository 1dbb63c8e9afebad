import Core
import Database
import Secrets
import Web

/// Result of a promotion.
struct Promoted: Sendable {
  let balance: Int
  let until: Instant
}

/// Promotes posts, from pages and API (docs/developer/wallet.md).
struct PromotionService: Sendable {
  let services: WalletEnvironment

  /// Spends the coins and sets the end in one transaction; promoting again extends. Throws 404 if
  /// the viewer doesn't see the post, 403 for another couple's post, 422 for a post that is not
  /// public, a feed that shows no promotions or a price that is not in the list, 402 if the balance
  /// is too low. Nil if the form with this nonce was already processed.
  func promote(
    _ id: ID<PromotedPost>, for price: PromotionPrice, by viewer: Viewer, now: Instant,
    nonce: String = ""
  ) throws -> Promoted? {
    let hash = Digests.sha256(Array("promote \(id) \(price.days)".utf8))
    return try services.site.database.write { writer in
      let reader = writer
      if !nonce.isEmpty {
        let before = try services.answers.location(
          of: nonce, hash: hash, from: viewer, in: writer)
        guard before == nil else { return nil }
        try services.answers.remember(
          WalletLinks.post(id), of: nonce, hash: hash, from: viewer, now: now, in: writer)
      }
      try check(try services.posts.card(id, for: viewer, in: reader), in: reader)
      guard services.settings.prices.contains(price) else { throw Self.notInTheList }
      guard viewer.suspension == nil else { throw Problem.forbidden }
      guard try services.wallets.holding(of: viewer.id, in: reader).balance >= price.coins else {
        throw Problem(.insufficientCoins)
      }
      let holding = try WalletWriter(writer: writer).add(
        -price.coins, .spend, to: viewer.id, now: now, post: id, days: price.days)
      let until = try services.promotions.extend(
        id, seconds: .days(Int64(price.days)), now: now, in: writer)
      return Promoted(balance: holding.balance, until: until)
    }
  }

  static let notInTheList = Problem.invalid(["days": FieldError("error.promotion_price")])

  /// The reason why this post can't be promoted now; nil if it can.
  func rejection(of card: PromotableCard, in reader: ReadTransaction) throws -> FieldError? {
    guard card.isOpen else { return FieldError("error.promotion_not_public") }
    return try services.posts.feedShowsPromotions(in: reader)
      ? nil : FieldError("error.promotion_few_posts")
  }

  private func check(_ card: PromotableCard?, in reader: ReadTransaction) throws {
    guard let card else { throw Problem.notFound }
    guard card.isOwn else { throw Problem.forbidden }
    if let rejection = try rejection(of: card, in: reader) {
      throw Problem.invalid(["post": rejection])
    }
  }
}
