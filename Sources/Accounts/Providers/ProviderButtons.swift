import Templates

/// A link that leads to a provider, in the style that Apple and Google ask for.
struct ProviderButtonView: View {
  private let provider: SignInProvider
  private let link: String

  init(_ provider: SignInProvider, link: String) {
    self.provider = provider
    self.link = link
  }

  static let fields: [String: Field<ProviderButtonView>] = [
    "label": .text { $0.provider.label },
    "link": .text { $0.link },
    "apple": .flag { $0.provider.brand == .apple },
    "google": .flag { $0.provider.brand == .google },
    "branded": .flag { $0.provider.brand != .other },
  ]
}

extension AccountsEnvironment {
  /// The name of a provider that no longer forwards mail to the member; nil if there is none.
  func providerWithoutMail(_ linked: [LinkedIdentity]) -> String? {
    linked.first { $0.mailStoppedAt != nil }.map { identity in
      providers.first { $0.issuer == identity.issuer }?.label ?? identity.issuer
    }
  }

  /// The buttons of all providers by which one signs in; `next` is the page to go to afterwards.
  func providerButtons(next: String = "/") -> [ProviderButtonView] {
    providers.map {
      ProviderButtonView($0, link: AccountLinks.provider($0.name, next: next))
    }
  }
}
