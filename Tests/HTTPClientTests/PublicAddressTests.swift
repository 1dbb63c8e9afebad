import HTTPClient
import Testing

@Suite("Public addresses")
struct PublicAddressTests {
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
}
