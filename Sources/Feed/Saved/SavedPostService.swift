import Core
import Database
import Web

/// Saves posts for the viewer alone, and lists them.
struct SavedPostService {
  private static let limit = RateLimit("saved-posts", maximum: 300, window: .minutes(10))

  let services: FeedEnvironment
  private let store = SavedPostStore()

  init(services: FeedEnvironment) {
    self.services = services
  }

  /// Saves a post. Throws 404 unless the viewer sees it, 429 above the limit.
  func save(_ id: ID<Post>, by viewer: Viewer, now: Instant) throws {
    let post = try PostService(services: services).seen(id, by: viewer)
    try services.limits.count(Self.limit, viewer.id.description, now: now)
    try services.site.database.write {
      try store.save(post.id, by: viewer, now: now, in: $0)
    }
  }

  /// Removes a post from the saved ones, whether the viewer still sees it or not.
  func remove(_ id: ID<Post>, by viewer: Viewer) throws {
    try services.site.database.write { try store.remove(id, by: viewer, in: $0) }
  }

  /// A page of saved posts, the last saved first.
  func page(
    of viewer: Viewer, after cursor: PageCursor<Post>?, limit: Int
  ) throws -> ListPage<SavedPost, Post> {
    try services.site.database.read { reader in
      try ListPage(limit: limit, cursor: { PageCursor(at: $0.savedAt, id: $0.post.id) }) {
        try store.page(of: viewer, after: cursor ?? .start, limit: $0, in: reader)
      }
    }
  }
}
