import Testing

@testable import Web

@Suite("The client address of a request")
struct TrustedProxiesTests {
  @Test(
    "The last hop that isn't a trusted proxy is the address",
    arguments: [
      ("203.0.113.5", nil, "203.0.113.5"), ("203.0.113.5", "1.1.1.1", "203.0.113.5"),
      ("10.0.0.1", "1.1.1.1", "1.1.1.1"), ("10.0.0.1", "6.6.6.6, 1.1.1.1", "1.1.1.1"),
      ("10.0.0.1", "1.1.1.1, 192.168.7.7", "1.1.1.1"), ("10.0.0.1", "nonsense", "10.0.0.1"),
      ("10.0.0.1", "1.1.1.1, nonsense", "10.0.0.1"), ("10.0.0.1", nil, "10.0.0.1"),
      ("::1", "2001:db8::7", "2001:db8::7"), ("::ffff:10.0.0.1", "1.1.1.1", "1.1.1.1"),
      ("10.0.0.2", "1.1.1.1", "10.0.0.2"),
    ] as [(String, String?, String)])
  func client(peer: String, forwarded: String?, expected: String) throws {
    let proxies = try #require(TrustedProxies("10.0.0.1, 192.168.0.0/16,::1"))
    #expect(proxies.client(peer: peer, forwardedFor: forwarded) == expected)
  }

  @Test("Without trusted proxies no forwarded address is used")
  func none() {
    #expect(TrustedProxies.none.client(peer: "127.0.0.1", forwardedFor: "1.1.1.1") == "127.0.0.1")
  }

  @Test(
    "An invalid address or network is refused",
    arguments: ["a", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0", "::1/129", "1.1.1.1/8/8"])
  func wrong(list: String) {
    #expect(TrustedProxies(list) == nil)
  }

  @Test("Limits also count the /56 and the /48 around an IPv6 address, with more for each")
  func networks() {
    let found = TrustedProxies.networks(around: TrustedProxies.limitKey("2001:db8:1:23ab::1"))
    #expect(found.map(\.factor) == [8, 32])
    let same56 = TrustedProxies.networks(around: TrustedProxies.limitKey("2001:db8:1:23ff::1"))
    #expect(same56.map(\.key) == found.map(\.key))
    let same48 = TrustedProxies.networks(around: TrustedProxies.limitKey("2001:db8:1:ff::1"))
    #expect(same48[0].key != found[0].key && same48[1].key == found[1].key)
    let other = TrustedProxies.networks(around: TrustedProxies.limitKey("2001:db8:2:23ab::1"))
    #expect(Set(other.map(\.key)).isDisjoint(with: found.map(\.key)))
    #expect(TrustedProxies.networks(around: TrustedProxies.limitKey("1.2.3.4")).isEmpty)
  }

  @Test("Limits count an IPv4 address, or the /64 of an IPv6 one")
  func limitKey() {
    #expect(TrustedProxies.limitKey("1.2.3.4") == "1.2.3.4")
    #expect(
      TrustedProxies.limitKey("2001:db8:1:2:3:4:5:6") == TrustedProxies.limitKey("2001:db8:1:2::9"))
    #expect(
      TrustedProxies.limitKey("2001:db8:1:2::1") != TrustedProxies.limitKey("2001:db8:1:3::1"))
    #expect(TrustedProxies.limitKey("::ffff:1.2.3.4") == "::ffff:1.2.3.4")
  }
}
