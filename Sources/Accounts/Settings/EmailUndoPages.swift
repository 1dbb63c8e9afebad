import Core
import HTTPTypes
import Secrets
import Templates
import Web

/// `/settings/email/undo`: the link mailed to the previous address.
///
/// A user may change an address because others can read the old mailbox. So the link alone is not
/// enough: the page asks for the password that the account had when the address was changed. The
/// owner knows it, a reader of the mailbox does not, even if a thief has changed it since. A thief
/// knew that password too, so all sessions end, no password is valid any longer, and the owner sets
/// a new one at once. Without that password, only an operator can help.
struct EmailUndoPages {
  /// Limits wrong passwords for the links of one user.
  static let failures = RateLimit("email-undo", maximum: 10, window: .hours(1))

  private let services: AccountsEnvironment
  private let button: Page<EmailUndoView>
  let link: EmailLinkPage

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    button = try Page("settings/email-undo", title: "email_undo.title", in: services.site)
    link = try EmailLinkPage(
      expired: "accounts/links/expired", title: "verify_expired.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response? {
    guard let token = context.linkToken,
      let undo = try services.site.database.read({
        try services.settings.emailUndos.find(token, now: context.now, in: $0)
      })
    else { return nil }
    return page(token, undo, [:], context)
  }

  @Sendable func submit(_ context: Context) throws -> Response? {
    guard let token = context.linkToken,
      let found = try services.site.database.read({
        try services.settings.emailUndos.find(token, now: context.now, in: $0)
      })
    else { return nil }
    if let error = try error(of: context.form["current_password"], for: found, context) {
      return page(token, found, ["current_password": error], context, .unprocessableContent)
    }
    guard let reset = try undo(token, context) else { return nil }
    context.flash("toast.email_undone")
    return .seeOther(AccountLinks.confirmReset(reset.text))
  }

  /// Undoes the change and returns the token of a reset link; nil if this link is no longer valid,
  /// or another user has the address by now.
  private func undo(_ token: Token, _ context: Context) throws -> Token? {
    let (settings, now) = (services.settings, context.now)
    return try services.site.database.write { writer in
      guard let undo = try settings.emailUndos.find(token, now: now, in: writer),
        try settings.store.holder(emailHash: services.people.hash(undo.email), in: writer) == nil
      else { return nil }
      let person = undo.person
      let before = try services.people.recipient(person, language: context.language, in: writer)
      // A thief may have deleted the account too.
      if let deletedAt = undo.deletedAt {
        try services.accountDeletion.store.show(person, deletedAt: deletedAt, now: now, in: writer)
      }
      try settings.store.setAddress(undo.email, of: person, in: writer)
      for participant in services.participants() {
        try participant.addressChanged(person, to: undo.email, now: now, in: writer)
      }
      try services.people.removePassword(of: person, in: writer)
      try services.identities.unlinkAll(of: person, in: writer)
      try services.passkeys.removeAll(of: person, in: writer)
      try services.sessions.endAll(of: person, in: writer)
      try PasswordResetStore.links.revokeAll(of: person, now: now, in: writer)
      try EmailChangeStore.links.revokeAll(of: person, now: now, in: writer)
      try EmailUndoStore.links.revokeAll(of: person, now: now, in: writer)
      if let before {
        try settings.mails.addressWasRestored(
          from: before, to: undo.email, now: now, in: writer)
      }
      return try PasswordResetStore.links.issue(for: person, now: now, in: writer)
    }
  }

  private func error(
    of password: String, for undo: EmailUndo, _ context: Context
  ) throws -> FieldError? {
    guard !password.isEmpty else { return FieldError("email_undo.empty") }
    let isRight = try services.limits.attempt(
      Self.failures, undo.person.description, now: context.now
    ) { () -> Bool? in
      try AccountsEnvironment.mappingBusyTo503 {
        try services.hasher.verify(password, against: undo.passwordHash)
      } ? true : nil
    }
    return isRight == nil ? FieldError("email_undo.wrong") : nil
  }

  private func page(
    _ token: Token, _ undo: EmailUndo, _ errors: [String: FieldError], _ context: Context,
    _ status: HTTPResponse.Status = .ok
  ) -> Response {
    let view = EmailUndoView(
      token: token.text, address: AccountRules.masked(undo.email), errors: errors.texts(context))
    return button.response(view, context, status: status)
  }
}

struct EmailUndoView: FormContent {
  let token: String
  let address: String
  let errors: [String: String]

  static let fields: [String: Field<EmailUndoView>] = formFields(
    errors: ["current_password"],
    [
      "token": .text { $0.token },
      "address": .text { $0.address },
    ])
}
