import Accounts
import Core
import Database
import Templates
import Web

/// `/`: the feed for signed-in users, else the front page.
struct FeedPages {
  private let services: FeedEnvironment
  private let frontPage: Page<FrontView>
  private let feed: Page<FeedView>

  init(_ services: FeedEnvironment) throws {
    self.services = services
    frontPage = try Page("feed/front", title: "page_title.front", in: services.site)
    feed = try Page("feed/feed", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    guard let viewer = context.viewer else { return frontPage(context) }
    let cursor = PageCursor<Post>(context.request.queryValue("after"))
    let scope = context.request.queryValue("scope").flatMap(FeedScope.init(rawValue:)) ?? .everyone
    // One transaction for all that the page reads.
    let content = try services.site.database.read { reader -> FeedContent in
      let content = try self.content(of: scope, viewer, after: cursor, context, in: reader)
      context.readUnreadCounts(in: reader)
      return content
    }
    let together = together(viewer, context)
    let view = FeedView(
      scope: scope,
      posts: try services.foldedCards(
        content.posts, content.reports, next: FeedLinks.feed(scope, after: nil), context),
      older: content.next.map { FeedLinks.feed(scope, after: $0) },
      isFirstPage: cursor == nil,
      followsAnybody: try scope == .everyone || content.posts.isEmpty == false
        || services.follows.followsAnybody(viewer.couple?.id),
      composer: viewer.mayPost && scope == .everyone
        ? ComposerView.empty(for: viewer, context) : nil,
      isWaiting: viewer.couple?.status == .pending,
      isFrozen: viewer.couple?.status == .frozen,
      together: together, isSuspended: viewer.suspension != nil,
      isRemoved: viewer.couple?.isRemoved == true, isGuest: viewer.role == .guest,
      moments: content.moments,
      home: content.today.map {
        HomeView(
          viewer, today: $0, together: together,
          memory: content.memory.map { MemoryView($0, context) })
      })
    return feed.response(
      view, context, title: .key(scope == .everyone ? "feed.title" : "feed.following"))
  }

  private func content(
    of scope: FeedScope, _ viewer: Viewer, after cursor: PageCursor<Post>?, _ context: Context,
    in reader: ReadTransaction
  ) throws -> FeedContent {
    let page = try page(of: scope, viewer, after: cursor, context, in: reader)
    var content = FeedContent(
      posts: page.posts, next: page.next,
      reports: try services.reports(of: page.posts, context, in: reader))
    guard cursor == nil, scope == .everyone else { return content }
    if viewer.role >= .member { content.moments = try services.moments(viewer, context, reader) }
    content.today = try services.today(viewer, context, reader)
    content.memory = try services.posts.memory(
      of: viewer, today: context.today, in: context.timeZone, reader)
    return content
  }

  /// A page of posts and where the next one begins, if there are older posts.
  private func page(
    of scope: FeedScope, _ viewer: Viewer, after cursor: PageCursor<Post>?, _ context: Context,
    in reader: ReadTransaction
  ) throws -> (posts: [PostSummary], next: PageCursor<Post>?) {
    let size = PostRules.pageSize
    if scope == .everyone, cursor == nil {
      let first = try FeedFirstPage(services: services).find(
        for: viewer, size: size, now: context.now, in: reader)
      return (first.posts, first.next)
    }
    let page = try ListPage(limit: size, cursor: PageCursor<Post>.init) {
      try services.posts.feed(
        scope, for: viewer, after: cursor ?? .start, limit: $0, in: reader)
    }
    return (page.rows, page.next)
  }

  private func frontPage(_ context: Context) -> Response {
    let view = FrontView(
      profile: context.site.profile, mayRegister: RegistrationAccess.isOpen(to: context))
    return frontPage.response(view, context)
  }

  private func together(_ viewer: Viewer, _ context: Context) -> AnniversaryBadgeView? {
    guard let couple = viewer.couple, couple.status == .active, !couple.isRemoved else {
      return nil
    }
    return AnniversaryBadgeView(
      couple.id, name: couple.name, people: viewer.coupleMembers, since: couple.anniversary,
      when: DateFormatting(context), context)
  }
}

/// The content that is read for a page of the feed.
private struct FeedContent {
  let posts: [PostSummary]
  let next: PageCursor<Post>?
  let reports: [OwnPostReport]
  /// On the first page of "Everyone".
  var moments: HomeMoments?
  var today: HomeToday?
  var memory: Memory?
}

struct FrontView: View {
  let profile: InstanceProfile
  let mayRegister: Bool

  static let fields: [String: Field<FrontView>] = [
    "named": .flag { $0.profile.name != InstanceProfile.standardName },
    "name": .text { $0.profile.name },
    "note": .optionalText { $0.profile.note.isEmpty ? nil : $0.profile.note },
    "may_register": .flag { $0.mayRegister },
    "by_invitation": .flag { !$0.mayRegister && $0.profile.registration == .invitation },
    "closed": .flag { !$0.mayRegister && $0.profile.registration == .closed },
  ]
}

struct FeedView: View {
  let scope: FeedScope
  let posts: [CardView]
  let older: String?
  let isFirstPage: Bool
  let followsAnybody: Bool
  let composer: ComposerView?
  let isWaiting: Bool
  let isFrozen: Bool
  let together: AnniversaryBadgeView?
  let isSuspended: Bool
  let isRemoved: Bool
  let isGuest: Bool
  let moments: HomeMoments?
  let home: HomeView?

  static let fields: [String: Field<FeedView>] = [
    "posts": .list { $0.posts },
    "guest": .optional { $0.isGuest ? LinkView(link: AccountLinks.becomeMember) : nil },
    "moments": .optional { $0.moments },
    "home": .optional { $0.home },
    "everyone_link": .text { _ in FeedLinks.feed(after: nil) },
    "following_link": .text { _ in FeedLinks.feed(.following, after: nil) },
    "first": .optional { $0.isFirstPage ? NewestView(scope: $0.scope) : nil },
    "following": .flag { $0.scope == .following },
    "empty": .flag { $0.posts.isEmpty && $0.isFirstPage && $0.scope == .everyone },
    "empty_following": .optional {
      $0.posts.isEmpty && $0.isFirstPage && $0.scope == .following
        ? EmptyFollowingView(followsAnybody: $0.followsAnybody) : nil
    },
    "older": .optionalText { $0.older },
    "may_post": .flag { $0.composer != nil },
    "composer": .optional { $0.isFirstPage ? $0.composer : nil },
    "waiting": .optional { $0.isWaiting ? LinkView(link: AccountLinks.waiting) : nil },
    "frozen": .optional { $0.isFrozen ? LinkView(link: AccountLinks.part) : nil },
    "together": .optional { $0.together },
    "removed": .optional { $0.isRemoved ? LinkView(link: WebLinks.decisions) : nil },
    "suspended": .optional { $0.isSuspended ? LinkView(link: WebLinks.decisions) : nil },
  ]
}

/// URL that a script polls for posts newer than those on the page.
struct NewestView: View {
  let scope: FeedScope

  static let fields: [String: Field<NewestView>] = [
    "newest": .text { "/api/v1\(FeedLinks.posts)?limit=1&scope=\($0.scope.rawValue)" }
  ]
}

/// The empty tab "Following".
struct EmptyFollowingView: View {
  let followsAnybody: Bool

  static let fields: [String: Field<EmptyFollowingView>] = [
    "follows_anybody": .flag { $0.followsAnybody }
  ]
}

struct LinkView: View {
  let link: String

  static let fields: [String: Field<LinkView>] = ["link": .text { $0.link }]
}
