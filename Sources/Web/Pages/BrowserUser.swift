import Secrets

extension Context {
  /// A pseudonym of the viewer for scripts, so that data kept in a browser names no person: 22
  /// characters, the same in every session of the viewer. Nil if signed out.
  public var browserUser: String? {
    viewer.map {
      let digest = Digests.hmac($0.id.bytes, key: site.keys.derivedKey(purpose: "browser-user"))
      return Base64URL.text(Array(digest.prefix(16)))
    }
  }
}
