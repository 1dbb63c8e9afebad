import Accounts
import Core
import Database
import Images
import Jobs
import Web

/// Routes, jobs, checks and gauges of the Feed module.
public struct FeedModule: Sendable {
  /// Dependencies injected by the application.
  public struct Dependencies: Sendable {
    public let site: AppEnvironment
    public let imageProcessor: ImageProcessor
    public let mediaFolder: String
    public let limits: RateLimitStore
    /// Receives the events of this module.
    public let observer: any FeedObserver
    public let promotions: any Promotions
    /// Whether the viewer is expected to check in today and has not done so yet.
    public let isCheckInDue: @Sendable (Viewer, Context) throws -> Bool

    public init(
      site: AppEnvironment, imageProcessor: ImageProcessor, mediaFolder: String,
      limits: RateLimitStore,
      observer: any FeedObserver = NoFeedObserver(), promotions: any Promotions,
      isCheckInDue: @escaping @Sendable (Viewer, Context) throws -> Bool = { _, _ in false }
    ) {
      self.isCheckInDue = isCheckInDue
      self.limits = limits
      self.observer = observer
      self.site = site
      self.imageProcessor = imageProcessor
      self.mediaFolder = mediaFolder
      self.promotions = promotions
    }
  }

  public static let migrations =
    PostSchema.migrations + PostModerationSchema.migrations + FollowSchema.migrations
    + SearchSchema.migrations + CommentSchema.migrations
  /// Files referenced by rows of this module.
  public static let namedFiles = [FeedFiles.named]
  public let routes: [Route]
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let doctorChecks: [DoctorCheck]
  public let gauges: [Gauge]
  public let publishing: PostPublisher
  public let moderation: PostModeration
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
      folders: PictureFolders(mediaFolder: needs.mediaFolder), observer: needs.observer,
      promotions: needs.promotions, isCheckInDue: needs.isCheckInDue)
    routes = try Self.routes(services)
    jobs = FeedJobs(services: services).all
    participant = FeedParticipant()
    publishing = PostPublisher(services)
    moderation = PostModeration(services)
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
        handler: edit.save),
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
    ] + FeedAPI(services).routes + BlockAPI(services: services).routes
      + FollowAPI(services: services).routes + CommentAPI(services: services).routes
      + SearchAPI(services: services).routes
  }
}
