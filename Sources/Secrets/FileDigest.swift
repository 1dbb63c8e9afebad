import Crypto
import Foundation

extension Digests {
  /// SHA-256 of a file's bytes, 32 bytes, read in chunks. Throws if the file cannot be read.
  public static func sha256(file path: String) throws -> [UInt8] {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    var hash = SHA256()
    while let piece = try file.read(upToCount: 1 << 18), !piece.isEmpty {
      hash.update(data: piece)
    }
    return Array(hash.finalize())
  }
}

/// Incremental SHA-256.
public struct RunningDigest {
  private var hash = SHA256()

  public init() {}

  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    hash.update(bufferPointer: bytes)
  }

  /// The digest, 32 bytes.
  public func finish() -> [UInt8] { Array(hash.finalize()) }
}
