import Core
import Web

/// `POST /api/v1/posts/{id}/report`, `/comments/{id}/report`,
/// `/conversations/{id}/messages/{message_id}/report`, `/moments/{id}/report` and
/// `/couples/{id}/report` (docs/api/README.md).
struct ReportAPI {
  let services: ModerationEnvironment

  private var service: ReportService { ReportService(services: services) }

  var routes: [Route] {
    let note =
      "One open report per user; at most 20 a day. The reporter's identity is never revealed."
    return [
      .api(
        .post, "/posts/:id/report", .atLeast(.member),
        Operation("Report a post", .posts, note: note, errors: [.conflict]),
        options: [.idempotent, .closedToSuspended], handler: reportPost),
      .api(
        .post, "/comments/:id/report", .atLeast(.member),
        Operation("Report a comment", .posts, note: note, errors: [.conflict]),
        options: [.idempotent, .closedToSuspended], handler: reportComment),
      .api(
        .post, "/conversations/:id/messages/:message_id/report", .atLeast(.member),
        Operation(
          "Report a message", .messages,
          note: note + " Moderators see the message with five before and after it.",
          errors: [.conflict], path: ["message_id": "The message."]),
        options: [.idempotent, .closedToSuspended], handler: reportMessage),
      .api(
        .post, "/moments/:id/report", .atLeast(.member),
        Operation("Report a moment", .moments, note: note, errors: [.conflict]),
        options: [.idempotent, .closedToSuspended], handler: reportMoment),
      .api(
        .post, "/couples/:id/report", .atLeast(.member),
        Operation("Report a couple", .couples, note: note, errors: [.conflict]),
        options: [.idempotent, .closedToSuspended], handler: reportCouple),
    ]
  }

  @Sendable private func reportPost(
    _ input: ReportRequest, _ context: Context
  ) throws -> Created<ReportResponse> {
    try report(
      service.target(context.id("id", ReportedPost.self), for: context.signedIn()), input, context)
  }

  @Sendable private func reportComment(
    _ input: ReportRequest, _ context: Context
  ) throws -> Created<ReportResponse> {
    try report(
      service.target(context.id("id", ReportedComment.self), for: context.signedIn()), input,
      context)
  }

  @Sendable private func reportMessage(
    _ input: ReportRequest, _ context: Context
  ) throws -> Created<ReportResponse> {
    try report(
      service.target(
        context.id("message_id", ReportedMessage.self),
        in: context.id("id", ReportedConversation.self), for: context.signedIn()),
      input, context)
  }

  @Sendable private func reportMoment(
    _ input: ReportRequest, _ context: Context
  ) throws -> Created<ReportResponse> {
    try report(
      service.target(
        context.id("id", ReportedMoment.self), of: nil, for: context.signedIn(),
        now: context.now),
      input, context)
  }

  @Sendable private func reportCouple(
    _ input: ReportRequest, _ context: Context
  ) throws -> Created<ReportResponse> {
    try report(
      service.target(context.id("id", Couple.self), for: context.signedIn()), input, context)
  }

  private func report(
    _ target: ReportService.ReportableItem, _ input: ReportRequest, _ context: Context
  ) throws -> Created<ReportResponse> {
    switch ReportRules.report(reason: input.reason.rawValue, note: input.note) {
    case .failure(let wrong): throw Problem.invalid(wrong.fields)
    case .success(let report):
      try service.report(target, report, by: context.signedIn(), now: context.now)
      return Created(ReportResponse(report: report, createdAt: context.now))
    }
  }
}

/// The request body of a report.
struct ReportRequest: JSONRequest {
  var reason = ReportReason.other
  var note = ""

  static let jsonName = "ReportInput"
  static let jsonFields: [InputField<Self>] = [
    .required("reason") { $0.reason = $1 },
    .optional(
      "note",
      note:
        "1 to \(ReportRules.noteLimits.characters) characters with `other`; not allowed otherwise.",
      example: "They sell what isn't theirs."
    ) { $0.note = $1 },
  ]
}

/// A stored report.
struct ReportResponse: JSONResponse {
  let report: NewReport
  let createdAt: Instant

  static let jsonName = "Report"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("reason") { $0.report.reason },
    JSONField("note", example: "They sell what isn't theirs.") { $0.report.note },
    JSONField("created_at") { $0.createdAt },
  ]
}
