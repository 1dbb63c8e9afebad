import Templates

/// A link that leads to a provider.
struct ProviderButtonView: View {
  let label: String
  let link: String

  static let fields: [String: Field<ProviderButtonView>] = [
    "label": .text { $0.label },
    "link": .text { $0.link },
  ]
}

/// The choice between a password and a provider in a form that creates an account.
struct ProviderChoice: View {
  private let chosen: SignInProvider?
  private let buttons: [ProviderButtonView]

  /// `identity` is the account with a provider that was brought; `link` leads to a provider by its
  /// name.
  init(_ services: AccountsEnvironment, _ identity: PendingIdentity?, link: (String) -> String) {
    chosen = services.providers.first { $0.name == identity?.provider }
    buttons =
      chosen == nil
      ? services.providers.map { ProviderButtonView(label: $0.label, link: link($0.name)) } : []
  }

  var asksPassword: Bool { chosen == nil }

  static let fields: [String: Field<ProviderChoice>] = [
    "provider": .optionalText { $0.chosen?.name },
    "label": .text { $0.chosen?.label ?? "" },
    "has_providers": .flag { !$0.buttons.isEmpty },
    "providers": .list { $0.buttons },
  ]
}

extension AccountsEnvironment {
  /// The buttons of all providers by which one signs in; `next` is the page to go to afterwards.
  func providerButtons(next: String = "/") -> [ProviderButtonView] {
    providers.map {
      ProviderButtonView(label: $0.label, link: AccountLinks.provider($0.name, next: next))
    }
  }
}
