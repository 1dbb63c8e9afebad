import Testing
import Web

@Suite("Simple forms")
struct FormDecodingTests {
  private static func decode(_ text: String) throws -> [[String]] {
    try FormDecoding.decode(Array(text.utf8)).map { [$0.0, $0.1] }
  }

  @Test(
    "Fields keep their order and their characters",
    arguments: [
      ("", []), ("a=1", [["a", "1"]]), ("b=2&a=1", [["b", "2"], ["a", "1"]]),
      ("a=1&a=2&a=1", [["a", "1"], ["a", "2"], ["a", "1"]]),
      ("a", [["a", ""]]), ("a=", [["a", ""]]), ("=1", [["", "1"]]),
      ("a=b=c", [["a", "b=c"]]), ("&&a=1&", [["a", "1"]]),
      ("a+b=c+d%2Be", [["a b", "c d+e"]]), ("%61=%E6%A2%85", [["a", "梅"]]),
      ("%e6%a2%85=1", [["梅", "1"]]), ("a=梅", [["a", "梅"]]), ("a=%26%3D%25", [["a", "&=%"]]),
      ("a=line%0D%0Aline", [["a", "line\r\nline"]]),
    ] as [(String, [[String]])])
  func decoded(text: String, fields: [[String]]) throws {
    #expect(try Self.decode(text) == fields)
  }

  @Test(
    "Input that no browser sends is refused",
    arguments: ["a=%", "a=%4", "a=%4g", "a=%zz", "%", "a=%FF", "a=%C0%AF", "a=%ED%A0%80", "%E6=1"])
  func malformed(text: String) {
    #expect(throws: FormError.malformed) { try Self.decode(text) }
  }

  @Test("A thousand fields are read, one more is refused")
  func limit() throws {
    let thousand = Array(repeating: "a=1", count: 1000).joined(separator: "&")
    #expect(try Self.decode(thousand).count == 1000)
    #expect(throws: FormError.tooManyFields) { try Self.decode(thousand + "&b=1") }
  }

  @Test("A hundred thousand marks on one character are refused at once, in every kind of form")
  func marks() throws {
    let folder = try MultipartFolder()
    // Limited in bytes, and in combining marks where so many would fit.
    for (count, error) in [(100_000, FormError.fieldTooLong), (3900, .malformed)] {
      let marks = String(repeating: "%CC%81%CC%96", count: count)
      #expect(throws: error) {
        try FormDecoding.decode(Array("a=b\(marks)".utf8), limits: .paragraphs)
      }
      let body = Body.field("a", "b" + String(repeating: "\u{301}\u{316}", count: count))
      #expect(throws: error) { try folder.read(body + Array("--X--\r\n".utf8)) }
    }
  }
}
