import Ccrypto

/// A certificate of libcrypto, freed with its last reference.
///
/// It is not changed after `init`; libcrypto locks what it computes later.
final class X509Object: @unchecked Sendable {
  /// The maximum length in bytes; certificates have one or two thousand.
  private static let maximumBytes = 64 << 10

  private let pointer: OpaquePointer

  /// Parses DER. Throws `.malformed` for anything else, also for another encoding (BER) of a
  /// certificate, and for more than 64 KiB.
  init(der bytes: [UInt8]) throws(CertificateError) {
    guard 1...Self.maximumBytes ~= bytes.count else { throw .malformed }
    defer { ERR_clear_error() }
    let parsed = bytes.withUnsafeBufferPointer { buffer in
      var place = buffer.baseAddress
      return d2i_X509(nil, &place, buffer.count)
    }
    guard let parsed else { throw .malformed }
    // libcrypto reads BER, but writes DER. It keeps the signed part as it was read, and encodes
    // that again only after this call.
    _ = i2d_re_X509_tbs(parsed, nil)
    guard Self.der({ i2d_X509(parsed, $0) }) == bytes else {
      X509_free(parsed)
      throw .malformed
    }
    pointer = parsed
  }

  deinit { X509_free(pointer) }

  /// Calls `body` with the pointer, which is valid during the call only.
  func use<Result>(
    _ body: (OpaquePointer) throws(CertificateError) -> Result
  ) throws(CertificateError) -> Result {
    defer {
      ERR_clear_error()
      withExtendedLifetime(self) {}
    }
    return try body(pointer)
  }

  /// The DER that a function of libcrypto writes; empty if it fails.
  static func der(
    _ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
  ) -> [UInt8] {
    let count = Int(write(nil))
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      var place = buffer.baseAddress
      used = max(Int(write(&place)), 0)
    }
  }
}
