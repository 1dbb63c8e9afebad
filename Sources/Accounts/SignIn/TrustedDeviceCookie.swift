import Core
import Secrets
import Web

/// Marks a browser on which a user signed in before, so that attempts from elsewhere cannot lock
/// them out there (docs/developer/accounts.md#limits). Failures of this browser are counted
/// separately.
///
/// The mark depends on the password as well, so changing it invalidates all earlier marks.
enum TrustedDeviceCookie {
  private static let lifetime: Int64 = .days(365)

  static func remember(_ person: ID<Person>, passwordHash: String, _ context: Context) {
    let mark = Base64URL.text(mark(person, passwordHash, context))
    context.setCookie("device", mark, maxAge: lifetime)
  }

  static func knows(_ person: ID<Person>, passwordHash: String?, _ context: Context) -> Bool {
    guard let passwordHash,
      let bytes = context.cookies["device"].flatMap({ Base64URL.bytes($0) })
    else { return false }
    return ConstantTime.equal(bytes, mark(person, passwordHash, context))
  }

  static func forget(_ context: Context) {
    context.setCookie("device", "", maxAge: 0)
  }

  private static func mark(
    _ person: ID<Person>, _ passwordHash: String, _ context: Context
  ) -> [UInt8] {
    Digests.hmac(
      person.bytes + Array(passwordHash.utf8), key: context.site.keys.derivedKey(purpose: "device"))
  }
}
