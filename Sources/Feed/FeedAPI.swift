import Accounts
import Core
import Database
import Images
import Web

/// `/api/v1/posts`: the feed and single posts.
struct FeedAPI {
  private static let names = NewPostForm.Names(
    files: ["images[]", "images"], descriptions: ["descriptions[]", "descriptions"])

  /// Scope of the cursors of these lists.
  private static let list = "posts"

  private let services: FeedEnvironment

  private var service: PostService { PostService(services: services) }

  init(_ services: FeedEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .get, "/posts", .atLeast(.guest),
        Operation(
          "List posts, newest first", .posts,
          note: "Pages never repeat or skip a post when new posts are created.",
          errors: [.notFound]), handler: list),
      .api(
        .post, "/posts", .atLeast(.member),
        Operation(
          "Create a post", .posts,
          note: "Text, pictures, or both. For members of an active couple or without a partner.",
          errors: [.notAcceptablePicture, .unavailable]),
        form: [
          .init("content", .text, note: "Up to 2,000 composed characters."),
          .init(
            "visibility", .choice(Visibility.allCases.map(\.rawValue)),
            note: "Default: `public`."),
          .init(
            "images[]", .files,
            note:
              "Up to 9 JPEG, PNG, HEIC, WebP or GIF files of at most 12 MB and 50 megapixels each."),
          .init(
            "descriptions[]", .texts, note: "Alternative texts, in the order of the pictures."),
        ], options: [.idempotent, .closedToSuspended, .paragraphs], bodyLimit: 256 << 20,
        handler: write),
      .api(.get, "/posts/:id", .anyone, Operation("Get a post", .posts), handler: show),
      .api(
        .patch, "/posts/:id", .atLeast(.member),
        Operation(
          "Change your post", .posts,
          note: """
            Omitted fields stay unchanged. Pictures can be removed, reordered and described. If \
            the visibility is reduced, the pictures get new URLs.
            """), options: .closedToSuspended,
        handler: change),
      .api(
        .delete, "/posts/:id", .atLeast(.member),
        Operation("Delete a post of yours or your partner", .posts),
        handler: delete),
      .api(
        .post, "/posts/:id/like", .atLeast(.member),
        Operation("Like a post", .posts, note: "Repeating it has no effect."),
        options: .closedToSuspended,
        handler: like),
      .api(
        .delete, "/posts/:id/like", .atLeast(.member), Operation("Unlike a post", .posts),
        handler: unlike),
    ]
  }

  // MARK: Reading

  @Sendable private func list(_ query: PostsQuery, _ context: Context) throws -> PostsResponse {
    let viewer = try context.signedIn()
    // A client that polls for newer posts with `limit=1` gets no promotions.
    if query.cursor == nil, query.isOfEveryone, query.limit > 1 {
      let first = try FeedFirstPage(services: services).find(
        for: viewer, size: query.limit, now: context.now)
      return PostsResponse(
        posts: try services.postResponses.all(first.posts.marked(by: first.ends), context),
        next: first.next.map { context.cursor(after: $0, in: Self.list) })
    }
    let place = try context.place(of: query.cursor, in: Self.list, Post.self)
    let page = try ListPage(limit: query.limit, cursor: PageCursor<Post>.init) {
      try self.posts(query, for: viewer, after: place ?? .start, limit: $0)
    }
    let posts = try services.marked(page.rows, now: context.now)
    return PostsResponse(
      posts: try services.postResponses.all(posts, context),
      next: context.nextCursor(page, in: Self.list))
  }

  private func posts(
    _ query: PostsQuery, for viewer: Viewer, after cursor: PageCursor<Post>, limit: Int
  ) throws -> [PostSummary] {
    switch query.scope ?? (query.couple == nil ? .everyone : .couple) {
    case .everyone:
      return try services.posts.feed(.everyone, for: viewer, after: cursor, limit: limit)
    case .following:
      return try services.posts.feed(.following, for: viewer, after: cursor, limit: limit)
    case .couple:
      // A member without a couple has none before the first post.
      guard let couple = query.couple ?? viewer.couple?.id else { return [] }
      guard try services.couples.visible(couple, to: viewer) != nil else {
        throw Problem.notFound
      }
      return try services.posts.of(couple, for: viewer, after: cursor, limit: limit)
    }
  }

  @Sendable private func show(_ context: Context) throws -> PostResponse {
    let post = try service.seen(context.id(), by: context.viewer)
    return PostResponse(try services.marked(post, now: context.now), context)
  }

  // MARK: Writing

  @Sendable private func write(_ form: Form, _ context: Context) throws -> Created<PostResponse> {
    let viewer = try context.signedIn()
    let sent = NewPostForm(
      // The operation's schema has already rejected other values.
      content: form["content"], visibility: Visibility(rawValue: form["visibility"]) ?? .everyone,
      nonce: "", filesOf: form, Self.names)
    let service = NewPostService(services: services)
    let location = try context.making(
      {
        switch try service.post(sent, by: viewer, context) {
        case .posted(let location), .answered(let location): return location
        case .wrong(let sent):
          try service.drop(sent, of: viewer)
          throw sent.problem
        }
      }, name: { (location: String) in location }, read: { $0 })
    guard let id = FeedLinks.post(at: location) else { throw Problem.internalError }
    return Created(PostResponse(try self.service.seen(id, by: viewer), context))
  }

  @Sendable private func change(
    _ input: PostChangeRequest, _ context: Context
  ) throws -> PostResponse {
    let viewer = try context.signedIn()
    let post = try service.own(context.id(), of: viewer)
    let change = PostService.Change(
      content: input.content?.asParagraphs ?? post.content,
      visibility: input.visibility,
      pictures: try input.edits(of: post.pictures))
    let errors = change.errors
    guard errors.isEmpty else { throw Problem.invalid(errors) }
    try service.save(change, of: post, by: viewer, now: context.now)
    let changed = try services.marked(service.seen(post.id, by: viewer), now: context.now)
    return PostResponse(changed, context)
  }

  @Sendable private func delete(_ context: Context) throws -> NoContent {
    let viewer = try context.signedIn()
    try service.delete(service.ofCouple(context.id(), of: viewer), by: viewer, now: context.now)
    return NoContent()
  }

  @Sendable private func like(_ context: Context) throws -> LikeResponse {
    try setLike(true, context)
  }

  @Sendable private func unlike(_ context: Context) throws -> LikeResponse {
    try setLike(false, context)
  }

  private func setLike(_ likes: Bool, _ context: Context) throws -> LikeResponse {
    LikeResponse(
      post: try service.setLike(
        likes, of: context.id(), by: context.signedIn(), now: context.now))
  }
}

extension NewPostForm {
  /// The errors as an API problem; the first rejected picture determines the code.
  fileprivate var problem: Problem {
    if let retryAfter { return .tooMany(retryAfter: retryAfter) }
    if isBusy { return PictureError.busy.problem(fields: errors) }
    let ours = failed.first { [.diskFull, .busy].contains($0.problem) }
    guard let first = ours ?? failed.first else {
      return isTooMuchTogether ? Problem(.payloadTooLarge, fields: errors) : .invalid(errors)
    }
    var fields = errors
    fields["images"] = nil
    for one in failed { fields["images.\(one.place)"] = one.problem.error }
    return first.problem.problem(fields: fields)
  }
}

extension PostChangeRequest {
  /// The edits of all pictures of the post. Throws 422 for pictures of other posts and for
  /// duplicates.
  fileprivate func edits(of pictures: [Picture]) throws -> [PictureEdit] {
    guard let images else {
      return pictures.enumerated().map {
        PictureEdit(
          id: $0.element.id, order: $0.offset, description: $0.element.description,
          isRemoved: false)
      }
    }
    var errors: [String: FieldError] = [:]
    var places: [ID<PostImage>: Int] = [:]
    for (place, image) in images.enumerated() {
      let isOwn = pictures.contains { $0.id == image.id }
      if isOwn, places[image.id] == nil {
        places[image.id] = place
      } else {
        errors["images.\(place).id"] = FieldError("api.field_picture")
      }
    }
    guard errors.isEmpty else { throw Problem.invalid(errors) }
    return pictures.map { picture in
      let place = places[picture.id]
      let description = place.flatMap { images[$0].description }.map(PostRules.description)
      return PictureEdit(
        id: picture.id, order: place ?? 0, description: description ?? picture.description,
        isRemoved: place == nil)
    }
  }
}
