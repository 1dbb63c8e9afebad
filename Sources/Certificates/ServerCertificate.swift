import Ccrypto
import Core
import Foundation

/// A certificate chain and its private key, as a web server uses them.
public struct ServerCertificate: Sendable {
  /// The reason why files are no chain and key.
  public enum Failure: Error, Equatable, CustomStringConvertible {
    case noCertificate
    case noKey
    case otherKey

    /// One clause for the operator.
    public var description: String {
      switch self {
      case .noCertificate: "there is no certificate in PEM"
      case .noKey: "there is no private key in PEM without a passphrase"
      case .otherKey: "the key belongs to another certificate"
      }
    }
  }

  /// The end of its validity.
  public let notAfter: Instant
  /// The chain and the key in one text in PEM.
  public let pem: [UInt8]
  private let leaf: LoadedCertificate

  /// Reads the texts of two files in PEM; the chain begins with the server's own certificate.
  /// Throws `Failure`.
  public init(chain: [UInt8], key: [UInt8]) throws(Failure) {
    defer { ERR_clear_error() }
    guard let leaf = LoadedCertificate(pem: chain), let notAfter = leaf.notAfter else {
      throw .noCertificate
    }
    guard let privateKey = Self.privateKey(pem: key) else { throw .noKey }
    defer { EVP_PKEY_free(privateKey) }
    guard X509_check_private_key(leaf.pointer, privateKey) == 1 else { throw .otherKey }
    self.leaf = leaf
    self.notAfter = notAfter
    let newline = UInt8(ascii: "\n")
    pem = chain + (chain.last == newline ? [] : [newline]) + key
  }

  /// Whether it is for a host (RFC 6125).
  public func covers(host: String) -> Bool {
    X509_check_host(leaf.pointer, host, host.utf8.count, 0, nil) == 1
      || X509_check_ip_asc(leaf.pointer, host, 0) == 1
  }

  private static func privateKey(pem: [UInt8]) -> OpaquePointer? {
    LoadedCertificate.reading(pem) { bio in
      // Without this function libcrypto would ask the terminal for a passphrase.
      PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
    }
  }
}

/// The first certificate of a text in PEM, freed with its last reference.
///
/// It is not changed after `init`; libcrypto locks what it computes later.
private final class LoadedCertificate: @unchecked Sendable {
  let pointer: OpaquePointer

  init?(pem: [UInt8]) {
    guard let found = Self.reading(pem, { PEM_read_bio_X509($0, nil, { _, _, _, _ in -1 }, nil) })
    else { return nil }
    pointer = found
  }

  deinit { X509_free(pointer) }

  /// Nil for a time that is no time.
  var notAfter: Instant? {
    var parts = tm()
    guard ASN1_TIME_to_tm(X509_get0_notAfter(pointer), &parts) == 1 else { return nil }
    return Instant(milliseconds: Int64(timegm(&parts)) * 1000)
  }

  static func reading<Result>(_ pem: [UInt8], _ read: (OpaquePointer) -> Result?) -> Result? {
    pem.withUnsafeBytes { bytes in
      guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else {
        return nil
      }
      defer { BIO_free(bio) }
      return read(bio)
    }
  }
}
