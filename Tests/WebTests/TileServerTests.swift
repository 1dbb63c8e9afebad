import HTTPTypes
import Testing

@testable import Web

@Suite("Where maps get their tiles")
struct TileServerTests {
  @Test(
    "Pages may load pictures from the host of the tiles, and from no other",
    arguments: [
      ("https://tiles.example/{z}/{x}/{y}.png", "https://tiles.example"),
      ("https://{s}.tiles.example:8443/a/{z}/{x}/{y}@2x.png?key=1", "https://*.tiles.example:8443"),
      ("http://127.0.0.1:9000/{z}/{x}/{y}", "http://127.0.0.1:9000"),
    ])
  func origin(url: String, origin: String) throws {
    let tiles = try #require(TileServer(url))
    var response = Response.html([])
    SecurityHeaders.add(to: &response, options: [], tiles: tiles)
    let policy = try #require(response.headers[.contentSecurityPolicy])
    #expect(policy.contains("img-src 'self' blob: \(origin);"))
    #expect(policy.contains("script-src 'self';"))
  }

  @Test("Public pictures of another address are allowed besides")
  func mediaURL() {
    var response = Response.html([])
    let tiles = TileServer("https://tiles.example/{z}/{x}/{y}.png")
    SecurityHeaders.add(
      to: &response, options: [], tiles: tiles, mediaURL: "https://cdn.example")
    let policy = response.headers[.contentSecurityPolicy]
    #expect(
      policy?.contains("img-src 'self' blob: https://tiles.example https://cdn.example;") == true)
  }

  @Test("Without tiles pictures come from here alone")
  func none() throws {
    var response = Response.html([])
    SecurityHeaders.add(to: &response, options: [], tiles: nil)
    #expect(response.headers[.contentSecurityPolicy]?.contains("img-src 'self' blob:;") == true)
  }

  @Test(
    "An invalid URL of tiles, or one that could inject a header value, is refused",
    arguments: [
      "", "https://tiles.example/", "ftp://t.example/{z}/{x}/{y}", "https:///{z}/{x}/{y}",
      "https://t.example; script-src *//{z}/{x}/{y}", "https://t.example/{z}/{x}/{y};",
      "https://* 'unsafe-inline'/{z}/{x}/{y}", "https://*/{z}/{x}/{y}",
      "https://{s}./{z}/{x}/{y}", "https://a{s}b.example/{z}/{x}/{y}", "javascript:{z}{x}{y}",
    ])
  func refused(url: String) {
    #expect(TileServer(url) == nil)
  }

  @Test("OpenStreetMap is named on its maps")
  func credit() {
    #expect(
      TileServer("https://tile.openstreetmap.org/{z}/{x}/{y}.png")?.credit == "© OpenStreetMap")
    #expect(TileServer("https://tiles.example/{z}/{x}/{y}.png")?.credit == nil)
  }
}
