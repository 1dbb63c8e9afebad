import Core
import Database
import Web

/// Links and unlinks members' accounts with providers. The member gets a mail.
struct ProviderLinkingService {
  let services: AccountsEnvironment

  private var identities: ProviderIdentityStore { services.identities }

  /// Returns false if the identity belongs to another member, or the member has another one there.
  func link(
    _ subject: ProviderSubject, of provider: SignInProvider, to person: ID<Person>,
    _ context: Context
  ) throws -> Bool {
    let isLinked = try services.site.database.write { writer in
      guard try identities.member(subject, in: writer)?.id != person else { return true }
      guard try identities.link(subject, to: person, now: context.now, in: writer) else {
        return false
      }
      try notify(person, of: provider, isLinked: true, context, in: writer)
      return true
    }
    if isLinked { context.note(.signInWaysChanged, of: .person(person)) }
    return isLinked
  }

  /// Ends the other sessions that the provider began. Returns false if it is the last way to sign in,
  /// or not linked.
  func unlink(
    _ provider: SignInProvider, of person: ID<Person>, _ context: Context
  ) throws -> Bool {
    let isUnlinked = try services.site.database.write { writer in
      guard try services.signInWays(of: person, in: writer).mayUnlink(provider.issuer),
        let identity = try identities.unlink(provider.issuer, of: person, in: writer)
      else { return false }
      _ = try ProviderSessionStore().end(
        identity: identity, session: nil, begunBefore: context.now.adding(seconds: 1),
        butNot: CurrentSession.own(context)?.key, in: writer)
      try notify(person, of: provider, isLinked: false, context, in: writer)
      return true
    }
    if isUnlinked { context.note(.signInWaysChanged, of: .person(person)) }
    return isUnlinked
  }

  /// Unlinks an account that no longer exists at the provider, even if it is the last way to sign in.
  func remove(
    _ subject: ProviderSubject, of provider: SignInProvider, _ context: Context
  ) throws {
    let member = try services.site.database.write { writer -> ID<Person>? in
      guard let member = try identities.member(subject, in: writer)?.id,
        try identities.unlink(provider.issuer, of: member, in: writer) != nil
      else { return nil }
      try notify(member, of: provider, isLinked: false, context, in: writer)
      return member
    }
    if let member { context.note(.signInWaysChanged, of: .person(member)) }
  }

  private func notify(
    _ person: ID<Person>, of provider: SignInProvider, isLinked: Bool, _ context: Context,
    in writer: WriteTransaction
  ) throws {
    guard
      let recipient = try services.people.recipient(
        person, language: context.language, in: writer)
    else { return }
    try services.providerMails.changed(
      provider.label, isLinked: isLinked, to: recipient, now: context.now, in: writer)
  }
}

extension AccountsEnvironment {
  var linking: ProviderLinkingService { ProviderLinkingService(services: self) }
}
