import Core
import Foundation
import Testing

@testable import OpenIDConnect

@Suite("Notices of Apple's")
struct AppleNoticeTests {
  private static let now = FakeProvider.now
  private static let seconds = FakeProvider.seconds

  private let client: OpenIDClient

  init() throws { client = try FakeProvider().client() }

  private static func draft(
    _ type: String = "consent-revoked", more: [String: Any] = [:], asText: Bool = true
  ) -> TokenDraft {
    var event: [String: Any] = ["type": type, "sub": "ann-1", "event_time": seconds - 60]
    event.merge(more) { $1 }
    return TokenDraft(
      header: ["alg": "RS256", "kid": "r1"],
      claims: [
        "iss": FakeProvider.issuer, "aud": "ios", "iat": seconds - 5, "jti": "j-1",
        "events": asText ? FakeProvider.json(event) : event,
      ])
  }

  private func read(_ draft: TokenDraft) throws -> AppleNotice {
    let body = FakeProvider.json(["payload": try draft.text()])
    return try client.appleNotice(Array(body.utf8), now: Self.now)
  }

  @Test("Every event is read, from a text and from an object")
  func events() throws {
    let email = ["email": "x@privaterelay.example.test", "is_private_email": "true"]
    for (type, event) in [
      ("consent-revoked", .consentRevoked), ("account-delete", .accountDeleted),
      ("account-deleted", .accountDeleted), ("something-new", .other),
      ("email-enabled", .emailEnabled(address: "x@privaterelay.example.test")),
      ("email-disabled", .emailDisabled(address: "x@privaterelay.example.test")),
    ] as [(String, AppleNotice.Event)] {
      for asText in [true, false] {
        let notice = try read(Self.draft(type, more: email, asText: asText))
        #expect(notice.event == event && notice.subject == "ann-1")
        #expect(notice.identifier == "j-1")
        #expect(notice.occurredAt == Self.now.adding(seconds: -60))
      }
    }
    let late = try read(Self.draft(more: ["event_time": (Self.seconds - 60) * 1000]))
    #expect(late.occurredAt == Self.now.adding(seconds: -60))
  }

  @Test("A notice that breaks one check is refused for it", arguments: broken)
  func refused(_ broken: BrokenToken) throws {
    var draft = Self.draft()
    broken.change(&draft)
    #expect(failure { try read(draft) } == .token(broken.error))
  }

  static let broken: [BrokenToken] = [
    BrokenToken("no algorithm", .algorithm) {
      $0.header["alg"] = "none"
      $0.signer = .none
    },
    BrokenToken("another key", .signature) { $0.signer = .otherRSA },
    BrokenToken("another issuer", .issuer) { $0.claims["iss"] = "https://other.example.test" },
    BrokenToken("another client", .audience) { $0.claims["aud"] = "other" },
    BrokenToken("an end that has passed", .expired) { $0.claims["exp"] = seconds },
    BrokenToken("issued two days ago", .tooOld) { $0.claims["iat"] = seconds - 86_401 },
    BrokenToken("no time of issue", .notYetValid) { $0.claims["iat"] = nil },
    BrokenToken("a nonce, as in an ID token", .nonce) { $0.claims["nonce"] = "n-1" },
    BrokenToken("no events", .event) { $0.claims["events"] = nil },
    BrokenToken("events that are no JSON", .malformed) { $0.claims["events"] = "x" },
    BrokenToken("no subject", .malformed) { $0.claims["events"] = ["type": "consent-revoked"] },
    BrokenToken("an empty subject", .subject) {
      $0.claims["events"] = ["type": "consent-revoked", "sub": ""]
    },
    BrokenToken("no address", .event) {
      $0.claims["events"] = ["type": "email-disabled", "sub": "ann-1"]
    },
    BrokenToken("no identifier", .identifier) { $0.claims["jti"] = nil },
  ]

  @Test("A body of another form is refused")
  func bodies() throws {
    let long = FakeProvider.json(["payload": String(repeating: "a", count: 40_000)])
    for body in ["", "{}", "[]", "payload=x", "{\"payload\":5}", long] {
      let error = failure { try client.appleNotice(Array(body.utf8), now: Self.now) }
      #expect(error == .token(.malformed))
    }
  }
}
