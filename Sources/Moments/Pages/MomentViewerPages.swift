import Core
import HTTPTypes
import Secrets
import Templates
import Web

/// `/moments/{couple}` and `/moments/{couple}/{moment}`: one moment, with links to the others of
/// its couple and to the next couple. It counts as seen from then on. A script shows them one after
/// the other.
struct MomentViewerPages {
  private let services: MomentsEnvironment
  private let page: Page<MomentView>

  private var service: MomentService { MomentService(services: services) }

  init(_ services: MomentsEnvironment) throws {
    self.services = services
    page = try Page("moments/moment", in: services.site)
  }

  /// The first moment that the viewer has not seen; the first one after all are seen.
  @Sendable func showFirst(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let shown = try service.shown(of: context.id(), for: viewer, now: context.now)
    return try response(
      shown, number: shown.moments.firstIndex { !$0.isSeen } ?? 0, viewer, context)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let shown = try service.shown(of: context.id(), for: viewer, now: context.now)
    return try response(shown, number: number(in: shown, context), viewer, context)
  }

  /// Sends an answer as a message, and shows its conversation.
  @Sendable func answer(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let moment = try context.moment(services)
    let text = context.form["text"].asParagraphs
    let clientID = FieldLimits(bytes: 64).beginning(of: context.form["client_id"].asOneLine)
    do {
      let sent = try service.answer(
        moment.id, text, clientID: clientID.isEmpty ? Self.newClientID() : clientID, by: viewer,
        now: context.now)
      context.flash("toast.moment_answered")
      return .seeOther(sent.path)
    } catch let problem as Problem {
      guard let error = Self.error(problem) else { throw problem }
      let shown = try service.shown(of: moment.couple, for: viewer, now: context.now)
      var response = try response(
        shown, number: number(in: shown, context), text: text, error: error,
        status: problem.status, viewer, context)
      if let wait = problem.retryAfter { response.headers[.retryAfter] = String(wait) }
      return response
    }
  }

  /// Copies the picture into the viewer's album.
  @Sendable func keep(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let moment = try context.moment(services)
    do {
      let kept = try service.keep(moment.id, by: viewer, now: context.now)
      context.flash(kept.outcome.textKey, link: (kept.album, "toast.moment_kept_link"))
      return .seeOther(MomentLinks.moment(moment.id, of: moment.couple))
    } catch let error as MomentAlbumError {
      if case .failed(let reason) = error { context.noteError("moment: \(reason)") }
      let shown = try service.shown(of: moment.couple, for: viewer, now: context.now)
      return try response(
        shown, number: number(in: shown, context), keepError: context.text(error.textKey),
        status: error.status, viewer, context)
    }
  }

  /// The error to show beside the text; nil for problems that need a page of their own.
  private static func error(_ problem: Problem) -> FieldError? {
    if problem.status == .tooManyRequests { return FieldError("error.messages_many") }
    if problem.status == .conflict, problem.fields.isEmpty {
      return FieldError("moments.answer_waits")
    }
    return problem.fields["text"]
  }

  private static func newClientID() -> String { Base64URL.text(RandomBytes.make(16)) }

  private func number(in shown: CoupleMoments, _ context: Context) throws -> Int {
    let id: ID<Moment> = try context.id("moment")
    guard let number = shown.moments.firstIndex(where: { $0.id == id }) else {
      throw Problem.notFound
    }
    return number
  }

  private func response(
    _ shown: CoupleMoments, number: Int, text: String = "", error: FieldError? = nil,
    keepError: String? = nil, status: HTTPResponse.Status = .ok, _ viewer: Viewer,
    _ context: Context
  ) throws -> Response {
    let moment = shown.moments[number]
    try service.markSeen(moment, by: viewer, now: context.now)
    // The next couple follows the last moment of this one.
    let isLast = number == shown.moments.count - 1
    let next =
      isLast
      ? try service.circles(for: viewer, now: context.now)
        .first { $0.couple != shown.couple && $0.unseen > 0 } : nil
    let view = MomentView(
      shown, number: number, nextCouple: next?.couple,
      answer: try answerForm(to: moment, text: text, error: error, viewer, context),
      viewerCount: try service.viewerCount(of: moment, for: viewer), keepError: keepError, viewer,
      context)
    return page.response(view, context, title: .named(shown.name), status: status)
  }

  private func answerForm(
    to moment: Moment, text: String, error: FieldError?, _ viewer: Viewer, _ context: Context
  ) throws -> AnswerFormView? {
    guard moment.author != viewer.id, viewer.suspension == nil else { return nil }
    let way = try services.answers.way(to: moment.couple, for: viewer)
    guard way != .none || error != nil else { return nil }
    return AnswerFormView(
      moment: moment, clientID: Self.newClientID(), text: text, isRequest: way == .request,
      errors: error.map { ["text": $0.text(context)] } ?? [:])
  }
}

extension KeptPicture.Outcome {
  /// The key of the text for users.
  fileprivate var textKey: String {
    switch self {
    case .added: "toast.moment_kept"
    case .restored: "toast.moment_restored"
    case .present: "toast.moment_present"
    }
  }
}

extension MomentAlbumError {
  /// The key of the text for users.
  fileprivate var textKey: String {
    switch self {
    case .busy: "moments.keep_busy"
    case .full: "moments.keep_full"
    case .diskFull: "moments.keep_disk"
    case .failed: "moments.keep_failed"
    }
  }

  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .busy: .serviceUnavailable
    case .full: .conflict
    case .diskFull: .insufficientStorage
    case .failed: .internalServerError
    }
  }
}
