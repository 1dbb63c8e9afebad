import Accounts
import Core
import Database
import Web

extension CheckInEnvironment {
  /// The viewer; throws 404 if the account is gone.
  func card(_ context: Context, in reader: ReadTransaction) throws -> UserSummary {
    guard let card = try people.card(try context.signedIn().id, in: reader) else {
      throw Problem.notFound
    }
    return card
  }

  /// The contact of the viewer that the path names; throws 404 for those of other users.
  func ownContact(_ context: Context, in reader: ReadTransaction) throws -> Contact {
    let person = try context.signedIn().id
    guard let contact = try contacts.find(context.id(), of: person, in: reader) else {
      throw Problem.notFound
    }
    return contact
  }
}
