import Core
import Database

/// What somebody showed to be let in. It is judged before the transaction that lets them in, since
/// hashing takes its time; so that one looks again whether it still holds (a password may have
/// been replaced by mail in between, which signs out everywhere).
enum VerifiedCredentials {
  /// The right password, as it was stored when it was judged.
  case password(Credentials)
  /// A guest's recovery code.
  case guestCode(GuestStore.Match)

  /// Whose it is.
  var person: ID<Person> {
    switch self {
    case .password(let credentials): credentials.id
    case .guestCode(let match): match.guest
    }
  }

  /// Whether it would be judged the same now.
  func holds(_ services: AccountsEnvironment, in reader: ReadTransaction) throws -> Bool {
    switch self {
    case .password(let credentials):
      return try services.people.holds(credentials, in: reader)
    case .guestCode(let match):
      return try services.guests.holds(match, in: reader)
    }
  }
}
