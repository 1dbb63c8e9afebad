/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5).
public enum Base64URL {
  private static let alphabet = [UInt8](
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Encodes three bytes as four characters, without padding.
  public static func text(_ bytes: some Collection<UInt8>) -> String { encoded(Array(bytes)) }

  /// Decodes the canonical form; nil for padding, invalid characters and non-zero trailing bits, so
  /// two different texts never decode to the same bytes.
  public static func bytes(_ text: some StringProtocol) -> [UInt8]? { decoded(Array(text.utf8)) }

  // Other modules do not see these bodies, so a generic one would look up how to read each byte.

  private static func encoded(_ bytes: [UInt8]) -> String {
    var characters: [UInt8] = []
    characters.reserveCapacity((bytes.count * 4 + 2) / 3)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        characters.append(alphabet[Int(bits >> count & 0x3F)])
      }
    }
    if count > 0 {
      characters.append(alphabet[Int(bits << (6 - count) & 0x3F)])
    }
    return String(decoding: characters, as: UTF8.self)
  }

  private static func decoded(_ text: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count * 3 / 4)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for character in text {
      guard let value = value(of: character) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
    return result
  }

  private static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
