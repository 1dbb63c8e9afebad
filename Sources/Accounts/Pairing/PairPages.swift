import Core
import Templates
import Web

/// `/pair`: a member invites a partner. The page looks the same whether or not the address has an
/// account (docs/developer/accounts.md#registering-a-couple).
struct PairPages {
  private let services: AccountsEnvironment
  private let page: Page<PairView>
  private let closed: Page<PairClosedView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("accounts/pair", title: "pair.title", in: services.site)
    closed = try Page("accounts/pair-closed", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    guard try mayPair(context) else { return isInCouple(context) }
    return try form(context, errors: [:], status: 200)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    if context.form.has("withdraw") {
      try services.pairing.withdraw(viewer, now: context.now)
      context.flash("toast.invitation_withdrawn")
      return .seeOther(AccountLinks.pair)
    }
    guard try mayPair(context) else { return isInCouple(context) }
    var errors: [String: FieldError] = [:]
    var email: String?
    if context.form.has("resend") {
      email = try services.pairing.pending(of: viewer, now: context.now)?.email
      // Answered or expired in the meantime: the page shows the current state.
      if email == nil { return .seeOther(AccountLinks.pair) }
    } else {
      email = try services.pairing.partner(context.form["email"], of: viewer, &errors)
    }
    guard errors.isEmpty, let email else {
      return try form(context, errors: errors, status: 422)
    }
    let invited = try services.pairing.invite(
      email, by: viewer, language: context.language, now: context.now)
    guard invited else { return isInCouple(context) }
    context.flash(context.form.has("resend") ? "toast.sent" : "toast.invited")
    return .seeOther(AccountLinks.pair)
  }

  private func mayPair(_ context: Context) throws -> Bool {
    let viewer = try context.signedIn()
    return try services.site.database.read {
      try MembershipStore().of(viewer.id, in: $0)?.mayPair ?? false
    }
  }

  // MARK: Views

  private func form(
    _ context: Context, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    let view = PairView(
      pending: try services.pairing.pending(of: viewer, now: context.now),
      mailsLeft: try services.pairing.mailsLeft(viewer, now: context.now),
      endsUndoing: try services.parting.find(of: viewer, now: context.now) != nil,
      email: context.form["email"], errors: errors.texts(context), when: DateFormatting(context))
    return page.response(view, context, status: .init(code: status))
  }

  private func isInCouple(_ context: Context) -> Response {
    let isWaiting = context.viewer?.couple?.status == .pending
    let view = PairClosedView(
      context, isWaiting ? "pair_closed.pending" : "pair_closed.couple",
      link: isWaiting
        ? AccountLinks.waiting : context.viewer?.couple.map { AccountLinks.couple($0.id) } ?? "/")
    return closed.response(view, context, title: .named(view.title))
  }
}

struct PairView: FormContent {
  let pending: PairInvitation?
  let mailsLeft: Int
  let endsUndoing: Bool
  let email: String
  let errors: [String: String]
  let when: DateFormatting

  static let fields: [String: Field<PairView>] = formFields(
    errors: ["email"],
    [
      "action": .text { _ in AccountLinks.pair },
      "pending": .optional { view in
        view.pending.map {
          PendingInvitationView(
            address: $0.email, sentAgo: view.when.age($0.sentAt),
            until: view.when.moment($0.expiresAt))
        }
      },
      "may_send": .flag { $0.mailsLeft > 0 },
      "ends_undoing": .flag { $0.endsUndoing },
      "email": .text { $0.email },
    ])
}

struct PendingInvitationView: View {
  let address: String
  let sentAgo: String
  let until: String

  static let fields: [String: Field<PendingInvitationView>] = [
    "address": .text { $0.address },
    "sent_ago": .text { $0.sentAgo },
    "until": .text { $0.until },
  ]
}

/// A page that explains why pairing is not possible here, with one link to continue.
struct PairClosedView: View {
  let title: String
  let message: String
  let button: String
  let link: String

  /// `key` is the common prefix of three text keys.
  init(_ context: Context, _ key: String, _ parameters: [String: String] = [:], link: String) {
    title = context.text("\(key).title")
    message = context.text("\(key).text", parameters)
    button = context.text("\(key).button")
    self.link = link
  }

  static let fields: [String: Field<PairClosedView>] = [
    "title": .text { $0.title },
    "message": .text { $0.message },
    "button": .text { $0.button },
    "link": .text { $0.link },
  ]
}
