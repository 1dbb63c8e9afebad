import Core
import Templates
import Web

/// `/register/waiting`: shows which side has not completed, sends mails again, and corrects the
/// partner's address.
struct RegistrationStatusPage {
  private let services: AccountsEnvironment
  private let page: Page<RegistrationStatusView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/registration-status", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    guard let registration = try registration(context) else { return elsewhere(context) }
    return try response(registration, context, errors: [:], status: 200)
  }

  @Sendable func change(_ context: Context) throws -> Response {
    guard let registration = try registration(context) else { return elsewhere(context) }
    if context.form.has("partner_email") {
      return try correct(registration, context)
    }
    try services.registration.resend(registration, now: context.now)
    context.flash("toast.sent")
    return .seeOther(AccountLinks.waiting)
  }

  /// Changes the partner's address; only for a user who followed their own link.
  private func correct(
    _ registration: PendingRegistration, _ context: Context
  ) throws -> Response {
    guard let viewer = Self.member(context) else {
      return .seeOther("\(AccountLinks.signIn)?next=\(AccountLinks.waiting)")
    }
    guard let other = registration.sides.first(where: { $0.person != viewer.id }),
      other.person == nil
    else { return .seeOther(AccountLinks.waiting) }
    var errors: [String: FieldError] = [:]
    let email = AccountRules.address(
      context.form["partner_email"], field: "partner_email", &errors)
    if let email, registration.isOwn(email, butOf: other.number) {
      errors["partner_email"] = FieldError("error.email_same")
    }
    guard errors.isEmpty, let email else {
      return try response(registration, context, errors: errors, status: 422)
    }
    try services.registration.correct(
      registration, side: other.number, email: email, now: context.now)
    context.flash("toast.address_corrected")
    return .seeOther(AccountLinks.waiting)
  }

  /// A pending couple's registration for a member, and this browser's latest one for other viewers.
  private func registration(_ context: Context) throws -> PendingRegistration? {
    if let viewer = Self.member(context) {
      guard viewer.couple?.status == .pending else { return nil }
      return try services.registration.registrations.waiting(of: viewer)
    }
    return try services.registration.registrations.latest(
      browserHash: context.currentAnchor().sha256, now: context.now)
  }

  /// The viewer if a member. A guest has not followed a link yet, and is treated as signed out.
  private static func member(_ context: Context) -> Viewer? {
    context.viewer.flatMap { $0.role >= .member ? $0 : nil }
  }

  private func elsewhere(_ context: Context) -> Response {
    .seeOther(context.viewer == nil ? AccountLinks.register : "/")
  }

  private func response(
    _ registration: PendingRegistration, _ context: Context, errors: [String: FieldError],
    status: Int
  ) throws -> Response {
    let left = try services.registration.resendsLeft(registration, now: context.now)
    let view = RegistrationStatusView(
      registration: registration, viewer: Self.member(context), resendsLeft: left,
      entered: context.form["partner_email"], errors: errors.texts(context),
      when: DateFormatting(context))
    return page.response(
      view, context, title: .key(Self.title(registration, context)), status: .init(code: status))
  }

  private static func title(_ registration: PendingRegistration, _ context: Context) -> String {
    if member(context) != nil { return "registration_status.partner_title" }
    return registration.kind == .alone
      ? "registration_status.alone_title" : "registration_status.sent_title"
  }
}

struct RegistrationStatusView: View {
  let registration: PendingRegistration
  let viewer: Viewer?
  let resendsLeft: Int
  let entered: String
  let errors: [String: String]
  let when: DateFormatting

  /// Changes when the other side completes; the script of the page polls it.
  var state: String {
    registration.sides.map { $0.person == nil ? "-" : "x" }.joined()
      + registration.sides.map { String($0.sentAt.milliseconds) }.joined(separator: ".")
  }

  var isHalf: Bool { viewer != nil }

  static let fields: [String: Field<RegistrationStatusView>] = [
    "state": .text { $0.state },
    "sent": .flag { !$0.isHalf && $0.registration.kind == .couple },
    "alone": .flag { !$0.isHalf && $0.registration.kind == .alone },
    "half": .optional { $0.isHalf ? HalfRegisteredView($0) : nil },
    "addresses": .list { $0.registration.sides.map { AddressView(address: $0.email) } },
    "address": .text { $0.registration.sides.first?.email ?? "" },
    "may_resend": .flag { $0.resendsLeft > 0 },
    "resends_left": .integer { $0.resendsLeft },
  ]
}

struct AddressView: View {
  let address: String

  static let fields: [String: Field<AddressView>] = ["address": .text { $0.address }]
}

/// One side has completed, the other has not.
struct HalfRegisteredView: FormContent {
  let partnerAddress: String
  let ownDoneAt: String
  let sentAgo: String
  let entered: String
  let errors: [String: String]

  init?(_ view: RegistrationStatusView) {
    guard let viewer = view.viewer,
      let own = view.registration.sides.first(where: { $0.person == viewer.id }),
      let other = view.registration.sides.first(where: { $0.person != viewer.id })
    else { return nil }
    partnerAddress = other.email
    ownDoneAt = view.when.moment(own.completedAt ?? own.sentAt)
    sentAgo = view.when.age(other.sentAt)
    entered = view.entered
    errors = view.errors
  }

  static let fields: [String: Field<HalfRegisteredView>] = formFields(
    errors: ["partner_email"],
    [
      "partner_address": .text { $0.partnerAddress },
      "own_done_at": .text { $0.ownDoneAt },
      "sent_ago": .text { $0.sentAgo },
      "partner_email": .text { $0.entered },
    ])
}
