/// Base32 without padding (RFC 4648, section 6): the format of secrets in authenticator apps, and
/// safe where case is not preserved.
public enum Base32 {
  private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Encodes five bytes as eight characters, without padding.
  public static func text(_ bytes: some Collection<UInt8>) -> String {
    var characters: [UInt8] = []
    characters.reserveCapacity((bytes.count * 8 + 4) / 5)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 5 {
        count -= 5
        characters.append(alphabet[Int(bits >> count & 0x1F)])
      }
    }
    if count > 0 {
      characters.append(alphabet[Int(bits << (5 - count) & 0x1F)])
    }
    return String(decoding: characters, as: UTF8.self)
  }

  /// Decodes either case; nil for padding, invalid characters and non-zero trailing bits, so two
  /// texts for the same bytes differ in case only.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count * 5 / 8)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for character in text.utf8 {
      guard let value = value(of: character) else { return nil }
      bits = bits << 5 | UInt32(value)
      count += 5
      if count >= 8 {
        count -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    guard count < 5, bits & (1 << count - 1) == 0 else { return nil }
    return result
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a")
    case UInt8(ascii: "2")...UInt8(ascii: "7"): character - UInt8(ascii: "2") + 26
    default: nil
    }
  }
}
