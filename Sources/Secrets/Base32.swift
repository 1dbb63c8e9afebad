/// Base32 without padding (RFC 4648, section 6): how authenticator apps take a secret.
public enum Base32 {
  private static let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Eight characters for five bytes, no padding.
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
}
