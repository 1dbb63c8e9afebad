import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("The document describes every call")
struct OpenAPITests {
  private func document(_ instance: TestInstance) throws -> [String: Any] {
    let answer = instance.browser().call(.get, "/openapi.json")
    try #require(answer.status == 200)
    return answer.json
  }

  @Test("No call of the API is without its description, and no page has one")
  func described() throws {
    let instance = try TestInstance()
    let paths = try #require(try document(instance)["paths"] as? [String: [String: Any]])
    for route in instance.instance.routes {
      #expect((route.operation != nil) == route.pattern.hasPrefix("/api/v1/"), "\(route.name)")
      guard route.operation != nil else { continue }
      let path =
        "/"
        + route.pattern.dropFirst("/api/v1/".count)
        .split(separator: "/").map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : String($0) }
        .joined(separator: "/")
      let call = try #require(
        paths[path]?[route.method.rawValue.lowercased()] as? [String: Any], "\(route.name)")
      let parameters = call["parameters"] as? [[String: Any]] ?? []
      let described = Set(
        parameters.filter { $0["in"] as? String == "path" && $0["description"] is String }
          .compactMap { $0["name"] as? String })
      let named = route.pattern.split(separator: "/").filter { $0.hasPrefix(":") }
        .map { String($0.dropFirst()) }
      #expect(described == Set(named), "\(route.name)")
    }
  }

  @Test("Every reference leads to a schema, and every identifier of a call is its own")
  func references() throws {
    let instance = try TestInstance()
    let document = try document(instance)
    let schemas = try #require(
      (document["components"] as? [String: Any])?["schemas"] as? [String: Any])
    let text = instance.browser().call(.get, "/openapi.json").text
    for match in text.matches(of: /#\/components\/schemas\/([A-Za-z0-9_]+)/) {
      #expect(schemas[String(match.output.1)] != nil, "\(match.output.1)")
    }
    let identifiers = text.matches(of: /"operationId":"([^"]+)"/).map { $0.output.1 }
    #expect(Set(identifiers).count == identifiers.count && !identifiers.isEmpty)
  }

  /// Values that the keywords of a schema exclude.
  private func excluded(by schema: [String: Any]) -> [Any] {
    var values: [Any] = []
    if let minimum = schema["minLength"] as? Int, minimum > 0 {
      values.append(String(repeating: "a", count: minimum - 1))
    }
    if let maximum = schema["maxLength"] as? Int {
      values.append(String(repeating: "a", count: maximum + 1))
    }
    if schema["pattern"] is String { values.append("!") }
    if schema["enum"] is [Any] { values.append("none") }
    if let maximum = schema["maximum"] as? Int { values.append(maximum + 1) }
    if let minimum = schema["minimum"] as? Int { values.append(minimum - 1) }
    switch schema["format"] as? String {
    case "date": values.append("2020-13-01")
    case "date-time": values.append("soon")
    case "uuid": values.append("x")
    case "idn-email": values.append("no address")
    default: break
    }
    return values
  }

  @Test("A value excluded by the schema of a field is refused, and the field named")
  func bounds() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let document = try document(instance)
    let schemas = try #require(
      (document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]])
    let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
    var tried = 0
    // Signing out accepts an invalid token: it would end the sign-in with the first value.
    for (path, calls) in paths where !path.contains("{") && path != "/auth/logout" {
      for (method, call) in calls {
        let content = (call["requestBody"] as? [String: Any])?["content"] as? [String: Any]
        guard let body = content?["application/json"] as? [String: Any],
          let example = body["example"] as? [String: Any],
          let reference = (body["schema"] as? [String: Any])?["$ref"] as? String,
          let name = reference.split(separator: "/").last.map(String.init),
          let fields = schemas[name]?["properties"] as? [String: [String: Any]]
        else { continue }
        let verb = try #require(HTTPRequest.Method(rawValue: method.uppercased()))
        for (field, schema) in fields {
          for value in excluded(by: schema) {
            let sent = example.merging([field: value]) { $1 }
            let bytes = try JSONSerialization.data(withJSONObject: sent)
            let answer = sam.call(verb, path, String(decoding: bytes, as: UTF8.self))
            // An invalid secret authenticates no user; without the right one, or for another
            // purpose, no other field is checked.
            let isNobody = [401, 403, 410].contains(answer.status)
            #expect(
              isNobody || (answer.status == 422 && answer.fieldErrors[field] != nil),
              "\(method) \(path) \(field): \(value) is \(answer.status)")
            if answer.status == 422 { tried += 1 }
          }
        }
      }
    }
    #expect(tried > 25)
    #expect(sam.call(.get, "/account").status == 200)
  }

  @Test("Every answer documents X-Request-Id, and calls with a refresh token say so")
  func headersAndProofs() throws {
    let instance = try TestInstance()
    let document = try document(instance)
    let components = try #require(document["components"] as? [String: [String: Any]])
    #expect(components["headers"]?["RequestId"] != nil)
    #expect(components["securitySchemes"]?["refresh"] != nil)
    let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
    for (path, calls) in paths {
      for (method, call) in calls {
        let answers = try #require(call["responses"] as? [String: [String: Any]])
        for (status, answer) in answers {
          let header = (answer["headers"] as? [String: Any])?["X-Request-Id"] as? [String: String]
          #expect(
            header == ["$ref": "#/components/headers/RequestId"], "\(method) \(path) \(status)")
        }
      }
    }
    for path in ["/auth/refresh", "/auth/token/refresh"] {
      let security = paths[path]?["post"]?["security"] as? [[String: [String]]]
      #expect(security == [["refresh": []], [:]])
    }
    let logout = paths["/auth/logout"]?["post"]?["security"] as? [[String: [String]]]
    #expect(logout?.contains(["bearer": []]) == true && logout?.contains([:]) == true)
  }

  @Test("The codes of errors have the statuses of the table, and words in every language")
  func codes() throws {
    let instance = try TestInstance()
    let table: [Int: [APIErrorCode]] = [
      400: [.invalidJSON, .duplicateSession],
      401: [.invalidToken, .tokenExpired, .invalidCredentials, .secondFactorRequired],
      402: [.insufficientCoins], 404: [.notFound],
      409: [.conflict, .groupFull, .transactionClaimed, .sharingOff, .limitReached],
      410: [.inviteExpired, .groupClosed, .linkExpired],
      413: [.payloadTooLarge], 414: [.uriTooLong], 415: [.unsupportedFormat], 429: [.rateLimited],
      431: [.headerTooLong], 500: [.internal], 503: [.unavailable],
    ]
    for (status, codes) in table {
      for code in codes { #expect(code.status.code == status) }
    }
    for code in APIErrorCode.allCases {
      let key = "api.error.\(code.rawValue)"
      let general = "problem.s\(code.status.code).message"
      #expect(
        instance.instance.site.catalogues.contains(key)
          || instance.instance.site.catalogues.contains(general),
        "\(code)")
    }
  }

  @Test("It is cached: 304 while nothing has changed, the same for all callers")
  func cached() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let first = instance.browser().call(.get, "/openapi.json")
    let tag = try #require(first.headers[.eTag])
    #expect(try instance.signedIn("sam").call(.get, "/openapi.json").text == first.text)
    let again = instance.browser().call(.get, "/openapi.json", headers: [.ifNoneMatch: tag])
    #expect(again.status == 304 && again.text.isEmpty)
  }

  @Test("People read the same at /api, in their language")
  func page() throws {
    let instance = try TestInstance()
    let page = instance.browser().get("/api")
    #expect(page.status == 200 && page.shows("PATCH /api/v1/account"))
    #expect(page.shows("href=\"/api/v1/openapi.json\"") && page.shows("/api?part=signing-in"))
    let part = instance.browser().get("/api?part=account")
    #expect(part.shows("PATCH /api/v1/account") && !part.shows("POST /api/v1/auth/login"))
    #expect(part.shows("&quot;display_name&quot;: &quot;Mei&quot;") && part.shows("token_expired"))
    #expect(instance.browser().get("/api?part=nothing").status == 404)
    let chinese = instance.browser().get("/api?part=album", headers: [.acceptLanguage: "zh-TW"])
    #expect(chinese.shows("lang=\"zh-Hant\"") && chinese.shows("訪客與會員可用"))
  }
}
