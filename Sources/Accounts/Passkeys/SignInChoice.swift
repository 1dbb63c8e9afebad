import Templates
import Web

/// The choice between a password, a provider and a passkey in a form that creates an account.
struct SignInChoice: View {
  private let provider: SignInProvider?
  /// The browser's answer with a new passkey, which the form sends again.
  private let credential: String?
  private let buttons: [ProviderButtonView]
  private let passkeyOptions: String

  /// `identity` is the account with a provider that was brought, and `passkey` the passkey;
  /// `link` leads to a provider by its name.
  init(
    _ services: AccountsEnvironment, _ identity: PendingIdentity?, _ passkey: NewPasskey?,
    passkeyOptions: String, link: (String) -> String, _ context: Context
  ) {
    provider = services.providers.first { $0.name == identity?.provider }
    credential = passkey == nil ? nil : context.form["credential"]
    self.passkeyOptions = passkeyOptions
    buttons =
      provider == nil && passkey == nil
      ? services.providers.map { ProviderButtonView($0, link: link($0.name)) } : []
  }

  var asksPassword: Bool { provider == nil && credential == nil }

  static let fields: [String: Field<SignInChoice>] = [
    "provider": .optionalText { $0.provider?.name },
    "label": .text { $0.provider?.label ?? "" },
    "has_providers": .flag { !$0.buttons.isEmpty },
    "providers": .list { $0.buttons },
    "credential": .optionalText { $0.credential },
    "offers_passkey": .flag { $0.asksPassword },
    "passkey_options": .text { $0.passkeyOptions },
  ]
}
