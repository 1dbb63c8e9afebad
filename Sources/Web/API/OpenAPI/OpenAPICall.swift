import HTTPTypes

/// One call in the OpenAPI document.
struct OpenAPICall {
  let route: Route
  let operation: Operation

  /// "/posts/{id}", below `Route.apiBase`.
  var path: String {
    let segments = route.pattern.dropFirst(Route.apiBase.count).split(separator: "/")
    return "/"
      + segments.map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }
      .joined(separator: "/")
  }

  /// The named schemas of the call.
  var named: [JSONSchema.Named] {
    operation.answers.flatMap { $0.schema?.named ?? [] } + (body?.schema.named ?? [])
      + parameters.flatMap(\.schema.named)
  }

  var json: JSON {
    var members: [JSON.Member] = [
      .init("operationId", .text(identifier)),
      .init("tags", [.text(operation.tag.rawValue)]),
      .init("summary", .text(operation.summary)),
    ]
    if let note = operation.note { members.append(.init("description", .text(note))) }
    if !parameters.isEmpty {
      members.append(.init("parameters", .list(parameters.map(\.json))))
    }
    if let body {
      members.append(
        .init(
          "requestBody",
          [
            "required": .flag(!route.options.contains(.emptyBody)),
            "content": .object([.init(body.type, .object(body.members))]),
          ]))
    }
    members.append(.init("responses", .object(responses)))
    members.append(.init("security", security))
    return .object(members)
  }

  /// "post_posts_id_like".
  private var identifier: String {
    let words =
      [route.method.rawValue.lowercased()] + path.split { "/{}.-".contains($0) }.map(String.init)
    return words.joined(separator: "_")
  }

  private var knowsViewer: Bool { !route.options.contains(.withoutViewer) }

  private var security: JSON {
    // The empty one is for the token in the body.
    if case .refreshToken = operation.proof { return [["refresh": []], [:]] }
    guard knowsViewer else { return [] }
    let cookie: JSON =
      route.method == .get ? ["session": []] : ["session": [], "csrf": []]
    let known: [JSON] = [["bearer": []], cookie]
    if case .atLeast = route.access { return .list(known) }
    return .list([[:]] + known)
  }

  // MARK: Parameters and body

  struct Parameter {
    let name: String
    /// "path", "query" or "header".
    let place: String
    let isRequired: Bool
    let schema: JSONSchema
    let note: String?

    var json: JSON {
      var members: [JSON.Member] = [
        .init("name", .text(name)), .init("in", .text(place)),
        .init("required", .flag(isRequired)), .init("schema", schema.json),
      ]
      if let note { members.append(.init("description", .text(note))) }
      return .object(members)
    }
  }

  var parameters: [Parameter] { pathParameters + queryParameters + headerParameters }

  private var pathParameters: [Parameter] {
    route.pattern.split(separator: "/").filter { $0.hasPrefix(":") }.map { segment in
      let name = String(segment.dropFirst())
      let isIdentifier = name == "id" || name.hasSuffix("_id")
      return Parameter(
        name: name, place: "path", isRequired: true,
        schema: isIdentifier ? .type("string", ["format": "uuid"]) : .type("string"),
        note: operation.path[name] ?? (isIdentifier ? "The identifier." : nil))
    }
  }

  private var queryParameters: [Parameter] {
    guard case .query(let input) = operation.input else { return [] }
    return input.shapes.map { name, isRequired, shape in
      Parameter(
        name: name, place: "query", isRequired: isRequired, schema: shape.schema().notNull,
        note: nil)
    }
  }

  private var headerParameters: [Parameter] {
    guard route.options.contains(.idempotent) else { return [] }
    return [
      Parameter(
        name: "Idempotency-Key", place: "header", isRequired: false,
        schema: .type("string", ["pattern": "^[!-~]{1,255}$"]),
        note: "A repeated request with the same key runs once.")
    ]
  }

  struct Body {
    let type: String
    let schema: JSONSchema
    let example: JSON?

    var members: [JSON.Member] {
      [.init("schema", schema.json)] + (example.map { [.init("example", $0)] } ?? [])
    }
  }

  var body: Body? {
    switch operation.input {
    case .nothing, .query: nil
    case .json(let input):
      Body(type: "application/json", schema: input.jsonSchema, example: input.jsonExample)
    case .form(let parts):
      Body(
        type: "multipart/form-data",
        schema: .object(
          parts.map { ($0.name, $0.schema) }, required: parts.filter(\.isRequired).map(\.name)),
        example: nil)
    }
  }

  // MARK: Responses

  private var responses: [JSON.Member] {
    var codes: [Int] = []
    for answer in operation.answers where !codes.contains(answer.status.code) {
      codes.append(answer.status.code)
    }
    let good = codes.map { code -> JSON.Member in
      let answers = operation.answers.filter { $0.status.code == code }
      let note = answers.map(\.note).joined(separator: " Or: ")
      var members: [JSON.Member] = [.init("description", .text(note))]
      let content = answers.compactMap(Self.content)
      members.append(.init("headers", .object([Self.requestID])))
      if !content.isEmpty { members.append(.init("content", .object(content))) }
      return .init(String(code), .object(members))
    }
    return good + errors.map(Self.response)
  }

  /// One content type of a response.
  private static func content(_ answer: Operation.SuccessResponse) -> JSON.Member? {
    guard let type = answer.contentType, let schema = answer.schema else { return nil }
    var members: [JSON.Member] = [.init("schema", schema.json)]
    if let example = answer.example { members.append(.init("example", example)) }
    return .init(type, .object(members))
  }

  /// Every response has this header, so it is described once.
  private static let requestID = JSON.Member(
    "X-Request-Id", ["$ref": "#/components/headers/RequestId"])

  private static func response(_ status: Int, _ codes: [String]) -> JSON.Member {
    var content: [JSON.Member] = [
      .init("application/json", ["schema": ["$ref": "#/components/schemas/Error"]])
    ]
    // nginx reads at most 32 KiB, and then doesn't know that the request was an API call.
    if status == 414 || status == 431 {
      content.append(.init("text/html", ["schema": ["type": "string"]]))
    }
    var members: [JSON.Member] = [
      .init("description", .text(codes.map { "`\($0)`" }.joined(separator: ", "))),
      .init("content", .object(content)),
    ]
    var headers = [requestID]
    if status == 429 || status == 503 {
      let seconds: JSON = ["schema": ["type": "integer"], "description": "Seconds to wait."]
      headers.append(.init("Retry-After", seconds))
    }
    members.append(.init("headers", .object(headers)))
    return .init(String(status), .object(members))
  }

  /// The error codes that the call may answer, by their status.
  var errors: [(status: Int, codes: [String])] {
    var codes = usualErrors
    codes += operation.errors.filter { !codes.contains($0) }
    return Dictionary(grouping: codes) { $0.status.code }.sorted { $0.key < $1.key }
      .map { (status: $0.key, codes: $0.value.map(\.rawValue)) }
  }

  /// The errors that follow from the access, the method and the input.
  private var usualErrors: [APIErrorCode] {
    var codes: [APIErrorCode] = []
    if knowsViewer { codes += [.invalidToken, .tokenExpired] }
    switch route.access {
    case .anyone, .atLeast(.guest), .atLeast(.anyone): break
    case .signedOut, .atLeast(.member): codes.append(.forbidden)
    case .atLeast: codes.append(.notFound)
    }
    if route.method != .get { codes.append(.csrf) }
    if route.pattern.contains("/:") { codes.append(.notFound) }
    switch operation.input {
    case .nothing: if route.method != .get { codes.append(.payloadTooLarge) }
    case .query: codes.append(.validationError)
    case .json, .form:
      codes += [.invalidJSON, .payloadTooLarge, .unsupportedFormat, .validationError]
    }
    if route.options.contains(.closedToSuspended) { codes.append(.suspended) }
    if route.options.contains(.idempotent) { codes += [.conflict, .validationError] }
    codes += [.uriTooLong, .rateLimited, .headerTooLong, .internal, .unavailable]
    return codes.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

extension JSONRequest {
  /// Name, presence and shape of every field.
  static var shapes: [(name: String, isRequired: Bool, shape: FieldShape)] {
    jsonFields.map { ($0.name, $0.isRequired, $0.shape) }
  }
}

extension Operation.Part {
  var schema: JSONSchema {
    let file = JSONSchema.type("string", ["format": "binary"])
    let schema: JSONSchema =
      switch kind {
      case .text: .type("string")
      case .choice(let words): .type("string", ["enum": .list(words.map { .text($0) })])
      case .texts: .list(of: .type("string"))
      case .file: file
      case .files: .list(of: file)
      }
    return schema.described(note)
  }
}
