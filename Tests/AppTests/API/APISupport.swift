import Foundation
import HTTPTypes
import Web

@testable import App

extension TestClient {
  /// A call of the API with the cookie of this browser, and its CSRF token for changes.
  @discardableResult
  func call(
    _ method: HTTPRequest.Method, _ path: String, _ json: String? = nil, headers: HTTPFields = [:]
  ) -> TestResponse {
    var headers = headers
    if method != .get && method != .head, headers[.csrfToken] == nil {
      headers[.csrfToken] = freshToken()
    }
    if json != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
    return send(
      method, "/api/v1\(path)", headers: headers, body: json.map { Array($0.utf8) } ?? [])
  }
}

extension TestResponse {
  /// The body, parsed by `JSONSerialization` instead of our own parser.
  var json: [String: Any] {
    let parsed = try? JSONSerialization.jsonObject(with: Data(text.utf8))
    return parsed as? [String: Any] ?? [:]
  }

  var error: [String: Any] { json["error"] as? [String: Any] ?? [:] }
  var code: String? { error["code"] as? String }
  var message: String? { error["message"] as? String }
  var fieldErrors: [String: String] { error["fields"] as? [String: String] ?? [:] }
}
