import Core
import Secrets
import Testing

@Suite("Digests")
struct DigestTests {
  @Test("A prepared key gives the codes of RFC 4231, and the same each time")
  func preparedKey() {
    let key = HMACKey(Array("Jefe".utf8))
    let text = Array("what do ya want for nothing?".utf8)
    for _ in 1...2 {
      #expect(
        Hex.text(key.code(of: text))
          == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
    for length in [0, 1, 64, 200] {
      let bytes = [UInt8](repeating: 7, count: length)
      #expect(key.code(of: bytes) == Digests.hmac(bytes, key: Array("Jefe".utf8)), "\(length)")
    }
  }
}
