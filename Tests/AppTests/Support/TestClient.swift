import Foundation
import HTTPTypes
import Web

/// A browser that follows no redirects: keeps cookies and the latest CSRF token of a page.
final class TestClient {
  private(set) var cookies: [String: String] = [:]
  /// `csrf_token` of the latest page with a form.
  private(set) var token: String?
  private let application: Application
  var peer = "127.0.0.1"

  init(_ application: Application) {
    self.application = application
  }

  /// Another window of the same browser.
  func copy() -> TestClient {
    let copy = TestClient(application)
    copy.cookies = cookies
    copy.token = token
    copy.peer = peer
    return copy
  }

  func forget(cookie name: String) { cookies["\(name)_\(TestInstance.port)"] = nil }

  /// Sets a cookie that was copied or forged.
  func take(cookie name: String, _ value: String) {
    cookies["\(name)_\(TestInstance.port)"] = value
    token = nil
  }

  /// Sets a cookie like a script, under its plain name.
  func setPlain(cookie name: String, _ value: String) { cookies[name] = value }

  func cookie(_ name: String) -> String? { cookies["\(name)_\(TestInstance.port)"] }

  /// Takes over all cookies of another browser.
  func take(cookiesOf other: TestClient) { cookies = other.cookies }

  // MARK: Requests

  @discardableResult
  func get(_ target: String, headers: HTTPFields = [:]) -> TestResponse {
    send(.get, target, headers: headers)
  }

  /// Sends a form with the token of the last page; fetches one first if there is none.
  @discardableResult
  func post(
    _ target: String, _ fields: KeyValuePairs<String, String> = [:], headers: HTTPFields = [:]
  ) -> TestResponse {
    post(target, all: fields.map { ($0.key, $0.value) }, headers: headers)
  }

  @discardableResult
  func post(
    _ target: String, all fields: [(String, String)], headers: HTTPFields = [:]
  ) -> TestResponse {
    plainPost(target, [("csrf_token", freshToken())] + fields, headers: headers)
  }

  /// Sends a form as given, without adding a token.
  @discardableResult
  func plainPost(
    _ target: String, _ fields: [(String, String)], headers: HTTPFields = [:]
  ) -> TestResponse {
    var headers = headers
    headers[.contentType] = "application/x-www-form-urlencoded"
    let body = fields.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
    return send(.post, target, headers: headers, body: Array(body.utf8))
  }

  /// Sends a form with files, like the composer.
  @discardableResult
  func upload(
    _ target: String, _ fields: [(String, String)], files: [(field: String, bytes: [UInt8])]
  ) -> TestResponse {
    var body: [UInt8] = []
    for (name, value) in [("csrf_token", freshToken())] + fields {
      body += Array(
        "--limit\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }
    for (field, bytes) in files {
      body += Array(
        """
        --limit\r\nContent-Disposition: form-data; name="\(field)"; filename="a.png"\r\n\
        Content-Type: image/png\r\n\r\n
        """.utf8)
      body += bytes + Array("\r\n".utf8)
    }
    body += Array("--limit--\r\n".utf8)
    return send(
      .post, target, headers: [.contentType: "multipart/form-data; boundary=limit"], body: body)
  }

  @discardableResult
  func send(
    _ method: HTTPRequest.Method, _ target: String, headers: HTTPFields = [:], body: [UInt8] = [],
    contentLength: Int? = nil
  ) -> TestResponse {
    var headers = headers
    if headers[.host] == nil { headers[.host] = TestInstance.host }
    if !cookies.isEmpty {
      headers[.cookie] = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        .joined(separator: "; ")
    }
    let request = Request(
      method: method, target: target, headers: headers, peer: peer, id: "r-\(UUID())",
      contentLength: contentLength ?? body.count, body: BytesBody(body))
    let answer = TestResponse(application.respond(to: request), requestID: request.id)
    keep(answer)
    return answer
  }

  func freshToken() -> String {
    if token == nil { get("/sign-in") }
    if token == nil { get("/") }
    return token ?? ""
  }

  @discardableResult
  func signIn(_ email: String, _ password: String, next: String = "/") -> TestResponse {
    post("/sign-in", ["email": email, "password": password, "next": next])
  }

  // MARK: Cookies

  private func keep(_ answer: TestResponse) {
    for line in answer.headers[values: .setCookie] {
      let pair = line.prefix { $0 != ";" }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { continue }
      let name = String(pair[0])
      // A token is bound to the session and is invalid with another one.
      if name.hasPrefix("session_") || name.hasPrefix("pre_") { token = nil }
      cookies[name] = line.contains("Max-Age=0;") ? nil : String(pair[1])
    }
    if let shown = answer.value(of: "csrf_token") { token = shown }
  }

  static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}

/// An answer with helpers for tests.
struct TestResponse {
  let status: Int
  let headers: HTTPFields
  let body: [UInt8]
  let text: String
  let requestID: String

  init(_ response: Response, requestID: String) {
    status = response.status.code
    headers = response.headers
    body = response.body
    text = String(decoding: response.body, as: UTF8.self)
    self.requestID = requestID
  }

  var location: String? { headers[.location] }

  /// The path to which the message of the next page links: that of a new post.
  var toastLink: String? {
    headers[values: .setCookie].lazy.compactMap {
      $0.firstMatch(of: /^toast[^=]*=[^;]*~(\/[^;]+)/).map { String($0.output.1) }
    }.first
  }

  /// The value of the first hidden field with this name.
  func value(of name: String) -> String? { values(of: name).first }

  func values(of name: String) -> [String] {
    text.components(separatedBy: "name=\"\(name)\" value=\"").dropFirst()
      .map { String($0.prefix { $0 != "\"" }) }
  }

  /// The page without varying parts: tokens and nonces.
  var withoutTokens: String {
    text.replacing(/name="(csrf_token|nonce)" value="[^"]*"/, with: "")
      .replacing(/data-user="[^"]*"/, with: "")
  }

  /// Every picture URL on the page, in order.
  var pictures: [String] {
    text.components(separatedBy: "\"/media/").dropFirst()
      .map { "/media/" + $0.prefix { $0 != "\"" } }
  }

  func shows(_ words: String) -> Bool { text.contains(words) }

  /// Whether a user's name occurs outside of tokens, in which few characters can occur by chance.
  /// `next` is the page's own path, which may contain one.
  func names(_ person: String) -> Bool {
    withoutTokens.replacing(/name="next" value="[^"]*"/, with: "").contains(person)
  }
}
