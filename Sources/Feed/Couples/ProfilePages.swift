import Accounts
import Core
import Database
import Templates
import Web

/// `/couples/{id}`: name, days together and posts of a couple.
struct ProfilePages {
  private let services: FeedEnvironment
  private let page: Page<ProfileView>

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("couples/profile", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    guard let card = try services.couples.visible(context.id(), to: context.viewer) else {
      throw Problem.notFound
    }
    let cursor = PageCursor<Post>(context.request.queryValue("after"))
    let posts = try ListPage(limit: PostRules.pageSize, cursor: PageCursor<Post>.init) {
      try self.posts(of: card.id, after: cursor ?? .start, limit: $0, context)
    }
    let status = try services.follows.status(of: card.id, for: context.viewer)
    let view = ProfileView(
      card: card, status: status,
      mayFollow: mayFollow(card, context.viewer),
      isGuest: context.viewer?.role == .guest,
      together: AnniversaryBadgeView(card, when: DateFormatting(context), context),
      isOwn: card.id == context.viewer?.couple?.id && card.status != .frozen,
      mayReport: (context.viewer?.role ?? .anyone) >= .member
        && card.id != context.viewer?.couple?.id,
      posts: try services.foldedCards(
        posts.rows, next: FeedLinks.couple(card.id), context),
      older: posts.next.map { FeedLinks.couple(card.id, after: $0) },
      hasCursor: cursor != nil)
    return page.response(view, context, title: .named(card.name))
  }

  /// Whether the viewer may follow the couple: needs the right to post
  /// (docs/developer/accounts.md#people-and-couples) and an active or single couple.
  private func mayFollow(_ card: CoupleProfile, _ viewer: Viewer?) -> Bool {
    guard let viewer, viewer.mayPost, card.id != viewer.couple?.id else { return false }
    return card.status == .active || card.status == .single
  }

  /// Posts for the profile. Lists require at least a guest: a signed-out visitor sees the couple
  /// without posts (docs/developer/product.md#visibility).
  private func posts(
    of couple: ID<Couple>, after cursor: PageCursor<Post>, limit: Int, _ context: Context
  ) throws -> [PostSummary] {
    guard context.viewer != nil else { return [] }
    return try services.posts.of(couple, for: context.viewer, after: cursor, limit: limit)
  }
}

struct ProfileView: View {
  let card: CoupleProfile
  let status: FollowStore.FollowState
  let mayFollow: Bool
  let isGuest: Bool
  let together: AnniversaryBadgeView
  let isOwn: Bool
  let mayReport: Bool
  let posts: [CardView]
  let older: String?
  let hasCursor: Bool

  static let fields: [String: Field<ProfileView>] = [
    "couple_name": .text { $0.card.name },
    "bio": .text { $0.card.bio },
    "people": .list { $0.card.people.map(AvatarView.init) },
    "couple_avatar": .optionalText { $0.card.avatar },
    "days": .optional { $0.card.status == .frozen ? nil : $0.together.days },
    "since": .optionalText { $0.together.since },
    "next_anniversary": .optionalText { $0.together.nextAnniversary },
    "edit_link": .optionalText { $0.isOwn ? AccountLinks.editCouple($0.card.id) : nil },
    "report_link": .optionalText { $0.mayReport ? FeedLinks.report($0.card.id) : nil },
    "follow": .optional {
      $0.mayFollow || $0.status.isFollowed
        ? FollowView(couple: $0.card.id, status: $0.status) : nil
    },
    "join_link": .optionalText {
      $0.isGuest && ($0.card.status == .active || $0.card.status == .single)
        ? AccountLinks.becomeMember(next: FeedLinks.couple($0.card.id)) : nil
    },
    "counts": .optional {
      $0.card.status == .active || $0.card.status == .single
        ? FollowCountsView(couple: $0.card.id, status: $0.status) : nil
    },
    "message_link": .optionalText { $0.mayFollow ? FeedLinks.message($0.card.id) : nil },
    "block_link": .text { FeedLinks.block($0.card.id) },
    "pending": .flag { $0.card.status == .pending },
    "frozen": .optional {
      $0.card.status == .frozen ? LinkView(link: AccountLinks.part) : nil
    },
    "no_day": .flag {
      $0.isOwn && $0.card.status == .active && $0.card.anniversary == nil
    },
    "posts": .list { $0.posts },
    "empty": .flag { $0.posts.isEmpty && !$0.hasCursor },
    "older": .optionalText { $0.older },
  ]
}
