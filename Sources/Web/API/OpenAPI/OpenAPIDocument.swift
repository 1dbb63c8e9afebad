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
    Requests and responses are JSON. Times are RFC 3339 in UTC with milliseconds, dates are \
    YYYY-MM-DD, identifiers are UUIDs. Unknown fields in a request are ignored. All fields of a \
    response are always present, and null if they have no value.

    Length limits in descriptions count composed characters, as people do: a letter with its \
    accents is one character, and so is a flag. Leading and trailing white space is removed first. \
    `maxLength` counts code points and is never lower than the described limit.

    Send `Authorization: Bearer <access_token>`, or a session cookie. With a cookie, every request \
    that changes data also needs the header `X-CSRF-Token` (from `GET /csrf`, at the root of the \
    site). If a request has a token, the cookie is ignored.

    Lists take `limit` and `cursor` and return `next_cursor`, which is null on the last page. JSON \
    responses to GET have an ETag unless they must not be cached (`Cache-Control: no-store`). Some \
    operations accept `Idempotency-Key`, as noted below: for 24 hours, repeating the same request \
    as the same user with the same key returns the first response. A different request with that \
    key returns 409, and so does a repeat while the first request is still running. If a request \
    is rejected, or fails before it changes anything, its key can be used again. If it is \
    interrupted after a change, the key returns 409 until it is 24 hours old.

    Every error has the format of `Error`; `fields` lists the invalid fields and the reasons. \
    `invalid_json` means that the body cannot be parsed; this includes malformed forms. 429 and \
    503 say in `Retry-After` when to retry. 502 and 504, which occur while the server restarts, \
    also have the code `unavailable`. Every response has `X-Request-Id`.
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
      "description": "Identifies the request in the server log.",
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
              "type": "string", "description": "A message for users, in the caller's language.",
            ],
            "fields": [
              "type": "object", "additionalProperties": ["type": "string"],
              "description": "Maps each invalid field to the reason, if applicable.",
            ],
          ],
        ]
      ],
    ]
  }
}
