import Core
import OpenIDConnect
import Templates
import Web

/// `/settings/sign-in`: the ways to sign in, with links to passkeys; linking and unlinking providers.
struct SignInSettingsPages {
  private let services: AccountsEnvironment
  private let page: Page<SignInSettingsView>
  private let providerPage: Page<ProviderSettingsView>
  private let redirect: Page<ProviderRedirectView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("settings/sign-in", title: "settings_sign_in.title", in: services.site)
    providerPage = try Page(
      "providers/settings", title: "settings_sign_in.title", in: services.site)
    redirect = try Page("providers/redirect", title: "providers.leaving", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let (hash, linked, passkeys) = try services.site.database.read { reader in
      (
        try services.people.passwordHash(of: viewer.id, in: reader),
        try services.identities.all(of: viewer.id, in: reader),
        try services.passkeys.all(of: viewer.id, in: reader)
      )
    }
    let when = DateFormatting(context)
    let view = SignInSettingsView(
      hasPassword: hash != nil, stopped: services.providerWithoutMail(linked),
      providers: services.providers.map { provider in
        let found = linked.first { $0.issuer == provider.issuer }
        return ProviderRowView(provider: provider, since: found.map { when.moment($0.linkedAt) })
      }, passkeys: passkeys.map { PasskeyRowView($0, when) })
    return page.response(view, context)
  }

  @Sendable func showProvider(_ context: Context) throws -> Response {
    let page = AccountLinks.providerSettings(try services.provider(context).name)
    return try asking.detour(next: page, context) ?? response(context, errors: [:], status: 200)
  }

  private var asking: ReauthenticationService {
    ReauthenticationService(.changeSignIn, services: services)
  }

  /// Links or unlinks a provider, after asking again who is there.
  @Sendable func change(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let provider = try services.provider(context)
    var errors: [String: FieldError] = [:]
    try asking.check(context, &errors)
    guard errors.isEmpty else { return try response(context, errors: errors, status: 422) }
    guard context.form.has("unlink") else { return try leave(for: provider, context) }
    if try services.linking.unlink(provider, of: viewer.id, context) {
      context.flash("toast.provider_unlinked")
    }
    return .seeOther(AccountLinks.signInSettings)
  }

  /// A page that leads to the provider: a form must not, because of `form-action` of the content
  /// security policy.
  private func leave(for provider: SignInProvider, _ context: Context) throws -> Response {
    do {
      let address = try ProviderFlow.begin(
        provider, .link, next: AccountLinks.signInSettings, context)
      return redirect.response(
        ProviderRedirectView(address: address, label: provider.label), context)
    } catch let error as OpenIDError {
      context.noteError("sign-in with \(provider.name): \(error)")
      context.flash("toast.provider_failed")
      return .seeOther(AccountLinks.signInSettings)
    }
  }

  private func response(
    _ context: Context, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    let provider = try services.provider(context)
    let (linked, mayUnlink) = try services.site.database.read { reader in
      (
        try services.identities.all(of: viewer.id, in: reader),
        try services.signInWays(of: viewer.id, in: reader).mayUnlink(provider.issuer)
      )
    }
    let isLinked = linked.contains { $0.issuer == provider.issuer }
    let view = ProviderSettingsView(
      provider: provider, isLinked: isLinked, isLast: isLinked && !mayUnlink,
      isConfirmed: asking.isConfirmed(context), errors: errors.texts(context))
    return providerPage.response(view, context, status: .init(code: status))
  }
}

struct SignInSettingsView: View {
  let hasPassword: Bool
  /// The provider that no longer forwards mail to the address.
  let stopped: String?
  let providers: [ProviderRowView]
  let passkeys: [PasskeyRowView]

  static let fields: [String: Field<SignInSettingsView>] = [
    "has_password": .flag { $0.hasPassword },
    "stopped": .optionalText { $0.stopped },
    "email_link": .text { _ in AccountLinks.emailSettings },
    "password_link": .text { _ in AccountLinks.passwordSettings },
    "providers": .list { $0.providers },
    "has_providers": .flag { !$0.providers.isEmpty },
    "has_passkeys": .flag { !$0.passkeys.isEmpty },
    "passkeys": .list { $0.passkeys },
    "new_passkey_link": .text { _ in AccountLinks.newPasskey },
  ]
}

struct ProviderRowView: View {
  let provider: SignInProvider
  /// When it was linked; nil if it is not.
  let since: String?

  static let fields: [String: Field<ProviderRowView>] = [
    "label": .text { $0.provider.label },
    "since": .optionalText { $0.since },
    "link": .text { AccountLinks.providerSettings($0.provider.name) },
  ]
}

struct ProviderSettingsView: FormContent {
  let provider: SignInProvider
  let isLinked: Bool
  /// Whether it is the last way to sign in.
  let isLast: Bool
  let isConfirmed: Bool
  let errors: [String: String]

  static let fields: [String: Field<ProviderSettingsView>] = formFields(
    errors: ["current_password"],
    [
      "label": .text { $0.provider.label },
      "action": .text { AccountLinks.providerSettings($0.provider.name) },
      "back_link": .text { _ in AccountLinks.signInSettings },
      "linked": .flag { $0.isLinked },
      "last": .flag { $0.isLast },
      "confirmed": .flag { $0.isConfirmed },
    ])
}

/// A page that leads the browser to a provider.
struct ProviderRedirectView: View {
  let address: String
  let label: String

  static let fields: [String: Field<ProviderRedirectView>] = [
    "address": .text { $0.address },
    "label": .text { $0.label },
  ]
}
