import Accounts
import Core
import HTTPTypes
import Templates
import Web

/// `/posts/{id}`: a post with its comments and the form for a new one.
struct PostPages {
  private let services: FeedEnvironment
  private let page: Page<PostPageView>

  init(_ services: FeedEnvironment) throws {
    self.services = services
    page = try Page("feed/post", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let post = try PostService(services: services).seen(context.id(), by: context.viewer)
    return try response(post, context)
  }

  @Sendable func comment(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let post = try PostService(services: services).seen(context.id(), by: viewer)
    let content = context.form["content"].asParagraphs
    do {
      let comment = try CommentService(services: services).add(
        content, to: post, by: viewer, now: context.now)
      return .seeOther(FeedLinks.comment(comment, of: post.id))
    } catch let problem as Problem where !problem.fields.isEmpty {
      return try response(
        post, context, entered: content, errors: problem.fields, status: .unprocessableContent)
    } catch let problem as Problem where problem.status == .tooManyRequests {
      var response = try response(
        post, context, entered: content, errors: ["content": FieldError("error.comments_many")],
        status: .tooManyRequests)
      if let wait = problem.retryAfter { response.headers[.retryAfter] = String(wait) }
      return response
    }
  }

  private func response(
    _ post: Post, _ context: Context, entered: String = "", errors: [String: FieldError] = [:],
    status: HTTPResponse.Status = .ok
  ) throws -> Response {
    let cards = try services.foldedCards(
      [PostSummary(post)], next: FeedLinks.post(post.id), context)
    guard let card = cards.first else { throw Problem.notFound }
    let view = PostPageView(
      post: card,
      likesLink: post.likeCount > 0 && context.viewer != nil ? FeedLinks.likes(post.id) : nil,
      comments: try comments(on: post, context, entered: entered, errors: errors))
    let title = context.text("page_title.post", ["couple_name": post.coupleName])
    return page.response(view, context, title: .named(title), status: status)
  }

  private func comments(
    on post: Post, _ context: Context, entered: String, errors: [String: FieldError]
  ) throws -> CommentsView {
    let (viewer, when) = (context.viewer, DateFormatting(context))
    let before = context.request.queryValue("before").flatMap { ID<Comment>($0) }
    let deleted = context.request.queryValue("deleted").flatMap { ID<Comment>($0) }
    let limit = CommentRules.pageSize
    let (found, mayRestore) = try services.site.database.read { reader in
      let store = CommentStore()
      let found = try store.page(
        of: post.id, for: viewer, before: before, limit: limit + 1, in: reader)
      guard let viewer, let deleted else { return (found, false) }
      let oldest = DeletionPeriod.start(now: context.now)
      return (
        found,
        try store.isDeleted(deleted, of: post.id, by: viewer, since: oldest, in: reader)
      )
    }
    let shown = found.suffix(limit)
    return CommentsView(
      post: post, comments: shown.map { CommentView($0, on: post, for: viewer, when) },
      earlier: found.count > limit
        ? shown.first.map { FeedLinks.comments(post.id, before: $0.id) } : nil,
      latest: before == nil ? nil : "\(FeedLinks.post(post.id))#comments",
      undo: mayRestore ? deleted.map { FeedLinks.restore($0) } : nil,
      mayComment: viewer?.mayPost ?? false,
      signIn: viewer == nil ? AccountLinks.signIn(next: FeedLinks.post(post.id)) : nil,
      join: viewer?.role == .guest
        ? AccountLinks.becomeMember(next: FeedLinks.post(post.id)) : nil,
      entered: entered, errors: errors.texts(context))
  }
}

struct PostPageView: View {
  let post: CardView
  let likesLink: String?
  let comments: CommentsView

  static let fields: [String: Field<PostPageView>] = [
    "post": .child { $0.post },
    "likes_link": .optionalText { $0.likesLink },
    "comments": .child { $0.comments },
  ]
}
