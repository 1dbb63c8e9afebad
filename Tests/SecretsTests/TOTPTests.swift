import Secrets
import Testing

@Suite("Codes of an authenticator app")
struct TOTPTests {
  /// The secret of the RFC's appendix B.
  private static let secret = Array("12345678901234567890".utf8)

  @Test(
    "The vectors of RFC 6238, appendix B",
    arguments: [
      (59, 0x1, "94287082"), (1_111_111_109, 0x23523EC, "07081804"),
      (1_111_111_111, 0x23523ED, "14050471"), (1_234_567_890, 0x273EF07, "89005924"),
      (2_000_000_000, 0x3F940AA, "69279037"), (20_000_000_000, 0x27BC_86AA, "65353130"),
    ] as [(Int64, Int64, String)])
  func vectors(seconds: Int64, step: Int64, code: String) {
    #expect(TOTP.step(at: seconds) == step)
    #expect(TOTP(secret: Self.secret, digits: 8).code(step: step) == code)
    #expect(TOTP(secret: Self.secret).code(step: step) == code.suffix(6))
  }

  @Test(
    "The vectors of RFC 4226, appendix D",
    arguments: zip(
      0...9,
      [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871",
        "520489",
      ]))
  func counted(step: Int64, code: String) {
    #expect(TOTP(secret: Self.secret).code(step: step) == code)
  }

  @Test("A clock may be one step ahead or behind, not two", arguments: -3...3 as ClosedRange<Int64>)
  func drift(steps: Int64) {
    let codes = TOTP(secret: Self.secret)
    let now: Int64 = 1_234_567_890
    let step = TOTP.step(at: now) + steps
    #expect(
      codes.step(of: codes.code(step: step), at: now, after: nil) == (abs(steps) > 1 ? nil : step))
  }

  @Test("A step that was used doesn't work again, nor one before it")
  func once() {
    let codes = TOTP(secret: Self.secret)
    let now: Int64 = 1_234_567_890
    let step = TOTP.step(at: now)
    func found(_ wanted: Int64, after last: Int64) -> Int64? {
      codes.step(of: codes.code(step: wanted), at: now, after: last)
    }
    #expect(found(step, after: step) == nil)
    #expect(found(step - 1, after: step) == nil)
    #expect(found(step + 1, after: step) == step + 1)
  }

  @Test("A malformed code is nil", arguments: ["", "0", "000000", "14050471", "abcdef", "０５０４７１"])
  func foreign(entered: String) {
    let codes = TOTP(secret: Self.secret)
    #expect(codes.step(of: entered, at: 1_111_111_111, after: nil) == nil)
    #expect(codes.step(of: "050471", at: 1_111_111_111, after: nil) != nil)
  }

  @Test(
    "The vectors of RFC 4648 for Base32, without padding",
    arguments: [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
      ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
    ])
  func base32(plain: String, text: String) {
    #expect(Base32.text(Array(plain.utf8)) == text)
    #expect(Base32.bytes(text) == Array(plain.utf8))
    #expect(Base32.bytes(text.lowercased()) == Array(plain.utf8))
  }

  @Test(
    "Base32 with padding, foreign characters, stray bits or an impossible length is refused",
    arguments: ["MY======", "M0", "M1", "MZ", "M", "MZX", "MZXW6Y", "MZXW6Q", "m y", "Mé"])
  func noBase32(text: String) {
    #expect(Base32.bytes(text) == nil)
  }
}
