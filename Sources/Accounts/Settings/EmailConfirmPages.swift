import Core
import Secrets
import Templates
import Web

/// `/settings/email/confirm`: the link mailed to a new address. Opening it changes nothing, because
/// mail scanners open links too; the button confirms. Any browser may open it.
struct EmailConfirmPages {
  private let services: AccountsEnvironment
  private let button: Page<VerifyView>
  let link: EmailLinkPage

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    button = try Page("settings/email-confirm", title: "email_confirm.title", in: services.site)
    link = try EmailLinkPage(
      expired: "settings/email-expired", title: "verify_expired.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response? {
    guard let token = context.linkToken,
      let change = try services.site.database.read({
        try services.settings.emailChanges.find(token, now: context.now, in: $0)
      })
    else { return nil }
    let view = VerifyView(token: token.text, address: AccountRules.masked(change.email))
    return button.response(view, context)
  }

  @Sendable func submit(_ context: Context) throws -> Response? {
    guard let token = context.linkToken, let person = try use(token, context) else {
      return nil
    }
    context.flash("toast.email_changed")
    return .seeOther(
      context.viewer?.id == person ? AccountLinks.emailSettings : AccountLinks.signIn)
  }

  /// Changes the address and returns the user; nil if the link is no longer valid, or another user
  /// has the address by now.
  private func use(_ token: Token, _ context: Context) throws -> ID<Person>? {
    let settings = services.settings
    return try services.site.database.write { writer in
      guard let change = try settings.emailChanges.use(token, now: context.now, in: writer),
        try settings.store.holder(
          emailHash: services.people.hash(change.email), in: writer) == nil
      else { return nil }
      let before = try services.people.recipient(
        change.person, language: context.language, in: writer)
      try settings.store.setAddress(change.email, of: change.person, in: writer)
      for participant in services.participants() {
        try participant.addressChanged(
          change.person, to: change.email, now: context.now, in: writer)
      }
      // Reset links mailed to the old address become invalid.
      try PasswordResetStore.links.revokeAll(of: change.person, now: context.now, in: writer)
      if let before {
        let undo = try settings.emailUndos.make(
          for: change.person, email: before.address,
          passwordHash: try services.people.passwordHash(of: change.person, in: writer),
          now: context.now, in: writer)
        try settings.mails.addressWasChanged(
          from: before, to: change.email, undo: undo, now: context.now, in: writer)
      }
      return change.person
    }
  }
}
