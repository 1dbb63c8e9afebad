import Core
import Database

/// Credentials that were verified before the transaction that signs in, since hashing is slow.
/// `isStillValid` checks them again within it: the password may have been reset in between, which
/// ends all sessions.
enum VerifiedCredentials {
  /// A right password; the credentials are as stored when it was verified.
  case password(Credentials)
  /// A guest's recovery code.
  case guestCode(GuestStore.Match)

  /// The user of the credentials.
  var person: ID<Person> {
    switch self {
    case .password(let credentials): credentials.id
    case .guestCode(let match): match.guest
    }
  }

  /// Whether the credentials are still valid.
  func isStillValid(_ services: AccountsEnvironment, in reader: ReadTransaction) throws -> Bool {
    switch self {
    case .password(let credentials):
      return try services.people.isStillValid(credentials, in: reader)
    case .guestCode(let match):
      return try services.guests.isStillValid(match, in: reader)
    }
  }
}
