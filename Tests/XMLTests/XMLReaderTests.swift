import Testing

@testable import XML

@Suite("An XML document")
struct XMLReaderTests {
  private struct Stop: Error {}

  private func read(_ text: String) throws -> [String] {
    try read(Array(text.utf8))
  }

  private func read(_ bytes: [UInt8]) throws -> [String] {
    let limits = XMLLimits(document: 100, depth: 3, name: 8, value: 8, text: 8, attributes: 2)
    var parts: [String] = []
    try XMLReader(limits).read(bytes) { event in
      switch event {
      case .open(let name, let attributes):
        parts.append(([name] + attributes.map { "\($0.name)=\($0.value)" }).joined(separator: " "))
      case .text(let text): parts.append("'\(text)'")
      case .close(let name): parts.append("/\(name)")
      }
    }
    return parts
  }

  @Test("is read in order, with names as written, references and CDATA replaced")
  func good() throws {
    #expect(
      try read("<a x:b='1&lt;2'><c/><!-- d -->e<?f g?><![CDATA[<h>]]></a>")
        == ["a x:b=1<2", "c", "/c", "'e'", "'<h>'", "/a"])
    #expect(try read("<a>&#x5B57;</a>") == ["a", "'字'", "/a"])
  }

  @Test("may begin with a byte order mark and white space, and is UTF-8 whatever it declares")
  func beginning() throws {
    #expect(
      try read("\u{FEFF} \r\n<?xml version='1.0' encoding='latin1'?><a>é</a>")
        == ["a", "'é'", "/a"])
    #expect(throws: XMLError.self) { try read([0x3C, 0x61, 0x3E, 0xE9, 0x3C, 0x2F, 0x61, 0x3E]) }
  }

  @Test(
    "is refused over a limit",
    arguments: [
      "<a><a><a><a/></a></a></a>", "<a1b2c3d4e/>", "<a b='123456789'/>", "<a b='' c='' d=''/>",
      "<a a1b2c3d4e=''/>", "<a>" + String(repeating: " ", count: 100) + "</a>",
    ])
  func limits(text: String) {
    #expect(throws: XMLError.self) { try read(text) }
  }

  @Test("has its text cut at the limit of a piece, between characters")
  func longText() throws {
    #expect(try read("<a>漢漢漢漢</a>") == ["a", "'漢漢'", "/a"])
    #expect(try read("<a><a><a b='12345678' c=''>12345678</a></a></a>").count == 7)
  }

  @Test(
    "is refused with a document type, another entity, or when it is not well-formed",
    arguments: [
      "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a>&nbsp;</a>", "<a>", "",
      "<a></b>", "<a/><a/>", "<a b/>", "<a b='' b=''/>", "<a>&#0;</a>", "a",
    ])
  func refused(text: String) {
    #expect(throws: XMLError.self) { try read(text) }
  }

  @Test("ends with the error of what handles it, without another part")
  func stopped() {
    var count = 0
    let limits = XMLLimits(document: 100, depth: 3, name: 8, value: 8, text: 8, attributes: 2)
    #expect(throws: Stop.self) {
      try XMLReader(limits).read(Array("<a><b/>c</a>".utf8)) { _ in
        count += 1
        if count == 2 { throw Stop() }
      }
    }
    #expect(count == 2)
  }
}
