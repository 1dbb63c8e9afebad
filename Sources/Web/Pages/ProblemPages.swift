import Core
import HTTPTypes
import Templates

/// Turns a `Problem` into a page or JSON, in one place.
struct ProblemPages: Sendable {
  private let page: Page<ProblemView>
  private let csrfPage: Page<CSRFView>

  init(site: AppEnvironment) throws {
    page = try Page("errors/problem", in: site)
    csrfPage = try Page("errors/csrf", title: "csrf.title", in: site)
  }

  func response(
    to problem: Problem, _ context: Context, options: Route.Options = []
  ) -> Response {
    let request = context.request
    var response =
      request.wantsJSON
      ? json(problem, context)
      : problem.code == Problem.csrf.code && request.method != .get
        ? tooOld(context, options) : html(problem, context)
    if let seconds = problem.retryAfter { response.headers[.retryAfter] = String(seconds) }
    if response.status == .unauthorized, request.takesTokens {
      response.headers[.wwwAuthenticate] = Self.challenge(request)
    }
    return response
  }

  private func html(_ problem: Problem, _ context: Context) -> Response {
    let section = context.site.tabs.first { context.path.hasPrefix("\($0.path)/") }
    let view = ProblemView(
      section: context.viewer == nil
        ? nil : section.map { SectionView(name: context.text($0.textKey), link: $0.path) },
      status: problem.status.code,
      title: context.text("\(problem.textKey).title"),
      message: context.text(Self.messageKey(problem, context), problem.parameters),
      retryAfter: problem.retryAfter.map { Self.wait($0, context) },
      requestID: problem.status.code >= 500 ? context.requestID : nil,
      decisionsLink: problem.code == Problem.suspendedCode ? WebLinks.decisions : nil)
    return page.response(
      view, context, title: .key("\(problem.textKey).title"), status: problem.status)
  }

  /// The key of the reason. A missing page gives that of the part of the site which its address
  /// belongs to, with the same words whether the content exists or not.
  private static func messageKey(_ problem: Problem, _ context: Context) -> String {
    let key = "\(problem.textKey).message"
    let parts = context.path.split(separator: "/")
    guard problem.code == Problem.notFound.code, parts.count > 1 else { return key }
    let ownKey = "\(key)_\(parts[0])"
    return context.site.catalogues.contains(ownKey) ? ownKey : key
  }

  /// The page for an invalid CSRF token. A form of one of this site's pages is shown again with its
  /// fields, to be checked and sent again: never passwords or codes, and never a change of an
  /// emergency contact.
  private func tooOld(_ context: Context, _ options: Route.Options) -> Response {
    let request = context.request
    let isOurs = CSRF.isKnownToComeFromUs(request, context.site)
    let isKept = isOurs && !options.contains(.withoutKeptForm)
    let secret: Set = ["csrf_token", "password", "current_password", "code", "token"]
    let kept = context.form.fields.filter {
      !secret.contains($0.name) && $0.value.utf8.count < 65_536
    }
    let view = CSRFView(
      action: request.path,
      isMultipart: request.headers[.contentType]?.hasPrefix("multipart/") == true,
      isKept: isKept,
      // Each route that keeps nothing has a page of its own at the same address.
      pageLink: isOurs ? request.path : "/",
      kept: isKept ? kept.map { PreservedField(name: $0.name, value: $0.value) } : [])
    return csrfPage.response(view, context, status: .forbidden)
  }

  /// The one JSON form of errors (docs/api/README.md), with codes for programs.
  private func json(_ problem: Problem, _ context: Context) -> Response {
    let known = APIErrorCode(ofPages: problem.code)
    let (code, status) = known.map { ($0.rawValue, $0.status) } ?? (problem.code, problem.status)
    let ownKey = "api.error.\(code)"
    let key =
      !problem.parameters.isEmpty
      ? "\(problem.textKey).message"
      : context.site.catalogues.contains(ownKey)
        ? ownKey : known == nil ? "\(problem.textKey).message" : "problem.s\(status.code).message"
    var error: [JSON.Member] = [
      .init("code", .text(code)), .init("message", .text(context.text(key, problem.parameters))),
    ]
    if !problem.fields.isEmpty {
      let fields = problem.fields.sorted { $0.key < $1.key }
        .map { JSON.Member($0.key, .text(context.text($0.value.key, $0.value.parameters))) }
      error.append(.init("fields", .object(fields)))
    }
    return .json(JSON.object([.init("error", .object(error))]).bytes, status: status)
  }

  /// RFC 6750, section 3: a caller without a token gets no error code.
  private static func challenge(_ request: Request) -> String {
    request.bearerToken == nil ? "Bearer" : "Bearer error=\"invalid_token\""
  }

  /// The waiting time as text.
  private static func wait(_ seconds: Int, _ context: Context) -> String {
    seconds < 90
      ? context.text("problem.retry_seconds", count: seconds)
      : context.text("problem.retry_minutes", count: (seconds + 59) / 60)
  }
}

struct ProblemView: View {
  /// The part of the site that the address belongs to.
  let section: SectionView?
  let status: Int
  let title: String
  let message: String
  let retryAfter: String?
  let requestID: String?
  /// The link to the decision, for a suspended viewer.
  let decisionsLink: String?

  static let fields: [String: Field<ProblemView>] = [
    "status": .integer { $0.status },
    "title": .text { $0.title },
    "message": .text { $0.message },
    "retry_after": .optionalText { $0.retryAfter },
    "request_id": .optionalText { $0.requestID },
    "decisions_link": .optionalText { $0.decisionsLink },
    "home_link": .text { _ in "/" },
    "section": .optional { $0.section },
    "decided": .flag { $0.decisionsLink != nil },
  ]
}

/// A part of the site: one of the tabs.
struct SectionView: View {
  let name: String
  let link: String

  static let fields: [String: Field<SectionView>] = [
    "name": .text { $0.name },
    "link": .text { $0.link },
  ]
}

struct CSRFView: View {
  let action: String
  let isMultipart: Bool
  let isKept: Bool
  let pageLink: String
  let kept: [PreservedField]

  static let fields: [String: Field<CSRFView>] = [
    "action": .text { $0.action },
    "multipart": .flag { $0.isMultipart },
    "kept": .flag { $0.isKept },
    "page_link": .text { $0.pageLink },
    "fields": .list { $0.kept },
  ]
}

/// One typed field. Technical fields that no person typed stay hidden.
struct PreservedField: View {
  private static let technical: Set = ["nonce", "version", "next"]

  let name: String
  let value: String

  static let fields: [String: Field<PreservedField>] = [
    "name": .text { $0.name },
    "value": .text { $0.value },
    "technical": .flag { technical.contains($0.name) },
  ]
}
