import Foundation
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("The document tells of every call")
struct OpenAPITests {
  private func document(_ house: TestHouse) throws -> [String: Any] {
    let answer = house.browser().call(.get, "/openapi.json")
    try #require(answer.status == 200)
    return answer.json
  }

  @Test("No call of the API is without its description, and no page has one")
  func described() throws {
    let house = try TestHouse()
    let paths = try #require(try document(house)["paths"] as? [String: [String: Any]])
    for route in house.house.routes {
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
    let house = try TestHouse()
    let document = try document(house)
    let schemas = try #require(
      (document["components"] as? [String: Any])?["schemas"] as? [String: Any])
    let text = house.browser().call(.get, "/openapi.json").text
    for match in text.matches(of: /#\/components\/schemas\/([A-Za-z0-9_]+)/) {
      #expect(schemas[String(match.output.1)] != nil, "\(match.output.1)")
    }
    let identifiers = text.matches(of: /"operationId":"([^"]+)"/).map { $0.output.1 }
    #expect(Set(identifiers).count == identifiers.count && !identifiers.isEmpty)
  }

  @Test("The codes of errors have the statuses of the table, and words in every language")
  func codes() throws {
    let house = try TestHouse()
    let table: [Int: [APIErrorCode]] = [
      400: [.invalidJSON, .duplicateSession],
      401: [.invalidToken, .tokenExpired, .invalidCredentials, .secondFactorRequired],
      402: [.insufficientCoins], 404: [.notFound],
      409: [.conflict, .groupFull, .transactionClaimed, .sharingOff, .limitReached],
      410: [.inviteExpired, .groupClosed, .linkExpired],
      413: [.payloadTooLarge], 415: [.unsupportedFormat], 429: [.rateLimited], 500: [.internal],
      503: [.unavailable],
    ]
    for (status, codes) in table {
      for code in codes { #expect(code.status.code == status) }
    }
    for code in APIErrorCode.allCases {
      let key = "api.error.\(code.rawValue)"
      let general = "problem.s\(code.status.code).message"
      #expect(
        house.house.site.catalogues.contains(key) || house.house.site.catalogues.contains(general),
        "\(code)")
    }
  }

  @Test("It is asked for once: 304 while nothing changed, the same for everybody")
  func cached() throws {
    let house = try TestHouse()
    try house.alone("sam")
    let first = house.browser().call(.get, "/openapi.json")
    let tag = try #require(first.headers[.eTag])
    #expect(try house.signedIn("sam").call(.get, "/openapi.json").text == first.text)
    let again = house.browser().call(.get, "/openapi.json", headers: [.ifNoneMatch: tag])
    #expect(again.status == 304 && again.text.isEmpty)
  }

  @Test("People read the same at /api, in their language")
  func page() throws {
    let house = try TestHouse()
    let page = house.browser().get("/api")
    #expect(page.status == 200 && page.shows("PATCH /api/v1/account"))
    #expect(page.shows("&quot;display_name&quot;: &quot;Mei&quot;") && page.shows("token_expired"))
    #expect(page.shows("href=\"/api/v1/openapi.json\""))
    let chinese = house.browser().get("/api", headers: [.acceptLanguage: "zh-TW"])
    #expect(chinese.shows("lang=\"zh-Hant\"") && chinese.shows("訪客與成員可用"))
  }
}
