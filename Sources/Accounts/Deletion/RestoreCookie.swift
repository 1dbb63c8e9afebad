import Core
import Secrets
import Web

/// Proves for ten minutes that this browser gave the address and password of a deleted account, and
/// its second factor if it has one: the step between signing in and pressing the button to restore.
///
/// Authenticated by an HMAC. Invalid once the account is restored, or deleted again.
struct RestoreCookie {
  private static let name = "restore"
  /// How long it is valid, in s.
  static let lifetime: Int64 = .minutes(10)
  private static let bodyLength = 32

  let person: ID<Person>
  let deletedAt: Instant

  static func set(_ cookie: RestoreCookie, _ context: Context) {
    let ends = context.now.adding(seconds: lifetime)
    let body = cookie.person.bytes + bytes(cookie.deletedAt) + bytes(ends)
    context.setCookie(name, Base64URL.text(body + seal(body, context)), maxAge: lifetime)
  }

  /// The cookie of this browser; nil if it is missing, forged or expired.
  static func read(_ context: Context) -> RestoreCookie? {
    guard let bytes = context.cookies[name].flatMap({ Base64URL.bytes($0) }),
      bytes.count == bodyLength * 2
    else { return nil }
    let body = Array(bytes.prefix(bodyLength))
    guard ConstantTime.equal(Array(bytes.dropFirst(bodyLength)), seal(body, context)),
      instant(body[24...]) > context.now, let person = ID<Person>(bytes: Array(body.prefix(16)))
    else { return nil }
    return RestoreCookie(person: person, deletedAt: instant(body[16..<24]))
  }

  static func clear(_ context: Context) {
    context.setCookie(name, "", maxAge: 0)
  }

  private static func seal(_ body: [UInt8], _ context: Context) -> [UInt8] {
    Digests.hmac(body, key: context.site.keys.derivedKey(purpose: "restore"))
  }

  private static func bytes(_ instant: Instant) -> [UInt8] {
    withUnsafeBytes(of: instant.milliseconds.bigEndian) { Array($0) }
  }

  private static func instant(_ bytes: ArraySlice<UInt8>) -> Instant {
    Instant(milliseconds: bytes.reduce(0) { $0 << 8 | Int64($1) })
  }
}
