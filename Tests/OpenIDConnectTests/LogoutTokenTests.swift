import Core
import Foundation
import Testing

@testable import OpenIDConnect

@Suite("Logout tokens")
struct LogoutTokenTests {
  private static let now = FakeProvider.now
  private static let seconds = FakeProvider.seconds
  private static let event = "http://schemas.openid.net/event/backchannel-logout"

  private let client: OpenIDClient

  init() throws { client = try FakeProvider().client() }

  private func read(_ draft: TokenDraft) throws -> LogoutToken {
    try client.logoutToken(try draft.text(), now: Self.now)
  }

  @Test("A good token names a person, a session or both")
  func good() throws {
    var draft = TokenDraft.logoutToken()
    let token = try read(draft)
    #expect(token.issuer == FakeProvider.issuer && token.identifier == "j-1")
    #expect(token.subject == "ann-1" && token.sessionID == "s-1")
    draft.claims["sub"] = nil
    #expect(try read(draft).subject == nil)
    draft = .logoutToken()
    draft.claims["sid"] = nil
    draft.header["typ"] = nil
    draft.claims["aud"] = "ios"
    #expect(try read(draft).sessionID == nil)
  }

  @Test("A token that breaks one check is refused for it", arguments: broken)
  func refused(_ broken: BrokenToken) throws {
    var draft = TokenDraft.logoutToken()
    broken.change(&draft)
    #expect(failure { try read(draft) } == .token(broken.error))
  }

  static let broken: [BrokenToken] = [
    BrokenToken("no algorithm", .algorithm) {
      $0.header["alg"] = "none"
      $0.signer = .none
    },
    BrokenToken("another key", .signature) { $0.signer = .otherRSA },
    BrokenToken("another type", .type) { $0.header["typ"] = "at+jwt" },
    BrokenToken("another issuer", .issuer) { $0.claims["iss"] = "https://other.example.test" },
    BrokenToken("another client", .audience) { $0.claims["aud"] = "other" },
    BrokenToken("expired", .expired) { $0.claims["exp"] = seconds },
    BrokenToken("no end", .expired) { $0.claims["exp"] = nil },
    BrokenToken("issued long ago", .tooOld) { $0.claims["iat"] = seconds - 601 },
    BrokenToken("issued in the future", .notYetValid) { $0.claims["iat"] = seconds + 31 },
    BrokenToken("a nonce, as in an ID token", .nonce) { $0.claims["nonce"] = "n-1" },
    BrokenToken("nobody", .subject) {
      $0.claims["sub"] = nil
      $0.claims["sid"] = nil
    },
    BrokenToken("a long session", .subject) {
      $0.claims["sid"] = String(repeating: "s", count: 256)
    },
    BrokenToken("no identifier", .identifier) { $0.claims["jti"] = nil },
    BrokenToken("no events", .event) { $0.claims["events"] = nil },
    BrokenToken("another event", .event) {
      $0.claims["events"] = ["https://example.test/event": [String: Any]()]
    },
    BrokenToken("an event that is null", .event) { $0.claims["events"] = [event: NSNull()] },
    BrokenToken("an event that is a text", .malformed) { $0.claims["events"] = [event: "x"] },
    BrokenToken("events that are a list", .malformed) { $0.claims["events"] = [event] },
  ]

  @Test("An ID token is no logout token")
  func idToken() throws {
    #expect(failure { try read(.idToken()) } == .token(.event))
  }
}
