import Core
import Database
import Web

/// `/api/v1/moments` and `/couples/{id}/moments` (docs/api/README.md).
struct MomentAPI {
  private static let list = "moment viewers"

  let services: MomentsEnvironment

  private var service: MomentService { MomentService(services: services) }

  var routes: [Route] {
    [
      .api(
        .get, "/moments", .atLeast(.member),
        Operation(
          "List couples with moments", .moments,
          note: "Yours first, then those with moments that you have not seen. Not paged."),
        options: .noStore, handler: circles),
      .api(
        .post, "/moments", .atLeast(.member),
        Operation(
          "Create a moment", .moments,
          note: """
            A picture, or a film of at most 15 s, for 24 hours. For members of an active couple or \
            without a partner; 30 a day for a couple.
            """,
          errors: [.notAcceptablePicture, .unavailable]),
        form: [
          .init(
            "file", .file, isRequired: true,
            note: """
              JPEG, PNG, HEIC, WebP or GIF of at most 12 MB and 50 megapixels; or a film as MP4, \
              MOV or WebM, if the instance has ffmpeg.
              """),
          .init("words", .text, note: "A line of up to 150 characters."),
          .init(
            "audience", .choice(Moment.Audience.allCases.map(\.rawValue)),
            note: "Default: `followers`."),
        ],
        options: [.noStore, .idempotent, .closedToSuspended, .paragraphs],
        bodyLimit: MomentPages.bodyLimit,
        files: MomentPages.fileLimits, handler: make),
      .api(
        .get, "/moments/:id", .atLeast(.member), Operation("Get a moment", .moments),
        options: .noStore, handler: show),
      .api(
        .delete, "/moments/:id", .atLeast(.member),
        Operation(
          "Delete a moment of yours or your partner", .moments, errors: [.forbidden]),
        handler: delete),
      .api(
        .put, "/moments/:id/seen", .atLeast(.member),
        Operation(
          "Mark a moment as seen", .moments, note: "Repeating it has no effect.",
          errors: [.notFound]),
        handler: markSeen),
      .api(
        .post, "/moments/:id/keep", .atLeast(.member),
        Operation(
          "Keep a moment of your couple in your album", .moments,
          note: """
            Copies its picture, seen by your partner too, once. One that you have deleted is \
            restored. 404 for moments of others, 409 if your album is full, 422 for a film.
            """, errors: [.conflict, .validationError]),
        handler: keep),
      .api(
        .post, "/moments/:id/answers", .atLeast(.member),
        Operation(
          "Answer a moment", .moments,
          note: """
            Sends a message to its couple, or to your partner: a request if you don't follow each \
            other, and 409 while one waits. A repeated `client_id` is stored once. 403 for your own.
            """, errors: [.conflict]),
        options: [.closedToSuspended, .paragraphs], handler: answer),
      .api(
        .get, "/moments/:id/viewers", .atLeast(.member),
        Operation(
          "List who has seen a moment of your couple", .moments,
          note: "The latest first. 404 for moments of others.", errors: [.notFound]),
        options: .noStore, handler: viewers),
      .api(
        .get, "/couples/:id/moments", .atLeast(.member),
        Operation(
          "List the moments of a couple", .moments,
          note: "Those that you may see, the oldest first; empty for others. Not paged."),
        options: .noStore, handler: ofCouple),
    ]
  }

  @Sendable private func circles(_ context: Context) throws -> MomentCirclesResponse {
    MomentCirclesResponse(
      circles: try service.circles(for: context.signedIn(), now: context.now).map {
        MomentCircleResponse(circle: $0, baseURL: context.site.baseURL)
      })
  }

  @Sendable private func ofCouple(_ context: Context) throws -> MomentsResponse {
    let moments = try service.moments(
      of: context.id(), for: context.signedIn(), now: context.now)
    return MomentsResponse(moments: moments.map { MomentResponse($0, context) })
  }

  @Sendable private func show(_ context: Context) throws -> MomentResponse {
    MomentResponse(
      try service.moment(context.id(), for: context.signedIn(), now: context.now), context)
  }

  @Sendable private func make(
    _ form: Form, _ context: Context
  ) throws -> Created<MomentResponse> {
    let viewer = try context.signedIn()
    let id = try context.making(
      {
        try MomentMaker(services: services).make(
          MomentForm(apiForm: form), by: viewer, now: context.now, note: context.noteError)
      }, name: { (id: ID<Moment>) in id.description }, read: { ID<Moment>($0) })
    return Created(
      MomentResponse(try service.moment(id, for: viewer, now: context.now), context))
  }

  @Sendable private func delete(_ context: Context) throws -> NoContent {
    try service.delete(context.id(), by: context.signedIn(), now: context.now)
    return NoContent()
  }

  @Sendable private func keep(
    _ context: Context
  ) throws -> CreatedOrFound<KeptMomentResponse> {
    do {
      let kept = try service.keep(context.id(), by: context.signedIn(), now: context.now)
      let response = KeptMomentResponse(kept: kept)
      return kept.outcome == .added ? .created(response) : .found(response)
    } catch let error as MomentAlbumError {
      if case .failed(let reason) = error { context.noteError("moment: \(reason)") }
      throw error.problem
    }
  }

  @Sendable private func answer(
    _ input: MomentAnswerRequest, _ context: Context
  ) throws -> Created<MomentAnswerResponse> {
    let sent = try service.answer(
      context.id(), input.text, clientID: input.clientID, by: context.signedIn(),
      now: context.now)
    return Created(MomentAnswerResponse(sent: sent))
  }

  @Sendable private func markSeen(_ context: Context) throws -> NoContent {
    let viewer = try context.signedIn()
    let moment = try service.moment(context.id(), for: viewer, now: context.now)
    try service.markSeen(moment, by: viewer, now: context.now)
    return NoContent()
  }

  @Sendable private func viewers(
    _ query: ListQuery, _ context: Context
  ) throws -> MomentViewersResponse {
    let (_, page) = try service.viewers(
      of: context.id(), after: context.place(of: query.cursor, in: Self.list),
      limit: query.limit, by: context.signedIn(), now: context.now)
    return MomentViewersResponse(
      viewers: page.rows.map {
        MomentViewerResponse(viewer: $0, baseURL: context.site.baseURL)
      },
      next: context.nextCursor(page, in: Self.list))
  }
}
