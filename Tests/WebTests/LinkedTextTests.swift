import Core
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
    "A link ends where the sentence continues",
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
    "Text without a host, or with another scheme, is no link",
    arguments: [
      "https://", "http:/a", "javascript:alert(1)", "ftp://a.example", "xhttp://a.example", "http",
    ])
  func words(text: String) {
    #expect(html(text) == "<p>\(text)</p>")
  }

  @Test("Characters with marks, which many scripts have, stay in a link")
  func marks() {
    let address = "https://th.example/ประเทศที่/e\u{301}"
    #expect(html(address) == "<p>\(link(address))</p>")
  }

  @Test(
    "Each byte is read a few times, however the text is made",
    arguments: [
      "http", "http://", "xhttp://", "http://)", "http://(", "https://a(", "https://a)", "h", ")",
      "http://.", "http://\u{3000}", "\u{FF5E}http://", "a\u{FE0F}", "https://a.example/(x). ",
    ])
  func reads(piece: String) {
    for text in [
      String(repeating: piece, count: 2000),
      String(repeating: piece, count: 1000) + String(repeating: ")", count: 5000),
      "https://a" + String(repeating: piece, count: 1000) + String(repeating: ".", count: 5000),
    ] {
      let bytes = CountingBytes(text)
      var finder = LinkFinder(bytes)
      while finder.next() != nil {}
      #expect(bytes.reads.count <= 12 * bytes.count, "\(text.prefix(40))")
    }
  }
}

/// A counter used by one thread.
private final class Reads: @unchecked Sendable {
  var count = 0
}

/// Bytes that count their reads.
private struct CountingBytes: RandomAccessCollection {
  let all: [UInt8]
  let reads = Reads()

  init(_ text: String) {
    all = Array(text.utf8)
  }

  var startIndex: Int { 0 }
  var endIndex: Int { all.count }

  subscript(place: Int) -> UInt8 {
    reads.count += 1
    return all[place]
  }
}
