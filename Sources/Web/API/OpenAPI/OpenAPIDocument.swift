import HTTPTypes

/// The OpenAPI 3.1 document of all calls, made from the table of routes.
struct OpenAPIDocument {
  private let routes: [(route: Route, operation: Operation)]
  private let site: AppEnvironment

  init(routes: [Route], site: AppEnvironment) {
    self.routes = routes.compactMap { route in route.operation.map { (route, $0) } }
    self.site = site
  }

  var json: JSON {
    [
      "openapi": "3.1.0",
      "info": [
        "title": "PairSpot", "version": "1", "description": .text(Self.introduction),
      ],
      "servers": [["url": .text(site.baseURL + Route.apiBase)]],
      "tags": .list(tags.map { ["name": .text($0.rawValue)] }),
      "paths": .object(paths),
      "components": [
        "securitySchemes": securitySchemes, "schemas": .object(schemas), "headers": Self.headers,
      ],
    ]
  }

  private static let introduction = """
    JSON in and out. Times are RFC 3339 in UTC with milliseconds, days are YYYY-MM-DD, identifiers \
    are UUIDs. Unknown fields of a body are ignored; fields of an answer are always there, null \
    when they have no value.

    Where a note bounds a text in characters, those are composed ones, as people count them: a \
    letter with its accents is one, a flag is one, and white space around the text is taken away \
    first. `maxLength` counts code points and is no less than that.

    Send `Authorization: Bearer <access_token>`, or the cookie of a session with the header \
    `X-CSRF-Token` (from `GET /csrf`, at the root of the site) on every change. A request with a \
    token never counts as the cookie's.

    Lists take `limit` and `cursor` and answer `next_cursor`, null at the end. Answers in JSON \
    to GET have an ETag, unless they must not be kept (`Cache-Control: no-store`). Calls that say \
    so below take `Idempotency-Key`: for 24 hours the same call by the same person with the same \
    key answers the first answer; another call with that key is 409, as is one while the first \
    still runs. A call that was refused, or failed before it changed anything, frees its key; one \
    that broke off after a change answers 409 until the key is 24 hours old.

    Every error has the shape of `Error`; `fields` says what is wrong with which field. \
    `invalid_json` is a body that can't be read, broken forms included. 429 and \
    503 say in `Retry-After` when to come back; 502 and 504, while the server starts anew, are \
    `unavailable` too. Every answer has `X-Request-Id`.
    """

  private var tags: [Operation.Tag] {
    let used = Set(routes.map(\.operation.tag))
    return Operation.Tag.allCases.filter(used.contains)
  }

  private var securitySchemes: JSON {
    [
      "bearer": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"],
      "session": [
        "type": "apiKey", "in": "cookie", "name": .text(site.cookieStyle.name("session")),
      ],
      "csrf": ["type": "apiKey", "in": "header", "name": "X-CSRF-Token"],
      "refresh": [
        "type": "http", "scheme": "bearer",
        "description": "The refresh token instead of the access token.",
      ],
    ]
  }

  private static let headers: JSON = [
    "RequestId": [
      "required": true, "schema": ["type": "string"],
      "description": "Names the request in the server's log.",
    ]
  ]

  // MARK: Paths

  private var paths: [JSON.Member] {
    var byPath: [(path: String, members: [JSON.Member])] = []
    for (route, operation) in routes {
      let call = OpenAPICall(route: route, operation: operation)
      let member = JSON.Member(route.method.rawValue.lowercased(), call.json)
      if let position = byPath.firstIndex(where: { $0.path == call.path }) {
        byPath[position].members.append(member)
      } else {
        byPath.append((call.path, [member]))
      }
    }
    return byPath.map { JSON.Member($0.path, .object($0.members)) }
  }

  // MARK: Schemas

  /// All named schemas that calls refer to, directly or through other schemas, by name.
  private var schemas: [JSON.Member] {
    var found: [String: JSON] = ["Error": Self.error]
    var waiting = routes.flatMap { OpenAPICall(route: $0.route, operation: $0.operation).named }
    while let next = waiting.popLast() {
      guard found[next.name] == nil else { continue }
      let schema = next.make()
      found[next.name] = schema.json
      waiting += schema.named
    }
    return found.sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value) }
  }

  /// The codes of the table, and the two whose statuses are not in it.
  private static var error: JSON {
    let others = [Problem.methodNotAllowed, .wrongHost].map(\.code)
    let codes = APIErrorCode.allCases.map(\.rawValue) + others
    return [
      "type": "object", "required": ["error"],
      "properties": [
        "error": [
          "type": "object", "required": ["code", "message"],
          "properties": [
            "code": ["type": "string", "enum": .list(codes.map { .text($0) })],
            "message": [
              "type": "string", "description": "For people, in the caller's language.",
            ],
            "fields": [
              "type": "object", "additionalProperties": ["type": "string"],
              "description": "What is wrong with which field, where that applies.",
            ],
          ],
        ]
      ],
    ]
  }
}
