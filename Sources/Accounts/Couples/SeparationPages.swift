import Core
import Templates
import Web

/// `/settings/part`: separating, undoing it together, and former couples
/// (docs/developer/product.md#parting).
struct SeparationPages {
  private let services: AccountsEnvironment
  private let page: Page<SeparationView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("settings/part", title: "separation.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let isTogether = try context.signedIn().couple?.status == .active
    return try (isTogether ? asking.detour(next: AccountLinks.part, context) : nil)
      ?? response(context, errors: [:], status: 200)
  }

  private var asking: ReauthenticationService {
    ReauthenticationService(.partCouple, services: services)
  }

  @Sendable func change(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    if context.form.has("undo") { return try undo(viewer, context) }
    if context.form.has("take_back") {
      try services.parting.withdraw(viewer, now: context.now)
      return .seeOther(AccountLinks.part)
    }
    // Not in an active couple: separated already, or never in one. The page shows which.
    guard viewer.couple?.status == .active else { return .seeOther(AccountLinks.part) }
    var errors: [String: FieldError] = [:]
    try asking.check(context, &errors)
    guard errors.isEmpty else { return try response(context, errors: errors, status: 422) }
    let contact = PartnerContactChoice(rawValue: context.form["contact"]) ?? .undecided
    if try services.parting.part(viewer, contact: contact, now: context.now) {
      context.flash("toast.parted")
    }
    return .seeOther(AccountLinks.part)
  }

  private func undo(_ viewer: Viewer, _ context: Context) throws -> Response {
    switch try services.parting.undo(viewer, now: context.now) {
    case .requested:
      context.flash("toast.undo_asked")
    case .undone:
      context.flash("toast.undone")
      return .seeOther(viewer.couple.map { AccountLinks.couple($0.id) } ?? "/")
    case .tooLate:
      break
    }
    return .seeOther(AccountLinks.part)
  }

  private func response(
    _ context: Context, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    let (parting, former, contactPath) = try services.site.database.read { reader in
      (
        try services.parting.partings.find(of: viewer.id, now: context.now, in: reader),
        try services.parting.members.former(of: viewer.id, in: reader),
        try viewer.couple.flatMap {
          try services.parting.contactPath(viewer.id, in: $0.id, reader)
        }
      )
    }
    let view = SeparationView(
      viewer: viewer, parting: parting,
      former: former, contactPath: contactPath,
      contactChoice: PartnerContactChoice(rawValue: context.form["contact"]) ?? .undecided,
      isConfirmed: asking.isConfirmed(context), errors: errors.texts(context),
      when: DateFormatting(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct SeparationView: FormContent {
  let viewer: Viewer
  let parting: Separation?
  let former: [FormerCouple]
  /// The page where the viewer decides about their partner as emergency contact.
  let contactPath: String?
  let contactChoice: PartnerContactChoice
  let isConfirmed: Bool
  let errors: [String: String]
  let when: DateFormatting

  private var isActive: Bool { viewer.couple?.status == .active }

  static let fields: [String: Field<SeparationView>] = formFields(
    errors: ["current_password"],
    [
      "action": .text { _ in AccountLinks.part },
      "together": .flag { $0.isActive },
      "confirmed": .flag { $0.isConfirmed },
      "couple_name": .text { $0.viewer.couple?.name ?? "" },
      "partner": .text { $0.viewer.couple?.partner?.name ?? "" },
      "contact_link": .optionalText { $0.contactPath },
      "undecided": .flag { $0.contactChoice == .undecided },
      "keep": .flag { $0.contactChoice == .keep },
      "remove": .flag { $0.contactChoice == .remove },
      "frozen": .optional { view in view.parting.map { FrozenView(view, $0) } },
      "over": .flag { $0.parting == nil && !$0.isActive },
      "settings_link": .text { _ in AccountLinks.settings },
      "own_link": .text { $0.viewer.couple.map { AccountLinks.couple($0.id) } ?? "/" },
      "pair_link": .text { _ in AccountLinks.pair },
      "has_former": .flag { !$0.former.isEmpty },
      "former": .list { $0.former.map(FormerCoupleView.init) },
    ])
}

/// A couple whose separation can still be undone.
struct FrozenView: View {
  let until: String
  let isAskedByMe: Bool
  let isAskedByOther: Bool

  init(_ view: SeparationView, _ parting: Separation) {
    until = view.when.moment(parting.endsAt)
    isAskedByMe = parting.undoAskedBy == view.viewer.id
    isAskedByOther = parting.undoAskedBy != nil && !isAskedByMe
  }

  static let fields: [String: Field<FrozenView>] = [
    "until": .text { $0.until },
    "asked_by_me": .flag { $0.isAskedByMe },
    "asked_by_other": .flag { $0.isAskedByOther },
  ]
}

struct FormerCoupleView: View {
  let couple: FormerCouple

  static let fields: [String: Field<FormerCoupleView>] = [
    "name": .text { $0.couple.name },
    "link": .text { AccountLinks.couple($0.couple.id) },
  ]
}
