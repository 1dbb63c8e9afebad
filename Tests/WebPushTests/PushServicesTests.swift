import HTTPClient
import Testing

@testable import WebPush

@Suite("Where pushes may go")
struct PushServicesTests {
  @Test(
    "The services of the browsers that there are, and nothing beside them",
    arguments: [
      ("https://fcm.googleapis.com/fcm/send/abc", true),
      ("https://updates.push.services.mozilla.com/wpush/v2/abc", true),
      ("https://wns2-par02p.notify.windows.com/w/?token=abc", true),
      ("https://web.push.apple.com/abc", true), ("https://fcm.googleapis.com:443/x", true),
      ("http://fcm.googleapis.com/fcm/send/abc", false),
      ("https://fcm.googleapis.com:8443/x", false),
      ("https://fcm.googleapis.com.evil.example/x", false),
      ("https://evil.example/fcm.googleapis.com", false),
      ("https://me@fcm.googleapis.com/x", false), ("https://fcm.googleapis.com#x", false),
      ("https://fcm.googleapis.com@evil.example/", false),
      ("https://evilnotify.windows.com/x", false), ("https://notify.windows.com/x", false),
      ("https://127.0.0.1/x", false), ("https://[::1]/x", false), ("https://localhost/x", false),
      ("https://2130706433/x", false), ("ftp://fcm.googleapis.com/x", false),
      ("https://fcm.googleapis.com/a b", false), ("https:///x", false), ("", false),
      ("https://fcm.googleapis.com\\@evil.example/", false),
    ])
  func known(address: String, isGood: Bool) {
    #expect((PushServices().endpoint(address) != nil) == isGood, "\(address)")
  }

  @Test("An operator may name others: hosts anywhere, whole origins for trying out alone")
  func others() throws {
    let named = try #require(PushServices(others: ["push.example.org", "*.example.net"]))
    for (address, isGood) in [
      ("https://push.example.org/x", true), ("https://a.example.net/x", true),
      ("https://example.net/x", false), ("https://other.example.org/x", false),
      ("https://fcm.googleapis.com/x", true),
    ] {
      #expect((named.endpoint(address) != nil) == isGood, "\(address)")
    }
    #expect(PushServices(others: ["http://127.0.0.1:9000"]) == nil)
    let trial = try #require(PushServices(others: ["http://127.0.0.1:9000"], isTrial: true))
    #expect(trial.endpoint("http://127.0.0.1:9000/x")?.addresses() == ["127.0.0.1"])
    #expect(trial.endpoint("http://127.0.0.1:9001/x") == nil)
    for wrong in ["localhost", "a/b", "push.example.org:443", "*", ".example.org", "EXAMPLE.org"] {
      #expect(PushServices(others: [wrong]) == nil, "\(wrong)")
    }
  }

  @Test("A name that leads inside is asked nothing, even if it leads outside too")
  func rebound() throws {
    let endpoint = try #require(PushServices().endpoint("https://fcm.googleapis.com/x"))
    #expect(endpoint.addresses { _ in ["8.8.8.8", "127.0.0.1"] } == nil)
    #expect(endpoint.addresses { _ in [] } == nil)
    #expect(endpoint.addresses { _ in ["8.8.8.8"] } == ["8.8.8.8"])
  }

  @Test(
    "The service's answer determines the outcome of a push",
    arguments: [
      (201, nil, PushOutcome.sent), (404, nil, .gone), (410, nil, .gone),
      (413, nil, .refused(413)), (400, nil, .refused(400)), (301, nil, .refused(301)),
      (429, 120, .later(after: 120, because: "it answers 429")),
      (503, nil, .later(after: nil, because: "it answers 503")),
    ] as [(Int, Int64?, PushOutcome)])
  func outcomes(status: Int, wait: Int64?, outcome: PushOutcome) {
    let answer = HTTPAnswer(status: status, body: [], retryAfter: wait)
    #expect(WebPushSender.outcome(of: answer) == outcome)
  }
}
