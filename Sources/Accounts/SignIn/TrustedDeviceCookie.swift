import Core
import Secrets
import Web

/// Marks a browser on which somebody signed in before, so that a stranger's failures don't lock
/// them out there (docs/developer/accounts.md#limits). Their own failures there are counted apart.
///
/// It hangs on the password too: who was in by one that has been changed since is a stranger.
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
