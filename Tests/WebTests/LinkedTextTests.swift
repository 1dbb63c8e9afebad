import Testing

@testable import Web

@Suite("Links become links, all else is escaped")
struct LinkedTextTests {
  private func html(_ text: String) -> String {
    String(decoding: LinkedText.markup(text).bytes, as: UTF8.self)
  }

  private func link(_ address: String) -> String {
    "<a href=\"\(address)\" rel=\"nofollow ugc noopener\">\(address)</a>"
  }

  @Test("Everything that means something in HTML is escaped")
  func escaping() {
    #expect(
      html("<b>\"a\" & 'b'</b>") == "<p>&lt;b&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/b&gt;</p>")
  }

  @Test("A line break stays, an empty line makes a paragraph")
  func paragraphs() {
    #expect(html("a\nb\n\nc") == "<p>a<br>b</p><p>c</p>")
  }

  @Test(
    "A link ends where the sentence goes on",
    arguments: [
      ("see https://a.example/x.", "https://a.example/x", "."),
      ("see https://a.example/x, then", "https://a.example/x", ", then"),
      ("see https://a.example/x（好）", "https://a.example/x", "（好）"),
      ("see https://a.example/x。好", "https://a.example/x", "。好"),
      ("see http://a.example/(x)", "http://a.example/(x)", ""),
      ("see http://a.example/x)", "http://a.example/x", ")"),
      ("see https://a.example/?b=1#c!", "https://a.example/?b=1#c", "!"),
    ])
  func ends(text: String, address: String, rest: String) {
    #expect(html(text) == "<p>see \(link(address))\(rest)</p>")
  }

  @Test("A link can't break out of its quotation marks")
  func quotes() {
    let found = html("https://a.example/\"onmouseover=alert(1)")
    #expect(found.hasPrefix("<p>\(link("https://a.example/"))&quot;"))
    #expect(html("https://a.example/?a&b").contains("href=\"https://a.example/?a&amp;b\""))
  }

  @Test(
    "What has no host, or another scheme, stays words",
    arguments: [
      "https://", "http:/a", "javascript:alert(1)", "ftp://a.example", "xhttp://a.example", "http",
    ])
  func words(text: String) {
    #expect(html(text) == "<p>\(text)</p>")
  }

  @Test("Two thousand characters of beginnings of links take no time")
  func speed() {
    let started = ContinuousClock.now
    _ = html(String(repeating: "http", count: 500))
    _ = html(String(repeating: "http://", count: 285))
    #expect(ContinuousClock.now - started < .seconds(3))
  }
}
