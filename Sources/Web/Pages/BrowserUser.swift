import Core
import Secrets

extension AppEnvironment {
  /// A pseudonym of a user for scripts, so that data kept in a browser names no person: 22
  /// characters, the same in every session of the user.
  public func browserUser(_ person: ID<Person>) -> String {
    Base64URL.text(Array(browserUserKey.code(of: person.bytes).prefix(16)))
  }
}

extension Context {
  /// The viewer's pseudonym for scripts; nil if signed out.
  public var browserUser: String? { viewer.map { site.browserUser($0.id) } }
}
