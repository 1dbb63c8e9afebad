import Crypto

/// The application's hash functions, over byte arrays.
public enum Digests {
  /// SHA-256, 32 bytes.
  public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(data: bytes))
  }

  /// HMAC-SHA-256 (RFC 2104), 32 bytes.
  public static func hmac(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
  }

  /// HMAC-SHA-384 (RFC 2104), 48 bytes.
  public static func hmac384(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA384>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
  }
}

/// A key of HMAC-SHA-256 (RFC 2104) for many short texts: it is hashed once, not for each of them.
public struct HMACKey: Sendable {
  private let prepared: HMAC<SHA256>

  public init(_ key: [UInt8]) {
    prepared = HMAC(key: SymmetricKey(data: key))
  }

  /// The code of these bytes, 32 bytes.
  public func code(of bytes: [UInt8]) -> [UInt8] {
    var code = prepared
    code.update(data: bytes)
    return code.finalize().withUnsafeBytes { Array($0) }
  }
}

/// Comparison of secrets.
public enum ConstantTime {
  /// Whether both arrays are equal; the time depends only on their lengths.
  public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices {
      difference |= left[index] ^ right[index]
    }
    return difference == 0
  }
}

/// Cryptographically secure random bytes.
public enum RandomBytes {
  /// Returns a number of bytes from the system's generator.
  public static func make(_ count: Int) -> [UInt8] {
    // Eight bytes at a time: each call of the generator is a system call.
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      withUnsafeBytes(of: generator.next()) {
        bytes.append(contentsOf: $0.prefix(count - bytes.count))
      }
    }
    return bytes
  }
}
