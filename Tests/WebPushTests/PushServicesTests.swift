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

  @Test(
    "Only addresses of the open net are public",
    arguments: [
      ("8.8.8.8", true), ("172.15.0.1", true), ("172.32.0.1", true), ("100.63.0.1", true),
      ("100.128.0.1", true), ("2606:4700::1111", true), ("2a00:1450:4001::200e", true),
      ("0.0.0.0", false), ("10.1.2.3", false), ("100.64.0.1", false), ("100.127.255.255", false),
      ("127.0.0.1", false), ("127.8.8.8", false), ("169.254.169.254", false),
      ("172.16.0.1", false), ("172.31.255.255", false), ("192.0.0.8", false),
      ("192.0.2.1", false), ("192.88.99.1", false), ("192.168.1.1", false), ("198.18.0.1", false),
      ("198.19.255.255", false), ("198.51.100.1", false), ("203.0.113.1", false),
      ("224.0.0.1", false), ("240.0.0.1", false), ("255.255.255.255", false),
      ("::", false), ("::1", false), ("::ffff:8.8.8.8", false), ("::ffff:127.0.0.1", false),
      ("::8.8.8.8", false), ("64:ff9b::808:808", false), ("64:ff9b:1::1", false),
      ("100::1", false), ("2001::1", false), ("2001:db8::1", false), ("2002:7f00:1::", false),
      ("3fff:fff::1", false), ("fc00::1", false), ("fd12::1", false), ("fe80::1", false),
      ("fec0::1", false), ("ff02::1", false), ("example.org", false), ("", false),
      ("fe80::1%lo", false), ("0x7f.1", false), ("127.1", false),
    ])
  func addresses(address: String, isPublic: Bool) {
    #expect(PublicAddress.isPublic(address) == isPublic, "\(address)")
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
