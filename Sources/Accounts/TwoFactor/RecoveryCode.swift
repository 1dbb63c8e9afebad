import Core
import Secrets

/// A code that works once in place of the app's: 12 digits in 3 groups, which every keyboard has
/// in the same place as those of the app.
///
/// That is 40 bits: enough with ten tries an hour. What is stored is a slow hash of an HMAC whose
/// key lives outside the database, so that a stolen database can't be searched, and one stolen
/// together with its keys only slowly. All codes of a person have one salt: a typed one is hashed
/// once.
struct RecoveryCode {
  static let digits = 12
  /// How many a person gets.
  static let count = 10

  let text: String

  /// A new one from the system's generator.
  static func random() -> RecoveryCode {
    var generator = SystemRandomNumberGenerator()
    let text = String(
      (0..<digits).map { _ in Character(String(Int.random(in: 0..<10, using: &generator))) })
    return RecoveryCode(text: text)
  }

  /// A whole set, no two alike.
  static func set() -> [RecoveryCode] {
    var made: Set<String> = []
    while made.count < count { made.insert(random().text) }
    return made.map { RecoveryCode(text: $0) }
  }

  /// "4821 9073 1165".
  var grouped: String { text.inGroups(of: 4) }

  /// The HMAC alone, 32 bytes: how codes of before are stored.
  func keyedHash(of person: ID<Person>, keys: KeyRing) -> [UInt8] {
    Digests.hmac(
      person.bytes + Array(text.utf8), key: keys.derivedKey(purpose: "recovery-codes"))
  }
}

/// New recovery codes with what is stored of them.
struct RecoveryCodeSet {
  let codes: [RecoveryCode]
  let hashes: [[UInt8]]
}

extension String {
  /// The characters with a space between groups, easier to read and to type.
  func inGroups(of length: Int) -> String {
    var result = ""
    for (position, character) in enumerated() {
      if position > 0, position % length == 0 { result.append(" ") }
      result.append(character)
    }
    return result
  }
}
