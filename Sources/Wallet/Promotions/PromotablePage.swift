import Core
import Templates
import Web

/// `/wallet/promote`: the couple's own posts, for choosing one to promote.
struct PromotablePage {
  private static let maximumCount = 20

  private let services: WalletEnvironment
  private let page: Page<PromotableView>

  init(_ services: WalletEnvironment) throws {
    self.services = services
    page = try Page("wallet/promotable", title: "promotable.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let (cards, ends) = try services.site.database.read { reader in
      let cards = try services.posts.promotable(by: viewer, limit: Self.maximumCount, in: reader)
      let ends = try services.promotions.ends(
        of: cards.map(\.id), now: context.now, in: reader)
      return (cards, ends)
    }
    let when = DateFormatting(context)
    let view = PromotableView(
      posts: cards.map { card in
        PromotablePostView(
          card: card, moment: when.moment(card.createdAt), until: ends[card.id].map(when.moment))
      },
      isFull: cards.count == Self.maximumCount)
    return page.response(view, context)
  }
}

struct PromotableView: View {
  let posts: [PromotablePostView]
  /// Whether there may be more posts.
  let isFull: Bool

  static let fields: [String: Field<PromotableView>] = [
    "wallet_link": .text { _ in WalletLinks.wallet },
    "feed_link": .text { _ in "/" },
    "posts": .list { $0.posts },
    "empty": .flag { $0.posts.isEmpty },
    "full": .flag { $0.isFull },
  ]
}

/// A post that can be chosen.
struct PromotablePostView: View {
  let card: PromotableCard
  let moment: String
  /// End of its running promotion.
  let until: String?

  static let fields: [String: Field<PromotablePostView>] = [
    "link": .text { WalletLinks.promote($0.card.id) },
    "words": .text { $0.card.text },
    "thumb": .optionalText { $0.card.thumb },
    "moment": .text { $0.moment },
    "until": .optionalText { $0.until },
  ]
}
