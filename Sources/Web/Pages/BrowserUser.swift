import Secrets

extension Context {
  /// What scripts call the viewer, so that nothing kept in a browser names a person: 22 characters,
  /// the same in every session of theirs, and telling nothing. Nil for who is signed out.
  public var browserUser: String? {
    viewer.map {
      let digest = Digests.hmac($0.id.bytes, key: site.keys.derivedKey(purpose: "browser-user"))
      return Base64URL.text(Array(digest.prefix(16)))
    }
  }
}
