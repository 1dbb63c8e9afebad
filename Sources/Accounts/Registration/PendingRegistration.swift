import Core

/// A registration that waits for its mailed links.
struct PendingRegistration {
  enum Kind: String {
    case couple
    case alone
  }

  struct Side {
    let number: Int
    let email: String
    let sentAt: Instant
    let person: ID<Person>?
    let completedAt: Instant?
  }

  /// A registration with one of its sides.
  typealias Open = (PendingRegistration, Side)

  let id: ID<Registration>
  let kind: Kind
  let coupleName: String
  let anniversary: LocalDay?
  let displayName: String
  let passwordHash: String?
  let language: Language
  let termsVersion: String
  let browserHash: [UInt8]
  let couple: ID<Couple>?
  /// The guest who registers.
  var guest: ID<Person>? = nil
  let sides: [Side]

  func side(_ number: Int) -> Side? { sides.first { $0.number == number } }

  /// Whether the address belongs to the other side; both sides need different ones.
  func isOwn(_ email: String, butOf number: Int) -> Bool {
    sides.contains { $0.number != number && $0.email == email }
  }

  /// The couple that is created when the first side completes. The identifier is fixed from the
  /// first step on, because apps receive it.
  var futureCouple: ID<Couple> { id.cast(to: Couple.self) }
}

/// The phantom type of a registration's identifier.
enum Registration {}
