import Core
import Secrets

extension AppEnvironment {
  /// A pseudonym of a user for scripts, so that data kept in a browser names no person: 22
  /// characters, the same in every session of the user.
  public func browserUser(_ person: ID<Person>) -> String {
    let digest = Digests.hmac(person.bytes, key: keys.derivedKey(purpose: "browser-user"))
    return Base64URL.text(Array(digest.prefix(16)))
  }
}

extension Context {
  /// The viewer's pseudonym for scripts; nil if signed out.
  public var browserUser: String? { viewer.map { site.browserUser($0.id) } }
}
