import Foundation

/// Pictures with hidden metadata.
enum CanaryPicture {
  /// The small picture with a PNG text under a key.
  static func png(_ text: String, under key: String, in picture: [UInt8] = SmallPicture.png)
    -> [UInt8]
  {
    let chunk = Array("tEXt\(key)\0\(text)".utf8)
    let length = bytes(UInt32(chunk.count - 4))
    // After the signature and the header of 13 bytes.
    return picture[..<33] + length + chunk + bytes(checksum(chunk)) + picture[33...]
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian, Array.init)
  }

  /// CRC-32, as after every PNG chunk.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in
        value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
      }
    }
  }
}
