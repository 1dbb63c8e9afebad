import Accounts
import Core
import Database
import Templates
import Web

/// `/checkin/contacts`: the contacts in their order and the state of each mail to them.
struct ContactListPages {
  private let services: CheckInEnvironment
  private let list: Page<ContactsView>
  private let one: Page<ContactEditView>
  private let removal: Page<ContactRemovalView>

  private var service: ContactService { ContactService(services: services) }

  init(_ services: CheckInEnvironment) throws {
    self.services = services
    list = try Page("checkin/contacts", title: "contact_list.title", in: services.site)
    one = try Page("checkin/contact-edit", title: "contact_edit.title", in: services.site)
    removal = try Page("checkin/contact-remove", title: "contact_remove.page", in: services.site)
  }

  // MARK: The list

  @Sendable func show(_ context: Context) throws -> Response {
    try response(context, errors: [:], status: 200)
  }

  /// Adds a contact: an address that was typed, or with `partner` the user's partner.
  @Sendable func add(_ context: Context) throws -> Response {
    if context.form.has("partner") { return try addPartner(context) }
    if context.form.has("exercise") { return try exercise(context) { _ in true } }
    var errors: [String: FieldError] = [:]
    let name = ContactService.name(context.form["name"], &errors)
    let email = AccountRules.address(context.form["email"], field: "email", &errors)
    guard errors.isEmpty, let email else {
      return try response(context, errors: errors, status: 422)
    }
    return try adding(context) { card, writer in
      try service.add(to: card, name: name, email: email, now: context.now, in: writer)
    }
  }

  private func addPartner(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    return try adding(context) { card, writer in
      guard let partner = try services.people.partner(of: viewer, in: writer),
        let address = partner.address
      else { throw Problem.notFound }
      let others = try services.contacts.all(of: card.id, in: writer).map(\.id)
      let id = try service.add(
        to: card, name: partner.name, email: address, account: partner.id,
        now: context.now, in: writer)
      // A partner is offered as the first contact (docs/developer/check-in-contacts.md#contacts).
      try services.contacts.order([id] + others, of: card.id, in: writer)
      return id
    }
  }

  private func adding(
    _ context: Context, _ add: (UserSummary, WriteTransaction) throws -> ID<Contact>
  ) throws -> Response {
    do {
      let state = try services.site.database.write { writer in
        let card = try services.card(context, in: writer)
        let id = try add(card, writer)
        return try services.contacts.find(id, of: card.id, in: writer)?.state
      }
      context.flash(state == .refused ? "toast.contact_refused" : "toast.contact_added")
      return .seeOther(CheckInLinks.contacts)
    } catch let rejection as ContactService.Rejection {
      let status = rejection == .tooMany ? 409 : 422
      return try response(context, errors: ["email": rejection.error], status: status)
    }
  }

  /// Sends an exercise to those of the user's contacts who are included.
  private func exercise(
    _ context: Context, _ isIncluded: (Contact) -> Bool
  ) throws -> Response {
    let count = try services.site.database.write { writer in
      let card = try services.card(context, in: writer)
      return try ExerciseService(services: services).start(
        with: services.contacts.all(of: card.id, in: writer).filter(isIncluded), of: card,
        now: context.now, in: writer)
    }
    context.flash(count > 0 ? "toast.exercise_sent" : "toast.exercise_no_one")
    return .seeOther(CheckInLinks.contacts)
  }

  // MARK: One contact

  @Sendable func edit(_ context: Context) throws -> Response {
    let contact = try own(context)
    return editing(
      contact, name: contact.name, email: contact.shownEmail ?? "", context, errors: [:],
      status: 200)
  }

  /// Changes the position, the name or the address, or sends another introduction.
  @Sendable func change(_ context: Context) throws -> Response {
    let form = context.form
    if form.has("move") { return try move(context, up: form["move"] == "up") }
    if form.has("confirm") { return try confirm(context) }
    if form.has("introduce") { return try introduceAgain(context) }
    if form.has("exercise") {
      let id = try own(context).id
      return try exercise(context) { $0.id == id }
    }
    let contact = try own(context)
    var errors: [String: FieldError] = [:]
    let name = ContactService.name(form["name"], &errors)
    // The form of a partner has no address field.
    let email =
      contact.account != nil && !form.has("email")
      ? contact.email : AccountRules.address(form["email"], field: "email", &errors)
    func wrong(_ errors: [String: FieldError]) -> Response {
      editing(
        contact, name: form["name"], email: form["email"], context, errors: errors, status: 422)
    }
    guard errors.isEmpty, let email else { return wrong(errors) }
    do {
      try services.site.database.write { writer in
        let card = try services.card(context, in: writer)
        let contact = try services.ownContact(context, in: writer)
        try service.change(
          contact, of: card, name: name, email: email, now: context.now, in: writer)
      }
    } catch let rejection as ContactService.Rejection {
      return wrong(["email": rejection.error])
    }
    context.flash("toast.saved")
    return .seeOther(CheckInLinks.contacts)
  }

  private func move(_ context: Context, up: Bool) throws -> Response {
    try services.site.database.write { writer in
      let contact = try services.ownContact(context, in: writer)
      let ids = try services.contacts.all(of: contact.person, in: writer).map(\.id)
      let order = Self.moved(contact.id, up: up, in: ids)
      try services.contacts.order(order, of: contact.person, in: writer)
    }
    return .seeOther("\(CheckInLinks.contacts)#\(try context.id("id", Contact.self))")
  }

  private func confirm(_ context: Context) throws -> Response {
    try services.site.database.write { writer in
      try service.confirm(try services.ownContact(context, in: writer), in: writer)
    }
    context.flash("toast.saved")
    return .seeOther(CheckInLinks.contacts)
  }

  private func introduceAgain(_ context: Context) throws -> Response {
    try services.site.database.write { writer in
      let contact = try services.ownContact(context, in: writer)
      try service.introduceAgain(contact, now: context.now, in: writer)
    }
    context.flash("toast.contact_introduced")
    return .seeOther(CheckInLinks.contacts)
  }

  @Sendable func askRemoval(_ context: Context) throws -> Response {
    let contact = try own(context)
    let others = try services.site.database.read {
      try services.contacts.all(of: contact.person, in: $0).filter { $0.id != contact.id }
    }
    let view = ContactRemovalView(
      contact: contact, leavesNobody: contact.counts && !others.contains(where: \.counts))
    return removal.response(view, context)
  }

  @Sendable func remove(_ context: Context) throws -> Response {
    try services.site.database.write { writer in
      try service.remove(try services.ownContact(context, in: writer), now: context.now, in: writer)
    }
    context.flash(
      "toast.contact_removed", link: (CheckInLinks.undoRemoval(try context.id()), "toast.undo"))
    return .seeOther(CheckInLinks.contacts)
  }

  @Sendable func restore(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    do {
      try services.site.database.write { writer in
        let card = try services.card(context, in: writer)
        let partner = try services.people.partner(of: viewer, in: writer)
        try service.restore(
          context.id(), of: card, partner: partner?.id, now: context.now, in: writer)
      }
    } catch let rejection as ContactService.Rejection {
      return try response(context, errors: [:], notRestored: rejection, status: 409)
    }
    context.flash("toast.contact_restored")
    return .seeOther(CheckInLinks.contacts)
  }

  // MARK: Rules

  /// The items with one of them moved up or down by one place; unchanged at the ends.
  static func moved<Item: Equatable>(_ item: Item, up: Bool, in items: [Item]) -> [Item] {
    guard let place = items.firstIndex(of: item) else { return items }
    let other = up ? place - 1 : place + 1
    guard items.indices.contains(other) else { return items }
    var items = items
    items.swapAt(place, other)
    return items
  }

  // MARK: Reading

  private func own(_ context: Context) throws -> Contact {
    try services.site.database.read { try services.ownContact(context, in: $0) }
  }

  // MARK: Showing

  private func response(
    _ context: Context, errors: [String: FieldError],
    notRestored: ContactService.Rejection? = nil, status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    let (all, removed, channels, partner) = try services.site.database.read { reader in
      (
        try service.all(of: viewer.id, now: context.now, in: reader),
        try services.contacts.removed(
          of: viewer.id, since: DeletionPeriod.start(now: context.now),
          limit: RemovedContact.maximumListed,
          in: reader),
        try services.channels.all(of: viewer.id, in: reader),
        try services.people.partner(of: viewer, in: reader)
      )
    }
    let contacts = all.map(\.contact)
    let view = ContactsView(
      contacts: all.enumerated().map { place, one in
        ContactItemView(
          one.contact, isFirst: place == 0, isLast: place == all.count - 1, mails: one.mails,
          channels: channels.filter { $0.contact == one.contact.id },
          offers: services.channelOffers, context)
      },
      removed: removed.map { RemovedContactView($0, context) },
      notRestored: notRestored.map { $0.error.text(context) },
      partner: partner.flatMap { Self.offered($0, contacts) },
      hasNoActiveContact: !contacts.contains(where: \.counts),
      suggestsExercise: contacts.contains {
        $0.counts
          && context.now.seconds(since: $0.exerciseAt ?? .init(milliseconds: 0))
            > ExerciseService.interval
      },
      name: context.form["name"],
      email: context.form["email"], errors: errors.texts(context))
    return list.response(view, context, status: .init(code: status))
  }

  /// The name of a partner with an address who is not a contact yet.
  private static func offered(_ partner: UserSummary, _ contacts: [Contact]) -> String? {
    guard let address = partner.address,
      !contacts.contains(where: { $0.email == address || $0.account == partner.id })
    else { return nil }
    return partner.name
  }

  private func editing(
    _ contact: Contact, name: String, email: String, _ context: Context,
    errors: [String: FieldError], status: Int
  ) -> Response {
    let view = ContactEditView(
      contact: contact, name: name, email: email, errors: errors.texts(context))
    return one.response(view, context, status: .init(code: status))
  }
}
