import Basics
import Secrets
import Templates
import Web

/// `/settings/email/undo`: the link in the mail to the address of before. Whoever changed it knew
/// the password: so everybody is signed out, the password works no longer, and the owner chooses
/// another one right away.
struct EmailUndoPages {
  private let services: AccountServices
  private let button: Template<VerifyView>
  private let gone: Template<PlainView>

  init(_ services: AccountServices) throws {
    self.services = services
    button = try services.site.templates.template("settings/email-undo")
    gone = try services.site.templates.template("accounts/verify-gone")
  }

  @Sendable func show(_ request: Request, _ context: Context) throws -> Response {
    guard let token = request.queryValue("token").flatMap({ Token($0) }),
      let undo = try services.site.database.read({
        try services.settings.emailUndos.find(token, now: context.now, in: $0)
      })
    else { return isGone(context) }
    let view = VerifyView(
      page: PageView(context, title: "email_undo.title"), token: token.text,
      address: AccountRules.masked(undo.email))
    return .html(button.render(view, in: context.language))
  }

  @Sendable func press(_ request: Request, _ context: Context) throws -> Response {
    guard let token = Token(context.form["token"]), let reset = try undo(token, context) else {
      return isGone(context)
    }
    context.say("toast.email_undone")
    return .seeOther(AccountLinks.confirmReset(reset.text))
  }

  /// The link for a new password; nil when this one doesn't work any more, or somebody else has
  /// got the address meanwhile.
  private func undo(_ token: Token, _ context: Context) throws -> Token? {
    let (settings, now) = (services.settings, context.now)
    return try services.site.database.write { writer in
      guard let undo = try settings.emailUndos.find(token, now: now, in: writer.reader),
        try settings.store.holder(emailHash: services.people.hash(undo.email), in: writer) == nil
      else { return nil }
      let person = undo.person
      let before = try services.people.recipient(person, language: context.language, in: writer)
      // A thief may have deleted the account too.
      if let deletedAt = undo.deletedAt {
        try services.leaving.store.show(person, deletedAt: deletedAt, now: now, in: writer)
      }
      try settings.store.setAddress(undo.email, of: person, in: writer)
      try services.people.removePassword(of: person, in: writer)
      try services.sessions.endAll(of: person, in: writer)
      try services.resets.endAll(of: person, now: now, in: writer)
      try settings.emailChanges.cancel(of: person, in: writer)
      try settings.emailUndos.endAll(of: person, in: writer)
      if let before {
        try settings.mails.addressWasBroughtBack(
          from: before, to: undo.email, now: now, in: writer)
      }
      return try services.resets.make(for: person, now: now, in: writer)
    }
  }

  private func isGone(_ context: Context) -> Response {
    let view = PlainView(page: PageView(context, title: "verify_gone.title"))
    return .html(gone.render(view, in: context.language), status: .gone)
  }
}
