import Core
import Database
import Web

/// `/api/v1/posts/{id}/comments` and `/comments/{id}` (docs/api/README.md).
struct CommentAPI {
  private static let list = "comments"

  let services: FeedEnvironment

  private var service: CommentService { CommentService(services: services) }

  var routes: [Route] {
    [
      .api(
        .get, "/posts/:id/comments", .anyone,
        Operation("List a post's comments", .posts, note: "Newest first.", errors: [.notFound]),
        handler: list),
      .api(
        .post, "/posts/:id/comments", .atLeast(.member),
        Operation(
          "Comment on a post", .posts,
          note: "For members of an active couple or without a partner."),
        options: [.idempotent, .closedToSuspended, .paragraphs], handler: add),
      .api(
        .delete, "/comments/:id", .atLeast(.member),
        Operation(
          "Delete a comment", .posts, note: "One of your own, or one on a post of your couple."),
        handler: delete),
    ]
  }

  @Sendable private func list(_ query: ListQuery, _ context: Context) throws -> CommentsResponse {
    let post = try seenPost(context)
    let place = try context.place(of: query.cursor, in: Self.list, Comment.self)
    let page = try services.site.database.read { reader in
      try ListPage(limit: query.limit, cursor: { PageCursor(at: $0.createdAt, id: $0.id) }) {
        try CommentStore().page(
          of: post.id, for: context.viewer, before: place?.id, limit: $0, in: reader
        ).reversed()
      }
    }
    return CommentsResponse(
      comments: page.rows.map { CommentResponse($0, context) },
      next: context.nextCursor(page, in: Self.list))
  }

  @Sendable private func add(
    _ input: CommentRequest, _ context: Context
  ) throws -> Created<CommentResponse> {
    let viewer = try context.signedIn()
    let id = try service.add(
      input.content.asParagraphs, to: seenPost(context), by: viewer, now: context.now)
    let comment = try services.site.database.read {
      try CommentStore().find(id, for: viewer, in: $0)
    }
    guard let comment else { throw Problem.notFound }
    return Created(CommentResponse(comment, context))
  }

  @Sendable private func delete(_ context: Context) throws -> NoContent {
    _ = try service.delete(context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }

  private func seenPost(_ context: Context) throws -> Post {
    try PostService(services: services).seen(context.id(), by: context.viewer)
  }
}

/// A new comment.
struct CommentRequest: JSONRequest {
  var content = ""

  static let jsonName = "NewComment"
  static let jsonFields: [InputField<Self>] = [
    .required(
      "content", note: "1 to \(CommentRules.contentLimits.characters) composed characters.",
      example: "What a view!"
    ) { $0.content = $1 }
  ]
}

/// A comment.
struct CommentResponse: JSONResponse {
  private let comment: Comment
  private let baseURL: String

  init(_ comment: Comment, _ context: Context) {
    self.comment = comment
    baseURL = context.site.baseURL
  }

  private var author: PostAuthorResponse {
    PostAuthorResponse(
      id: comment.author, name: comment.avatar.name,
      avatarURL: comment.avatar.avatar.map { baseURL + $0 })
  }

  static let jsonName = "Comment"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.comment.id },
    JSONField("post_id") { $0.comment.post },
    JSONField("author") { $0.author },
    JSONField("content", note: "Plain text.", example: "What a view!") { $0.comment.content },
    JSONField("hidden", note: "Whether moderators hid it: only you see it.", example: false) {
      $0.comment.isHidden
    },
    JSONField("created_at") { $0.comment.createdAt },
  ]
}

/// A page of comments.
struct CommentsResponse: JSONResponse {
  let comments: [CommentResponse]
  let next: String?

  static let jsonName = "Comments"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("comments", note: "Newest first.") { $0.comments },
    JSONField("next_cursor", note: "For older comments; null on the last page.") { $0.next },
  ]
}
