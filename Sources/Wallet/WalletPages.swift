import Core
import Foundation
import Templates
import Web

/// `/wallet` (balance and lines) and `/wallet/redeem`.
struct WalletPages {
  private static let pageSize = 20

  private let services: WalletEnvironment
  private let page: Page<WalletView>
  private let redeeming: Page<RedeemView>

  init(_ services: WalletEnvironment) throws {
    self.services = services
    page = try Page("wallet/wallet", title: "wallet.title", in: services.site)
    redeeming = try Page("wallet/redeem", title: "redeem.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let before = context.request.queryValue("before").flatMap { Int($0, in: 0 ... .max) }
    let view = try services.site.database.read { reader in
      let found = try services.wallets.lines(
        of: viewer.id, before: before ?? .max, limit: Self.pageSize + 1, in: reader)
      let lines = found.prefix(Self.pageSize)
      let texts = try services.posts.texts(
        of: Array(Set(lines.compactMap(\.post))), for: viewer, in: reader)
      let price = services.settings.prices.first ?? .init(days: 3, coins: 30)
      return WalletView(
        holding: try services.wallets.holding(of: viewer.id, in: reader),
        settings: services.settings, cheapest: price,
        time: context.text("promote.days", count: price.days),
        price: context.text("promote.coins", count: price.coins),
        lines: lines.map { line in
          LedgerEntryView(line, text: line.post.flatMap { texts[$0] }, context)
        },
        older: found.count > lines.count
          ? lines.last.map { WalletLinks.wallet(before: $0.number) } : nil,
        isFirst: before == nil,
        mayPromote: viewer.mayPost,
        isFeedShort: try !services.posts.feedShowsPromotions(in: reader))
    }
    return page.response(view, context)
  }

  @Sendable func ask(_ context: Context) throws -> Response {
    answer(
      RedeemView(entered: "", errors: [:]), context)
  }

  @Sendable func redeem(_ context: Context) throws -> Response {
    let entered = context.form["code"]
    do {
      _ = try VoucherService(services: services).redeem(
        entered, by: context.signedIn(), now: context.now,
        nonce: FieldLimits.nonce.beginning(of: context.form["nonce"]))
    } catch let problem as Problem where !problem.fields.isEmpty {
      let view = RedeemView(entered: entered, errors: problem.fields.texts(context))
      return answer(view, context)
    }
    context.flash("toast.redeemed")
    return .seeOther(WalletLinks.wallet)
  }

  private func answer(_ view: RedeemView, _ context: Context) -> Response {
    redeeming.response(
      view, context,
      status: view.errors.isEmpty ? .ok : .unprocessableContent)
  }
}

struct WalletView: View {
  let holding: Balance
  let settings: WalletSettings
  let cheapest: PromotionPrice
  /// Length and price of the cheapest promotion.
  let time: String
  let price: String
  let lines: [LedgerEntryView]
  let older: String?
  let isFirst: Bool
  let mayPromote: Bool
  /// Whether the feed has too few posts to show promotions.
  let isFeedShort: Bool

  static let fields: [String: Field<WalletView>] = [
    "balance": .integer { $0.holding.balance },
    "owed": .integer { $0.holding.debt },
    "count": .integer { $0.holding.balance / $0.cheapest.coins },
    "time": .text { $0.time },
    "price": .text { $0.price },
    // Without the App Store no pack can be bought.
    "sells": .flag { $0.settings.apple != nil && !$0.settings.packs.isEmpty },
    "packs": .list { $0.settings.packs.map(PackView.init) },
    "lines": .list { $0.lines },
    "empty": .flag { $0.lines.isEmpty && $0.isFirst },
    "older": .optionalText { $0.older },
    "first": .flag { $0.isFirst },
    "promote_link": .optionalText {
      $0.mayPromote && !$0.isFeedShort ? WalletLinks.promotable : nil
    },
    "short_feed": .flag { $0.mayPromote && $0.isFeedShort },
    "redeem_link": .text { _ in WalletLinks.redeem },
    "wallet_link": .text { _ in WalletLinks.wallet },
  ]
}

/// A pack of coins sold in the app.
struct PackView: View {
  let pack: CoinPack

  static let fields: [String: Field<PackView>] = [
    "coins": .integer { $0.pack.coins },
    "sum": .text { $0.pack.coins.grouped },
    "price": .text { $0.pack.price },
  ]
}

/// A line of the wallet.
struct LedgerEntryView: View {
  let line: LedgerEntry
  let title: String
  let about: String
  let post: String?
  let postLink: String?
  let age: String

  /// `texts` is the text of the promoted post, if the viewer sees it.
  init(_ line: LedgerEntry, text: String?, _ context: Context) {
    self.line = line
    let isReversed = line.reason == .refund && line.amount > 0
    switch line.reason {
    case .purchase: title = context.text("wallet.line_purchase", count: line.amount)
    case .spend: title = context.text("wallet.line_spend", count: line.days ?? 0)
    case .grant: title = context.text("wallet.line_grant")
    case .refund: title = context.text(isReversed ? "wallet.line_returned" : "wallet.line_refund")
    }
    switch line.reason {
    case .purchase: about = context.text("wallet.about_purchase")
    case .refund: about = context.text(isReversed ? "wallet.about_returned" : "wallet.about_refund")
    case .grant: about = ""
    case .spend: about = text == nil ? context.text("wallet.about_gone") : ""
    }
    post = text.flatMap {
      // A post may have pictures only.
      context.text($0.isEmpty ? "wallet.no_text" : "wallet.quoted", ["words": $0])
    }
    postLink = text == nil ? nil : line.post.map(WalletLinks.post)
    age = DateFormatting(context).age(line.createdAt)
  }

  private var icon: String {
    switch line.reason {
    case .purchase: "coin"
    case .spend: "megaphone"
    case .grant: "gift"
    case .refund: "return"
    }
  }

  static let fields: [String: Field<LedgerEntryView>] = [
    "icon": .text { $0.icon },
    "gain": .flag { $0.line.amount > 0 },
    "title": .text { $0.title },
    "about": .text { $0.about },
    "post": .optionalText { $0.post },
    "post_link": .optionalText { $0.postLink },
    "age": .text { $0.age },
    "iso": .text { $0.line.createdAt.rfc3339 },
    "amount": .text { ($0.line.amount > 0 ? "+" : "−") + abs($0.line.amount).grouped },
    "after": .text { $0.line.balanceAfter.grouped },
  ]
}

struct RedeemView: FormContent {
  /// Makes a repeated form use the code once and show the same result.
  let nonce = UUID().uuidString.lowercased()
  let entered: String
  let errors: [String: String]

  static let fields: [String: Field<RedeemView>] = formFields(
    errors: ["code"],
    [
      "nonce": .text { $0.nonce },
      "action": .text { _ in WalletLinks.redeem },
      "cancel_link": .text { _ in WalletLinks.wallet },
      "code": .text { $0.entered },
    ])
}
