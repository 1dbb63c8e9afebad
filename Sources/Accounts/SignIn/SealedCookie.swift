import Core
import Secrets
import Web

/// A short text that the browser carries to its next page. It is encrypted and authenticated, bound
/// to one user unless it is for a visitor, and expires.
public struct SealedCookie: Sendable {
  let name: String
  /// Seconds.
  let lifetime: Int64

  public init(name: String, lifetime: Int64) {
    self.name = name
    self.lifetime = lifetime
  }

  public func set(_ text: String, for person: ID<Person>? = nil, _ context: Context) throws {
    let end = context.now.adding(seconds: lifetime).milliseconds
    let sealed = try context.site.keys.seal(Array("\(end) \(text)".utf8), for: place(person))
    context.setCookie(name, Base64URL.text(sealed), maxAge: lifetime)
  }

  /// The text that was set for this user, or for a visitor, until it expires.
  public func read(for person: ID<Person>? = nil, _ context: Context) -> String? {
    guard let sealed = context.cookies[name].flatMap({ Base64URL.bytes($0) }),
      let bytes = try? context.site.keys.open(sealed, for: place(person))
    else { return nil }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let end = Int64(parts[0]), end > context.now.milliseconds else {
      return nil
    }
    return String(parts[1])
  }

  public func clear(_ context: Context) {
    if context.cookies[name] != nil { context.setCookie(name, "", maxAge: 0) }
  }

  private func place(_ person: ID<Person>?) -> AssociatedData {
    guard let person else { return AssociatedData(table: "cookies", column: name) }
    return AssociatedData(table: "cookies", row: person, column: name)
  }
}
