import Secrets
import Testing

@Suite("Tokens")
struct TokenTests {
  @Test("A token is 43 characters that need no escaping")
  func text() {
    let text = Token.random().text
    #expect(text.utf8.count == 43)
    #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
  }

  @Test("A token read back from its text has the same hash")
  func readBack() throws {
    let token = Token.random()
    let same = try #require(Token(token.text))
    #expect(same.sha256 == token.sha256)
    #expect(same.matches(sha256: token.sha256))
    #expect(token.sha256.count == 32)
  }

  @Test("No two tokens are alike, and one does not match the hash of another")
  func different() {
    let tokens = (0..<100).map { _ in Token.random() }
    #expect(Set(tokens.map(\.text)).count == 100)
    #expect(!tokens[0].matches(sha256: tokens[1].sha256))
  }

  @Test(
    "A text that is no token is refused",
    arguments: [
      "", "abc", String(repeating: "A", count: 42), String(repeating: "A", count: 44),
      String(repeating: "A", count: 42) + "=", String(repeating: "A", count: 42) + "+",
      // The last character carries four bits; this one has non-zero bits after them.
      String(repeating: "A", count: 42) + "B",
    ])
  func refused(text: String) {
    #expect(Token(text) == nil)
  }

  @Test("Base64url follows the examples of RFC 4648")
  func base64() {
    for (plain, coded) in [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
      ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
    ] {
      #expect(Base64URL.text(Array(plain.utf8)) == coded)
      #expect(Base64URL.bytes(coded) == Array(plain.utf8))
    }
    #expect(Base64URL.text([0xFB, 0xFF]) == "-_8")
    #expect(Base64URL.bytes("A") == nil)
  }

  @Test("Comparing in constant time distinguishes equal from different")
  func constantTime() {
    #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
    #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
    #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
    #expect(ConstantTime.equal([], []))
  }
}
