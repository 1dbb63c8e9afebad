import Testing

@testable import Secrets

@Suite("Encryption with a token")
struct TokenEncryptionTests {
  @Test("Only the same token opens it, for the same purpose")
  func opens() throws {
    let token = Token.random()
    let sealed = try token.seal(Array("words".utf8), purpose: "test")
    #expect(token.open(sealed, purpose: "test") == Array("words".utf8))
    #expect(token.open(sealed, purpose: "other") == nil)
    #expect(Token.random().open(sealed, purpose: "test") == nil)
  }

  @Test("Changed, cut or empty bytes don't open, and no two seals are alike")
  func altered() throws {
    let token = Token.random()
    let sealed = try token.seal([1, 2, 3], purpose: "test")
    for index in sealed.indices {
      var bad = sealed
      bad[index] ^= 1
      #expect(token.open(bad, purpose: "test") == nil)
    }
    #expect(token.open([], purpose: "test") == nil)
    #expect(token.open(Array(sealed.dropLast()), purpose: "test") == nil)
    #expect(try token.seal([1, 2, 3], purpose: "test") != sealed)
  }
}
