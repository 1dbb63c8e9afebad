import Accounts
import Core
import OpenIDConnect

extension Configuration {
  /// Asks each OpenID provider whether it can be used with these settings. Throws `Invalid` with one
  /// line for each that can't.
  public func checkProviders() throws {
    try checkProviders(nil, now: clock.now())
  }

  func checkProviders(_ transport: (any ProviderTransport)?, now: Instant) throws {
    let problems = providers.compactMap { settings -> String? in
      let client = OpenIDClient(provider: settings.provider, transport: transport)
      let callback = baseURL + AccountLinks.providerCallback(settings.name)
      do {
        try client.check(now: now)
        try client.checkClient(redirectURI: callback, now: now)
        return nil
      } catch OpenIDError.client {
        let field: ProviderSettings.Field = settings.brand == .apple ? .keyFile : .clientSecret
        return "\(ProviderSettings.variable(settings.name, field)): \(OpenIDError.client)"
      } catch {
        return "\(ProviderSettings.variable(settings.name, .issuer)): \(error)"
      }
    }
    if !problems.isEmpty { throw Invalid(problems: problems) }
  }
}
