import Accounts
import Core
import Database
import Web

/// `/api/v1/checkin/contacts`: the user's contacts.
struct ContactAPI {
  private let services: CheckInEnvironment

  private var service: ContactService { ContactService(services: services) }

  init(_ services: CheckInEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    let path = "/checkin/contacts"
    return [
      .api(
        .get, path, .atLeast(.guest), Operation("List your emergency contacts", .checkIn),
        options: .noStore, handler: list),
      .api(
        .post, path, .atLeast(.guest),
        Operation(
          "Add a contact", .checkIn,
          note: "The contact receives a mail and can decline. At most five contacts.",
          errors: [.limitReached]),
        options: [.noStore, .idempotent], handler: add),
      .api(
        .patch, "\(path)/:id", .atLeast(.guest),
        Operation(
          "Change a contact", .checkIn,
          note: "Changing the address creates a new contact with a new `id`."),
        options: .noStore, handler: change),
      .api(
        .delete, "\(path)/:id", .atLeast(.guest),
        Operation(
          "Remove a contact", .checkIn,
          note: "The contact can be restored for 30 days."),
        handler: remove),
      .api(
        .get, "\(path)/removed", .atLeast(.guest),
        Operation(
          "List your removed contacts", .checkIn,
          note: "Those that can be restored, the last removed first."),
        options: .noStore, handler: listRemoved),
      .api(
        .post, "\(path)/:id/restore", .atLeast(.guest),
        Operation(
          "Restore a removed contact", .checkIn,
          note: """
            It comes after the others, in the state in which it was removed. 404 after 30 days, 422 \
            if there is another contact with this address.
            """, errors: [.limitReached]),
        options: .noStore, handler: restore),
    ]
  }

  @Sendable private func list(_ context: Context) throws -> ContactsResponse {
    let person = try context.signedIn().id
    let all = try services.site.database.read {
      try service.all(of: person, now: context.now, in: $0)
    }
    return ContactsResponse(
      contacts: all.map { ContactResponse(contact: $0.contact, mails: $0.mails) })
  }

  @Sendable private func add(
    _ input: ContactRequest, _ context: Context
  ) throws -> Created<ContactResponse> {
    let (name, email) = try Self.checked(input.name, input.email)
    return try context.answering(
      {
        try kept(context) { card, writer in
          try service.add(to: card, name: name, email: email, now: context.now, in: writer)
        }
      }, { Created($0) })
  }

  @Sendable private func change(
    _ input: ContactChange, _ context: Context
  ) throws -> ContactResponse {
    try kept(context) { card, writer in
      let contact = try services.ownContact(context, in: writer)
      if input.seesNote == true { try service.confirm(contact, in: writer) }
      // No other request changes a contact within this transaction.
      let (name, email) = try Self.checked(
        input.name ?? contact.name, input.email ?? contact.email)
      return try service.change(
        contact, of: card, name: name, email: email, now: context.now, in: writer)
    }
  }

  @Sendable private func remove(_ context: Context) throws -> NoContent {
    try services.site.database.write { writer in
      try service.remove(try services.ownContact(context, in: writer), now: context.now, in: writer)
    }
    return NoContent()
  }

  @Sendable private func listRemoved(_ context: Context) throws -> RemovedContactsResponse {
    let person = try context.signedIn().id
    let removed = try services.site.database.read {
      try services.contacts.removed(
        of: person, since: DeletionPeriod.start(now: context.now),
        limit: RemovedContact.maximumListed, in: $0)
    }
    return RemovedContactsResponse(contacts: removed.map { RemovedContactResponse(removed: $0) })
  }

  @Sendable private func restore(_ context: Context) throws -> ContactResponse {
    let viewer = try context.signedIn()
    return try kept(context) { card, writer in
      let id: ID<Contact> = try context.id()
      let partner = try services.people.partner(of: viewer, in: writer)
      try service.restore(id, of: card, partner: partner?.id, now: context.now, in: writer)
      return id
    }
  }

  private static func checked(_ name: String, _ email: String) throws -> (String, String) {
    var errors: [String: FieldError] = [:]
    let name = ContactService.name(name, &errors)
    let email = AccountRules.address(email, field: "email", &errors)
    guard errors.isEmpty, let email else { throw Problem.invalid(errors) }
    return (name, email)
  }

  /// Adds, changes or restores a contact in `body` and returns the stored contact.
  private func kept(
    _ context: Context, _ body: (UserSummary, WriteTransaction) throws -> ID<Contact>
  ) throws -> ContactResponse {
    do {
      return try services.site.database.write { writer in
        let person = try context.signedIn().id
        guard let card = try services.people.card(person, in: writer) else {
          throw Problem(.invalidToken)
        }
        let id = try body(card, writer)
        let all = try service.all(of: person, now: context.now, in: writer)
        guard let one = all.first(where: { $0.contact.id == id }) else {
          throw Problem.internalError
        }
        return ContactResponse(contact: one.contact, mails: one.mails)
      }
    } catch let rejection as ContactService.Rejection {
      throw Problem(
        rejection == .tooMany ? .limitReached : .validationError, fields: ["email": rejection.error]
      )
    }
  }
}
