import Core
import Foundation
import HTTPTypes
import Testing
import Web

@testable import Accounts
@testable import App

/// An API client: JSON in and out, no cookies, its own tokens.
final class TestAPIClient {
  private let browser: TestClient
  let device = ID<Device>.random()
  var access: String?
  var refreshToken: String?

  init(_ application: Application, peer: String = "127.0.0.1") {
    browser = TestClient(application)
    browser.peer = peer
  }

  @discardableResult
  func call(
    _ method: HTTPRequest.Method, _ path: String, _ body: [String: Any]? = nil,
    bearer: String? = nil, headers: HTTPFields = [:]
  ) -> TestResponse {
    var headers = headers
    if let token = bearer ?? access { headers[.authorization] = "Bearer \(token)" }
    headers[.userAgent] = "PairSpot/1.0 (iPhone)"
    var bytes: [UInt8] = []
    if let body {
      headers[.contentType] = "application/json"
      bytes = (try? JSONSerialization.data(withJSONObject: body)).map(Array.init) ?? []
    }
    let answer = browser.send(method, "/api/v1\(path)", headers: headers, body: bytes)
    keep(answer)
    return answer
  }

  @discardableResult
  func post(_ path: String, _ body: [String: Any] = [:]) -> TestResponse { call(.post, path, body) }

  @discardableResult
  func get(_ path: String) -> TestResponse { call(.get, path) }

  @discardableResult
  func login(
    _ name: String, _ password: String = TestInstance.password, device: Bool = false,
    totp: String? = nil
  ) -> TestResponse {
    var body = ["email": "\(name)@example.test", "password": password]
    if device { body["device_id"] = self.device.description }
    if let totp { body["totp"] = totp }
    return post("/auth/login", body)
  }

  /// Exchanges the refresh token for a new pair.
  @discardableResult
  func refresh(device: Bool = false) -> TestResponse {
    var body = ["refresh_token": refreshToken ?? ""]
    if device { body["device_id"] = self.device.description }
    return call(.post, "/auth/token/refresh", body, bearer: nil)
  }

  /// Whether the access token is accepted.
  var isSignedIn: Bool { self.get("/account").status == 200 }

  private func keep(_ answer: TestResponse) {
    guard let access = answer.json["access_token"] as? String else { return }
    self.access = access
    refreshToken = answer.json["refresh_token"] as? String
  }
}

extension TestInstance {
  func client(peer: String = "127.0.0.1") -> TestAPIClient {
    TestAPIClient(instance.application, peer: peer)
  }

  /// The token in the link of the last mail to this address.
  func token(to address: String) throws -> String {
    try #require(try link(to: address).split(separator: "=").last.map(String.init))
  }
}
