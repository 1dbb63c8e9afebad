import Core
import Foundation
import HTTPTypes
import Templates
import Web

/// `/posts/{id}/promote`: shows price and effect of a promotion before the user confirms.
struct PromotionPages {
  private let services: WalletEnvironment
  private let page: Page<PromotionView>

  private var service: PromotionService { PromotionService(services: services) }

  init(_ services: WalletEnvironment) throws {
    self.services = services
    page = try Page("wallet/promote", title: "promote.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try answer(context, errors: [:])
  }

  @Sendable func promote(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let id = try context.id("id", PromotedPost.self)
    let price = services.settings.prices.first { String($0.days) == context.form["days"] }
    guard let price else {
      return try answer(context, errors: ["days": FieldError("error.promotion_price")])
    }
    // Rejects the form if the price has changed since it was shown.
    let shown = context.form["coins_\(price.days)"]
    guard shown.isEmpty || shown == String(price.coins) else {
      let error = FieldError("error.promotion_changed", ["coins": price.coins.grouped])
      return try answer(context, errors: ["days": error])
    }
    do {
      _ = try service.promote(
        id, for: price, by: viewer, now: context.now,
        nonce: FieldLimits.nonce.beginning(of: context.form["nonce"]))
    } catch let problem as Problem where problem.code == APIErrorCode.insufficientCoins.rawValue {
      return try answer(
        context, errors: ["days": FieldError("error.promotion_coins")], status: problem.status)
    } catch let problem as Problem where problem.fields["post"] != nil {
      return try answer(context, errors: [:])
    }
    context.flash("toast.promoted")
    return .seeOther(WalletLinks.post(id))
  }

  private func answer(
    _ context: Context, errors: [String: FieldError],
    status: HTTPResponse.Status = .unprocessableContent
  ) throws -> Response {
    let viewer = try context.signedIn()
    let id = try context.id("id", PromotedPost.self)
    let (card, rejection, holding, until) = try services.site.database.read { reader in
      let card = try services.posts.card(id, for: viewer, in: reader)
      return (
        card, try card.flatMap { try service.rejection(of: $0, in: reader) },
        try services.wallets.holding(of: viewer.id, in: reader),
        try services.promotions.until(id, in: reader)
      )
    }
    guard let card else { throw Problem.notFound }
    guard card.isOwn else { throw Problem.forbidden }
    let when = DateFormatting(context)
    let chosen = Int(context.form["days"], in: 0 ... .max)
    let view = PromotionView(
      card: card,
      moment: when.moment(card.createdAt), balance: holding.balance,
      until: until.flatMap { $0 > context.now ? when.moment($0) : nil },
      prices: services.settings.prices.enumerated().map { place, price in
        PriceView(
          price: price, isAffordable: holding.balance >= price.coins,
          isChosen: chosen.map { $0 == price.days } ?? (place == 0))
      },
      rejection: rejection?.text(context),
      isShort: status != .unprocessableContent,
      nonce: UUID().uuidString.lowercased(), errors: errors.texts(context))
    // A page that only says why a post can't be promoted is no error.
    let isFine = errors.isEmpty && rejection == nil || context.request.method != .post
    return page.response(view, context, status: isFine ? .ok : status)
  }
}

struct PromotionView: FormContent {
  let card: PromotableCard
  let moment: String
  let balance: Int
  let until: String?
  let prices: [PriceView]
  let rejection: String?
  /// Whether the balance is too low.
  let isShort: Bool
  let nonce: String
  let errors: [String: String]

  private var mayPay: Bool { prices.contains(where: \.isAffordable) }

  static let fields: [String: Field<PromotionView>] = formFields(
    errors: ["days"],
    [
      "action": .text { WalletLinks.promote($0.card.id) },
      "post_link": .text { WalletLinks.post($0.card.id) },
      "wallet_link": .text { _ in WalletLinks.wallet },
      "words": .text { $0.card.text },
      "thumb": .optionalText { $0.card.thumb },
      "moment": .text { $0.moment },
      "balance": .integer { $0.balance },
      "until": .optionalText { $0.until },
      "prices": .list { $0.prices },
      "refusal": .optionalText { $0.rejection },
      "open": .flag { $0.rejection == nil },
      "poor": .flag { !$0.mayPay || $0.isShort },
      "may_pay": .flag { $0.mayPay },
      "nonce": .text { $0.nonce },
    ])
}

/// An entry of the price list.
struct PriceView: View {
  let price: PromotionPrice
  let isAffordable: Bool
  let isChosen: Bool

  static let fields: [String: Field<PriceView>] = [
    "days": .integer { $0.price.days },
    "coins": .integer { $0.price.coins },
    "sum": .text { String($0.price.coins) },
    "chosen": .flag { $0.isChosen },
  ]
}
