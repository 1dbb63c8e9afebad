import Core
import Secrets

/// A code that works once instead of the app's: 12 digits in 3 groups, typed on the same keys as
/// the app's codes.
///
/// It has 40 bits: enough with ten tries an hour. The stored value is a slow hash of an HMAC whose
/// key is outside the database. So a stolen database cannot be searched, and one stolen together
/// with its keys only slowly. All codes of a user share one salt, so a typed code is hashed once.
struct RecoveryCode {
  static let digits = 12
  /// The number of codes of a user.
  static let count = 10

  let text: String

  /// A random code from the system's generator.
  static func random() -> RecoveryCode {
    var generator = SystemRandomNumberGenerator()
    let text = String(
      (0..<digits).map { _ in Character(String(Int.random(in: 0..<10, using: &generator))) })
    return RecoveryCode(text: text)
  }

  /// A full set of distinct codes.
  static func set() -> [RecoveryCode] {
    var made: Set<String> = []
    while made.count < count { made.insert(random().text) }
    return made.map { RecoveryCode(text: $0) }
  }

  /// The code in groups: "4821 9073 1165".
  var grouped: String { text.inGroups(of: 4) }

  /// The HMAC alone, 32 bytes: the format of old codes.
  func keyedHash(of person: ID<Person>, keys: KeyRing) -> [UInt8] {
    Digests.hmac(
      person.bytes + Array(text.utf8), key: keys.derivedKey(purpose: "recovery-codes"))
  }
}

/// New recovery codes with their stored hashes.
struct RecoveryCodeSet {
  let codes: [RecoveryCode]
  let hashes: [[UInt8]]
}

extension String {
  /// The characters with a space between groups, which are easier to read and type.
  func inGroups(of length: Int) -> String {
    var result = ""
    for (position, character) in enumerated() {
      if position > 0, position % length == 0 { result.append(" ") }
      result.append(character)
    }
    return result
  }
}
