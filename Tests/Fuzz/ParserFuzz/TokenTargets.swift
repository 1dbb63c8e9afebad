import Core
import FakeAppStore
import Foundation

@testable import Certificates
@testable import SignedTokens

extension FuzzTarget {
  static let tokenTargets = [
    FuzzTarget(name: "der") { bytes in
      guard let certificate = try? Certificate(der: bytes), let root else { return }
      _ = certificate.isSelfSigned
      for chain in [[bytes, root.bytes, root.bytes], [root.bytes, bytes, root.bytes]] {
        let found = try? CertificateChain(chain, root: root, markers: .appStore)
        check(found == nil, "nobody signs without the key")
      }
    },
    FuzzTarget(name: "jws") { bytes in
      guard let root else { return }
      _ = try? X5CSignedJWS(
        String(decoding: bytes, as: UTF8.self), root: root,
        markers: .appStore)
    },
    FuzzTarget(name: "jwt") { bytes in
      guard let tokens else { return }
      let claims = try? tokens.verify(
        String(decoding: bytes, as: UTF8.self), as: Claims.self, now: Instant(milliseconds: 0))
      check(claims == nil, "nobody signs without the key")
    },
  ]

  private struct Claims: RegisteredClaims {
    let iss: String
    let aud: String
    let iat: Int64
    let exp: Int64
  }

  private static let root: Certificate? = {
    let signer = try? FakeAppStore(now: Instant(milliseconds: 1_772_409_600_000))
    return signer.flatMap { try? Certificate(der: $0.root) }
  }()

  private static let tokens: SignedToken? = {
    let folder = FileManager.default.temporaryDirectory.appending(path: "fuzz-keys-\(UUID())")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let keys = try? TokenKeys.loadOrMake(in: folder.path, now: Instant(milliseconds: 0))
    return keys.map { SignedToken(keys: $0, issuer: "https://a.test", audience: "https://a.test") }
  }()
}
