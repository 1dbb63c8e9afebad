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

extension AccountsEnvironment {
  /// The buttons of all providers by which one signs in; `next` is the page to go to afterwards.
  func providerButtons(next: String = "/") -> [ProviderButtonView] {
    providers.map {
      ProviderButtonView(label: $0.label, link: AccountLinks.provider($0.name, next: next))
    }
  }
}
