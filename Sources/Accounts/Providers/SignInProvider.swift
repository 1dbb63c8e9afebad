import OpenIDConnect

/// An OpenID provider with which members may sign in (docs/developer/sign-in-providers.md).
public struct SignInProvider: Sendable {
  public enum Brand: Sendable {
    case apple
    case google
    case other
  }

  /// The name in addresses and settings, such as "google".
  public let name: String
  /// The name that users see.
  public let label: String
  public let brand: Brand
  let client: OpenIDClient

  public init(
    name: String, label: String, brand: Brand, provider: OpenIDProvider,
    transport: (any ProviderTransport)? = nil
  ) {
    self.name = name
    self.label = label
    self.brand = brand
    client = OpenIDClient(provider: provider, transport: transport)
  }

  var issuer: String { client.provider.issuer }
}
