import Accounts
import Core
import Database
import Images
import Jobs
import Media
import Web

/// Routes, jobs, checks and gauges of the Feed module.
public struct FeedModule: Sendable {
  /// Dependencies injected by the application.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let imageProcessor: ImageProcessor
    public let media: any MediaStore
    public let limits: RateLimitStore
    /// Receives the events of this module.
    public let observer: any FeedObserver
    public let promotions: any Promotions
    public let minimumPromotedFeed: Int
    /// Collects today's content from other modules.
    public let today: @Sendable (Viewer, Context, ReadTransaction) throws -> HomeToday
    /// Finds the couples with moments.
    public let moments: @Sendable (Viewer, Context, ReadTransaction) throws -> HomeMoments?
    /// Finds the member's undecided reports of posts.
    public let ownReports: @Sendable (Viewer, Context, ReadTransaction) throws -> [OwnPostReport]

    public init(
      site: AppEnvironment, imageProcessor: ImageProcessor, media: any MediaStore,
      limits: RateLimitStore,
      observer: any FeedObserver = NoFeedObserver(), promotions: any Promotions,
      minimumPromotedFeed: Int,
      today: @escaping @Sendable (Viewer, Context, ReadTransaction) throws -> HomeToday = {
        _, _, _ in HomeToday()
      },
      moments: @escaping @Sendable (Viewer, Context, ReadTransaction) throws -> HomeMoments? = {
        _, _, _ in nil
      },
      ownReports: @escaping @Sendable (Viewer, Context, ReadTransaction) throws -> [OwnPostReport] =
        { _, _, _ in [] }
    ) {
      self.today = today
      self.moments = moments
      self.ownReports = ownReports
      self.limits = limits
      self.observer = observer
      self.site = site
      self.imageProcessor = imageProcessor
      self.media = media
      self.promotions = promotions
      self.minimumPromotedFeed = minimumPromotedFeed
    }
  }

  public static let migrations =
    PostSchema.migrations + PostModerationSchema.migrations + FollowSchema.migrations
    + SearchSchema.migrations + CommentSchema.migrations + SavedPostSchema.migrations
  /// Files referenced by rows of this module.
  public static let namedFiles = [FeedFiles.named]
  /// Those of these files in folders of posts and drafts that no row references.
  public static func unnamedFiles(
    _ paths: [String], in reader: ReadTransaction
  ) throws -> [String] {
    try FeedFiles.unnamed(paths, in: reader)
  }

  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  public let publishing: PostPublisher
  public let moderation: PostModeration
  /// Blocks a couple that the viewer has seen, for other modules.
  public let block: @Sendable (ID<Couple>, Viewer, Instant, WriteTransaction) throws -> Void
  public let commentModeration: CommentModeration
  public let promotion: PostPromotion

  /// Compiles the pages of this module. Throws the errors of their templates.
  public init(_ needs: Dependencies) throws {
    let database = needs.site.database
    let posts = PostStore(database: database)
    let services = FeedEnvironment(
      site: needs.site, posts: posts, cards: try PostCards(needs.site, posts: posts),
      postResponses: PostResponseCache(posts: posts),
      drafts: DraftStore(database: database), couples: CoupleStore(database: database),
      blocks: BlockStore(database: database), follows: FollowStore(database: database),
      search: SearchStore(database: database), limits: needs.limits,
      answers: FormReplayStore(), imageProcessor: needs.imageProcessor,
      folders: PictureFolders(pictures: StoredPictures(needs.media)), observer: needs.observer,
      promotions: needs.promotions, minimumPromotedFeed: needs.minimumPromotedFeed,
      today: needs.today, moments: needs.moments, ownReports: needs.ownReports)
    routes = try Self.routes(services)
    jobs = FeedJobs(services: services).all
    participant = FeedParticipant()
    publishing = PostPublisher(services)
    moderation = PostModeration(services)
    block = { try BlockService(services: services).blockSeen($0, by: $1, now: $2, in: $3) }
    commentModeration = CommentModeration(services)
    promotion = PostPromotion(services)
    doctorChecks = FeedDoctor.checks + SearchDoctor.checks
    gauges = [
      Gauge("pairspot_posts", "Posts.") { _ in try database.read { try PostStore.count(in: $0) } }
    ]
  }

  /// The routes of this module (docs/developer/pages-and-forms.md#addresses).
  private static func routes(_ services: FeedEnvironment) throws -> [Route] {
    let feed = try FeedPages(services)
    let post = try PostPages(services)
    let comments = CommentPages(services)
    let compose = try ComposePages(services)
    let edit = try EditPages(services)
    let delete = try DeletePages(services)
    let deleted = try DeletedPostPages(services)
    let likes = LikePages(services)
    let saved = try SavedPostPages(services)
    let likers = try LikerPages(services)
    let profile = try ProfilePages(services)
    let pictures = PictureMedia(services)
    let blocks = try BlockPages(services)
    let follows = try FollowPages(services)
    let search = try SearchPages(services)
    let viewer = try PicturePages(services)
    return [
      Route(.get, "/", .anyone, handler: feed.show),
      Route(
        .post, "/posts", .atLeast(.member), options: [.closedToSuspended, .paragraphs],
        bodyLimit: 256 << 20, handler: compose.send),
      Route(
        .get, AccountLinks.deletedPosts, .atLeast(.member), options: .noStore, handler: deleted.show
      ),
      Route(
        .post, "/posts/:id/restore", .atLeast(.member), options: .closedToSuspended,
        handler: deleted.restore),
      Route(
        .get, FeedLinks.saved(after: nil), .atLeast(.member), options: .noStore,
        handler: saved.show),
      Route(.post, "/posts/:id/save", .atLeast(.member), handler: saved.save),
      Route(.post, "/posts/:id/unsave", .atLeast(.member), handler: saved.remove),
      Route(.get, "/posts/:id", .anyone, handler: post.show),
      Route(
        .post, "/posts/:id/comments", .atLeast(.member),
        options: [.closedToSuspended, .paragraphs], handler: post.comment),
      Route(.post, "/comments/:id/delete", .atLeast(.member), handler: comments.delete),
      Route(
        .post, "/comments/:id/restore", .atLeast(.member), options: .closedToSuspended,
        handler: comments.restore),
      Route(
        .get, "/posts/:id/edit", .atLeast(.member), options: .closedToSuspended, handler: edit.show),
      Route(
        .post, "/posts/:id/edit", .atLeast(.member), options: [.closedToSuspended, .paragraphs],
        bodyLimit: 256 << 20, handler: edit.save),
      Route(.get, "/posts/:id/delete", .atLeast(.member), handler: delete.show),
      Route(.post, "/posts/:id/delete", .atLeast(.member), handler: delete.delete),
      Route(.post, "/posts/:id/narrow", .atLeast(.member), handler: delete.narrow),
      Route(
        .post, "/posts/:id/like", .atLeast(.member), options: .closedToSuspended,
        handler: likes.like),
      Route(.post, "/posts/:id/unlike", .atLeast(.member), handler: likes.unlike),
      Route(.get, "/posts/:id/likes", .atLeast(.guest), handler: likers.show),
      Route(.get, "/posts/:id/pictures/:number", .anyone, handler: viewer.show),
      Route(.get, FeedLinks.search, .atLeast(.guest), handler: search.show),
      Route(.get, "/couples/:id", .anyone, handler: profile.show),
      Route(
        .post, "/couples/:id/follow", .atLeast(.member), options: .closedToSuspended,
        handler: follows.follow),
      Route(.post, "/couples/:id/unfollow", .atLeast(.member), handler: follows.unfollow),
      Route(.get, "/couples/:id/followers", .atLeast(.guest), handler: follows.showFollowers),
      Route(.get, "/couples/:id/block", .atLeast(.member), handler: blocks.show),
      Route(.post, "/couples/:id/block", .atLeast(.member), handler: blocks.block),
      Route(
        .get, FeedLinks.blocks, .atLeast(.member), options: .noStore, handler: blocks.showAll),
      Route(
        .post, FeedLinks.blocks, .atLeast(.member), options: .noStore, handler: blocks.unblock),
      Route(.get, "/media/couples/:id/posts/:post/:file", .anyone, handler: pictures.send),
      Route(.get, "/media/drafts/:id", .atLeast(.member), handler: pictures.sendDraft),
    ] + FeedAPI(services).routes + [FeedStreamAPI().route] + BlockAPI(services: services).routes
      + FollowAPI(services: services).routes + CommentAPI(services: services).routes
      + SearchAPI(services: services).routes + SavedPostAPI(services: services).routes
  }
}
