import HTTPClient
import Testing

@testable import OpenIDConnect

@Suite("Requests to OpenID providers")
struct NetworkTransportTests {
  private func transport(
    _ addresses: [String], allowsPrivateNetwork: Bool = false
  ) -> NetworkTransport {
    NetworkTransport(allowsPrivateNetwork: allowsPrivateNetwork) { _ in addresses }
  }

  private func isRefused(_ transport: NetworkTransport, _ url: String) -> Bool {
    failure { try transport.send(HTTPCall("GET", url)) } != nil
      && failure { try transport.addresses(of: url) } != nil
  }

  @Test("A request goes to the checked addresses of its host only")
  func pinned() throws {
    let transport = transport(["8.8.8.8", "2606:4700::1111"])
    #expect(
      try transport.addresses(of: "https://a.example.test:8443/x?y=z")
        == ["8.8.8.8", "2606:4700::1111"])
    #expect(try self.transport(["8.8.8.8"]).addresses(of: "https://8.8.8.8/") == [])
  }

  @Test("Private addresses are not asked, unless the operator says so")
  func privateNetwork() throws {
    for addresses in [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::1"], ["169.254.169.254"], []] {
      #expect(isRefused(transport(addresses), "https://a.example.test/"), "\(addresses)")
    }
    let inside = transport(["10.0.0.1"], allowsPrivateNetwork: true)
    #expect(try inside.addresses(of: "https://home.example.test/") == ["10.0.0.1"])
    #expect(try inside.addresses(of: "http://home.example.test/") == ["10.0.0.1"])
  }

  @Test("Plain http is spoken inside only")
  func plain() {
    #expect(isRefused(transport(["8.8.8.8"]), "http://a.example.test/"))
    let inside = transport(["8.8.8.8"], allowsPrivateNetwork: true)
    #expect(isRefused(inside, "http://a.example.test/"))
  }

  @Test("An address in which another parser could find another host is refused")
  func ambiguous() {
    for url in [
      "https://a.example.test\\@b.example.test/", "https://a@b.example.test/",
      "https://a%2eexample.test/", "https://A.example.test/", "https:a.example.test/",
      "https:///a.example.test/", "https://a.example.test#b", "https://a.example.test /",
      "https://ä.example.test/", "https://[::1", "https://a.example.test:99999999/",
      "ftp://a.example.test/", "//a.example.test/", "",
    ] {
      #expect(ProviderAddress(url, allowsPlain: true) == nil, "\(url)")
    }
    for url in ["https://a.example.test", "https://[2606:4700::1111]:8443/x", "https://1.1.1.1?a"] {
      #expect(ProviderAddress(url, allowsPlain: false) != nil, "\(url)")
    }
  }

  @Test("Fields are added to an address, escaped")
  func fields() {
    let plain = ProviderAddress("https://a.example.test/x", allowsPlain: false)
    #expect(
      plain?.adding([("a", "b c&d=é/?#+"), ("e", "~-._")])
        == "https://a.example.test/x?a=b%20c%26d%3D%C3%A9%2F%3F%23%2B&e=~-._")
    let query = ProviderAddress("https://a.example.test/x?p=q", allowsPlain: false)
    #expect(query?.adding([("a", "\n")]) == "https://a.example.test/x?p=q&a=%0A")
  }
}
