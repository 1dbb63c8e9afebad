import Accounts
import Core
import Database
import Foundation
import Templates
import Web

/// `/checkin`: name, contact, and a large round button.
struct CheckInPage {
  /// Marks for some minutes that the viewer has tapped by a link in a browser that is not signed
  /// in.
  static let justTapped = FlashCookie(name: "tapped", lifetime: .minutes(10))

  private let services: CheckInEnvironment
  private let guests: GuestCreator
  private let page: Page<CheckInView>

  init(_ services: CheckInEnvironment, guests: GuestCreator) throws {
    self.services = services
    self.guests = guests
    page = try Page("checkin/checkin", title: "checkin.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    // A tap by a link is confirmed here, also where registration is not open.
    guard
      context.viewer != nil || RegistrationAccess.isOpen(to: context)
        || Self.justTapped.isSet(context)
    else {
      return .seeOther(AccountLinks.signIn(next: CheckInLinks.page))
    }
    return try response(context)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let form = CheckInForm(context, isNew: context.viewer == nil)
    guard form.button == .checkIn else { return try take(form, context) }
    return try CheckInFailure.counting(in: context.site.metrics) {
      try take(form, context)
    }
  }

  private func take(
    _ form: CheckInForm, _ context: Context
  ) throws -> Response {
    guard form.errors.isEmpty else { return try wrong(context, form.errors) }
    guard let person = try context.viewer?.id ?? newGuest(form, context) else {
      return try wrong(context, [:], problem: "checkin.too_many_guests", status: 429)
    }
    let (errors, toast) = try services.site.database.write { writer in
      var toast = "toast.saved"
      let errors = try save(form, of: person, &toast, context, in: writer)
      return (errors, toast)
    }
    guard errors.isEmpty else { return try wrong(context, errors) }
    context.flash(toast)
    return .seeOther(CheckInLinks.page)
  }

  // MARK: Saving

  /// A new guest for a viewer without an account; nil if the client's address has created too many.
  /// The form then keeps what was typed.
  private func newGuest(
    _ form: CheckInForm, _ context: Context
  ) throws -> ID<Person>? {
    do {
      return try guests.begin(name: form.name ?? "", context)
    } catch let problem as Problem where problem.status == .tooManyRequests {
      return nil
    }
  }

  private func save(
    _ form: CheckInForm, of person: ID<Person>, _ toast: inout String, _ context: Context,
    in writer: WriteTransaction
  ) throws -> [String: FieldError] {
    if let name = form.name { try services.people.rename(person, to: name, in: writer) }
    if let zone = form.chosenTimeZone {
      try services.timeZones.choose(zone, of: person, now: context.now, in: writer)
    } else if let zone = form.browserTimeZone {
      try services.timeZones.setDetected(zone, of: person, now: context.now, in: writer)
    }
    guard let card = try services.people.card(person, in: writer) else {
      throw Problem(.unauthorized, "invalid_token")
    }
    if form.leavesEmailEmpty,
      try services.contacts.isAny(of: person, in: writer)
    {
      return ["contact_email": FieldError("error.email_invalid")]
    }
    try services.monitors.begin(person, language: context.language, in: writer)
    do {
      if let email = form.email {
        try keepContact(email, of: card, now: context.now, in: writer)
      }
      if form.button == .partner, let viewer = context.viewer {
        try addPartner(of: viewer, card, &toast, now: context.now, in: writer)
      }
    } catch let rejection as ContactService.Rejection {
      return ["contact_email": rejection.error]
    }
    guard form.button == .checkIn else { return [:] }
    return try tap(form, by: card, &toast, now: context.now, in: writer)
  }

  private func tap(
    _ form: CheckInForm, by card: UserSummary, _ toast: inout String, now: Instant,
    in writer: WriteTransaction
  ) throws -> [String: FieldError] {
    let checkInService = CheckInService(services: services)
    let missing = try checkInService.missing(to: card, in: writer)
    guard missing.isEmpty else { return missing }
    do {
      let outcome = try checkInService.tap(
        by: card, offlineAt: form.offlineAt, day: form.day, now: now, in: writer)
      toast = outcome.toast
      return [:]
    } catch is CheckInAttempt.Rejection {
      return ["date": FieldError("error.not_today")]
    }
  }

  /// Saves the address on this page as that of the first contact.
  private func keepContact(
    _ email: String, of card: UserSummary, now: Instant, in writer: WriteTransaction
  ) throws {
    let service = ContactService(services: services)
    let contacts = try services.contacts.all(of: card.id, in: writer)
    if let first = contacts.first {
      try service.change(first, of: card, name: first.name, email: email, now: now, in: writer)
    } else {
      try service.add(to: card, name: "", email: email, now: now, in: writer)
    }
  }

  private func addPartner(
    of viewer: Viewer, _ card: UserSummary, _ toast: inout String, now: Instant,
    in writer: WriteTransaction
  ) throws {
    guard let partner = try services.people.partner(of: viewer, in: writer),
      let address = partner.address
    else { return }
    let id = try ContactService(services: services).add(
      to: card, name: partner.name, email: address, account: partner.id, now: now, in: writer)
    let state = try services.contacts.find(id, of: card.id, in: writer)?.state
    toast = state == .refused ? "toast.contact_refused" : "toast.contact_added"
  }

  // MARK: Showing

  private func wrong(
    _ context: Context, _ errors: [String: FieldError], problem: String? = nil, status: Int = 422
  ) throws -> Response {
    if context.form["button"] == CheckInForm.Button.checkIn.rawValue {
      CheckInFailure.of(errors, status: status).count(in: context.site.metrics)
    }
    return try response(context, errors: errors, problem: problem, status: status)
  }

  private func response(
    _ context: Context, errors: [String: FieldError] = [:], problem: String? = nil,
    status: Int = 200
  ) throws -> Response {
    let model = try CheckInModel(services, context)
    let view = CheckInView(
      formatter: CheckInFormatter(context: context, model: model), entered: context.form.entered,
      errors: errors.texts(context), problem: problem.map { context.text($0) })
    var answer = page.response(view, context, status: .init(code: status))
    if status == 429 { answer.headers[.retryAfter] = String(3600) }
    return answer
  }
}

extension ContactService.Rejection {
  var error: FieldError {
    switch self {
    case .tooMany: FieldError("error.contacts_full")
    case .already: FieldError("error.contact_already")
    case .own: FieldError("error.contact_self")
    }
  }
}

/// A cookie that records a short-lived fact.
struct FlashCookie: Sendable {
  let name: String
  /// In s.
  let lifetime: Int64

  func set(_ context: Context) { context.setCookie(name, "1", maxAge: lifetime) }

  func isSet(_ context: Context) -> Bool { context.cookies[name] != nil }
}
