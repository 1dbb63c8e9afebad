import Core
import Secrets
import Testing

@testable import App

/// An authenticator app with the secret that a page shows.
struct Authenticator {
  private let codes: TOTP
  private let instance: TestInstance
  let secret: String

  init(_ page: TestResponse, _ instance: TestInstance) throws {
    let shown = try #require(page.text.firstMatch(of: /class="secret"[^>]*>([A-Z2-7 ]+)</))
    try self.init(secret: shown.output.1.filter { $0 != " " }, instance)
  }

  init(secret: String, _ instance: TestInstance) throws {
    self.secret = secret
    codes = TOTP(secret: try #require(Self.bytes(secret)))
    self.instance = instance
  }

  /// The current code, or the one this number of steps later.
  func code(later steps: Int64 = 0) -> String {
    codes.code(step: TOTP.step(at: instance.clock.now().milliseconds / 1000) + steps)
  }

  /// Waits until a new code is shown.
  func next() -> String {
    instance.clock.advance(seconds: 30)
    return code()
  }

  /// A code that differs from those of all steps near now.
  var wrong: String {
    let near = Set((-2...2).map { code(later: $0) })
    return (0..<10).map { String(repeating: String($0), count: 6) }.first { !near.contains($0) }
      ?? "123456"
  }

  private static func bytes(_ base32: String) -> [UInt8]? {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var bits: [Int] = []
    for character in base32 {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      bits += (0..<5).map { value >> (4 - $0) & 1 }
    }
    return stride(from: 0, through: bits.count - 8, by: 8).map { start in
      bits[start..<start + 8].reduce(0) { $0 << 1 | UInt8($1) }
    }
  }
}

extension TestClient {
  static let secondFactor = "/settings/second-factor"

  /// Turns the second factor on; returns the app and the recovery codes.
  func turnOnSecondFactor(_ instance: TestInstance) throws -> (Authenticator, [String]) {
    post(Self.secondFactor, ["begin": "1", "current_password": TestInstance.password])
    let app = try Authenticator(get(Self.secondFactor), instance)
    let answer = post(
      Self.secondFactor, ["current_password": TestInstance.password, "code": app.code()])
    try #require(answer.status == 200, "\(answer.status)")
    return (app, answer.recoveryCodes)
  }

  /// The second step of signing in.
  @discardableResult
  func enter(_ code: String) -> TestResponse { post("/sign-in/code", ["code": code]) }

  /// Whether a user is signed in here.
  var isSignedIn: Bool { self.get("/").shows("data-signed=\"in\"") }
}

extension TestResponse {
  /// The recovery codes on the page that shows them.
  var recoveryCodes: [String] {
    text.matches(of: /\b\d{4} \d{4} \d{4}\b/).map { String($0.output) }
  }
}

extension TestInstance {
  /// Gives a user a role; returns the path of the link, if there is one.
  @discardableResult
  func appoint(_ email: String, as role: Role = .moderator) throws -> String? {
    try instance.features.accounts.appointments.appoint(email: email, as: role, now: clock.now())
      .link.map { String($0.dropFirst("http://\(Self.host)".count)) }
  }

  /// A browser that has sent the right password and waits for the code.
  func halfSignedIn(_ name: String, next: String = "/") throws -> TestClient {
    let browser = browser()
    let answer = browser.signIn("\(name)@example.test", Self.password, next: next)
    try #require(answer.location == "/sign-in/code", "\(answer.text)")
    return browser
  }
}
