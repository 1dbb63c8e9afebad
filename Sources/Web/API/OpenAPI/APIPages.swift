import Core
import HTTPTypes
import Synchronization
import Templates

/// `/api/v1/openapi.json` for programs and `/api` for people, both made from the table of routes.
public struct APIPages: Sendable {
  private let page: Page<APIPageView>
  private let description: APIDescription

  private static let documentPath = "/openapi.json"

  /// `routes` are all other routes of the instance. Throws if the page's template doesn't compile.
  public init(site: AppEnvironment, routes: [Route]) throws {
    page = try Page("static/api", title: "api.title", in: site)
    // Its handler isn't known yet, but its description is.
    let all = routes + [Self.documentRoute { _ in Response(.ok) }]
    description = APIDescription(site: site, routes: all)
  }

  public var routes: [Route] {
    [
      Route(.get, "/api", .anyone, handler: show),
      Self.documentRoute { [description] _ in
        let (document, tag) = description.document
        var response = Response.json(document)
        response.headers[.eTag] = tag
        return response
      },
    ]
  }

  private static func documentRoute(handler: @escaping Handler) -> Route {
    .api(
      .get, documentPath, .anyone, Operation("Get this document (OpenAPI 3.1)", .document),
      answers: [Operation.SuccessResponse(.ok, "The document.", json: AnyObjectShape.self)],
      options: .withoutViewer, handler: handler)
  }

  /// All calls by name, or those of one group in full.
  @Sendable private func show(_ context: Context) throws -> Response {
    let part = context.request.queryValue("part")
    let groups = description.groups.filter { part == nil || $0.part == part }
    guard !groups.isEmpty else { throw Problem.notFound }
    let view = APIPageView(
      groups: groups, isPart: part != nil, documentLink: Route.apiBase + Self.documentPath)
    return page.response(view, context)
  }
}

/// The descriptions of all routes, built at the first request for them: few ask, and building takes
/// as long as a dozen pages.
private final class APIDescription: Sendable {
  private struct Content {
    let groups: [APIGroupView]
    let document: [UInt8]
    let documentTag: String
  }

  private let site: AppEnvironment
  private let routes: [Route]
  private let made = Mutex<Content?>(nil)

  init(site: AppEnvironment, routes: [Route]) {
    self.site = site
    self.routes = routes
  }

  var groups: [APIGroupView] { content.groups }

  /// The document and its ETag.
  var document: (bytes: [UInt8], tag: String) {
    let content = content
    return (content.document, content.documentTag)
  }

  private var content: Content {
    made.withLock { made in
      if let made { return made }
      let content = make()
      made = content
      return content
    }
  }

  private func make() -> Content {
    let document = OpenAPIDocument(routes: routes, site: site).json.bytes
    let calls = routes.compactMap { route in
      route.operation.map { OpenAPICall(route: route, operation: $0) }
    }
    let groups = Operation.Tag.allCases.compactMap { tag in
      let own = calls.filter { $0.operation.tag == tag }
      return own.isEmpty
        ? nil : APIGroupView(name: tag.rawValue, calls: own.map(APICallView.init))
    }
    return Content(groups: groups, document: document, documentTag: EntityTags.tag(of: document))
  }
}

/// An object without a more specific schema.
private enum AnyObjectShape: JSONType {
  static var jsonSchema: JSONSchema { .type("object") }
  static var jsonExample: JSON { ["openapi": "3.1.0"] }
}

struct APIPageView: View {
  let groups: [APIGroupView]
  /// Whether it has one group, with everything about its calls.
  let isPart: Bool
  let documentLink: String

  static let fields: [String: Field<APIPageView>] = [
    "groups": .list { $0.groups },
    "is_part": .flag { $0.isPart },
    "document_link": .text { $0.documentLink },
  ]
}

struct APIGroupView: View {
  let name: String
  let calls: [APICallView]

  /// Its name in the address.
  var part: String { name.lowercased().replacing(" ", with: "-") }

  static let fields: [String: Field<APIGroupView>] = [
    "name": .text { $0.name },
    "link": .text { "/api?part=\($0.part)" },
    "calls": .list { $0.calls },
  ]
}

/// One call on the API page; nothing in it depends on the viewer.
struct APICallView: View {
  struct Line: View {
    let name: String
    let text: String

    static let fields: [String: Field<Line>] = [
      "name": .text { $0.name },
      "text": .text { $0.text },
    ]
  }

  let method: String
  let path: String
  let summary: String
  let note: String?
  let access: Route.Access
  let parameters: [Line]
  let input: String?
  let answers: [Line]
  let errors: [Line]

  init(_ call: OpenAPICall) {
    method = call.route.method.rawValue
    path = Route.apiBase + call.path
    summary = call.operation.summary
    note = call.operation.note
    access = call.route.access
    parameters = call.parameters.map { parameter in
      let note = parameter.note ?? parameter.schema.note
      return Line(
        name: parameter.name, text: [parameter.schema.typeName, note ?? ""].joined(separator: " "))
    }
    input = call.body.map { $0.example?.pretty() ?? Self.parts(of: $0) }
    answers = call.operation.answers.map {
      Line(name: String($0.status.code), text: $0.example?.pretty() ?? $0.contentType ?? "")
    }
    errors = call.errors.map {
      Line(name: String($0.status), text: $0.codes.joined(separator: ", "))
    }
  }

  private static func parts(of body: OpenAPICall.Body) -> String {
    guard case .object(let members)? = body.schema.json["properties"] else { return body.type }
    return ([body.type] + members.map(\.name)).joined(separator: "\n")
  }

  private func isFor(_ wanted: Role) -> Bool {
    if case .atLeast(let role) = access { role == wanted } else { false }
  }

  private var isForAnyone: Bool {
    switch access {
    case .anyone, .signedOut: true
    case .atLeast: false
    }
  }

  static let fields: [String: Field<APICallView>] = [
    "method": .text { $0.method },
    "path": .text { $0.path },
    "summary": .text { $0.summary },
    "note": .optionalText { $0.note },
    "for_anyone": .flag { $0.isForAnyone },
    "for_guests": .flag { $0.isFor(.guest) },
    "for_members": .flag { $0.isFor(.member) },
    "for_staff": .flag { $0.isFor(.moderator) || $0.isFor(.admin) },
    "parameters": .list { $0.parameters },
    "input": .optionalText { $0.input },
    "answers": .list { $0.answers },
    "errors": .list { $0.errors },
  ]
}

extension JSONSchema {
  fileprivate var note: String? {
    if case .text(let note)? = json["description"] { note } else { nil }
  }

  /// "integer", "string (uuid)", "one of everyone, couple".
  fileprivate var typeName: String {
    if case .list(let values)? = json["enum"] {
      return values.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: " | ")
    }
    guard case .text(let type)? = json["type"] else { return "" }
    if case .text(let format)? = json["format"] { return "\(type) (\(format))." }
    return "\(type)."
  }
}
