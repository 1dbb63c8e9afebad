import Accounts
import Foundation
import OpenIDConnect

/// The settings of one OpenID provider (docs/operator/sign-in.md).
struct ProviderSettings: Sendable {
  let name: String
  let label: String
  let brand: SignInProvider.Brand
  let provider: OpenIDProvider

  static let listName = "PAIRSPOT_OIDC_PROVIDERS"
  static let maximumCount = 8
  /// The ends of the names of a provider's settings (docs/operator/settings.md).
  enum Field: String, CaseIterable {
    case issuer = "ISSUER"
    case clientID = "CLIENT_ID"
    case clientSecret = "CLIENT_SECRET"
    case clientSecretFile = "CLIENT_SECRET_FILE"
    case label = "LABEL"
    case appClientIDs = "APP_CLIENT_IDS"
    case teamID = "TEAM_ID"
    case keyID = "KEY_ID"
    case keyFile = "KEY_FILE"
    case privateNetwork = "PRIVATE_NETWORK"
  }

  static func variable(_ name: String, _ field: Field) -> String {
    "PAIRSPOT_OIDC_\(name.uppercased())_\(field.rawValue)"
  }

  static func names(in list: String) -> [String] {
    list.split(separator: ",").map { String($0.filter { $0 != " " }) }
  }

  /// Whether a variable is a setting of a provider in the list.
  static func isKnown(_ variable: String, in variables: [String: String]) -> Bool {
    names(in: variables[listName] ?? "").contains { name in
      Field.allCases.contains { self.variable(name, $0) == variable }
    }
  }

  /// The client secrets of the providers in the list, which may be in files instead.
  static func secrets(in variables: [String: String]) -> [String] {
    names(in: variables[listName] ?? "").map { variable($0, .clientSecret) }
  }

  func made(_ transport: (any ProviderTransport)? = nil) -> SignInProvider {
    SignInProvider(
      name: name, label: label, brand: brand, provider: provider, transport: transport)
  }
}

extension ConfigurationReader {
  /// The providers in the order of the setting.
  mutating func providers() -> [ProviderSettings] {
    let names = ProviderSettings.names(in: text(ProviderSettings.listName, ""))
    let areNames = names.allSatisfy { $0.wholeMatch(of: /[a-z][a-z0-9]{0,19}/) != nil }
    guard areNames, Set(names).count == names.count, names.count <= ProviderSettings.maximumCount
    else {
      note(
        "\(ProviderSettings.listName): must be up to \(ProviderSettings.maximumCount) different names of small letters and digits, like google,home"
      )
      return []
    }
    let found = names.compactMap { provider($0) }
    if Set(found.map(\.provider.issuer)).count < found.count {
      note("\(ProviderSettings.listName): two providers have the same issuer")
    }
    return found
  }

  private mutating func provider(_ name: String) -> ProviderSettings? {
    let variable = { ProviderSettings.variable(name, $0) }
    let clientID = required(variable(.clientID))
    let appClientIDs = text(variable(.appClientIDs), "").split(separator: ",").map {
      String($0.filter { $0 != " " })
    }
    let isPrivate = choice(variable(.privateNetwork), ["0", "1"], "0") == "1"
    let secret = text(variable(.clientSecret), "")
    var (brand, label) = (SignInProvider.Brand.other, name.capitalized)
    do throws(DiscoveryError) {
      let provider: OpenIDProvider
      switch name {
      case "apple":
        (brand, label) = (.apple, "Apple")
        guard let key = appleKey(variable) else { return nil }
        provider = try .apple(
          clientID: clientID, appClientIDs: appClientIDs, key: key,
          issuer: text(variable(.issuer), "https://appleid.apple.com"),
          allowsPrivateNetwork: isPrivate)
      case "google" where !isSet(variable(.issuer)):
        (brand, label) = (.google, "Google")
        provider = try .google(
          clientID: clientID, appClientIDs: appClientIDs,
          secret: required(variable(.clientSecret)))
      default:
        provider = try OpenIDProvider(
          issuer: required(variable(.issuer)), clientID: clientID, appClientIDs: appClientIDs,
          credentials: secret.isEmpty ? .none : .secret(secret), allowsPrivateNetwork: isPrivate)
      }
      return ProviderSettings(
        name: name, label: text(variable(.label), label), brand: brand, provider: provider)
    } catch {
      if isSet(variable(.issuer)) { note("\(variable(.issuer)): \(error)") }
      return nil
    }
  }

  private mutating func required(_ name: String) -> String {
    if !isSet(name) { note("\(name): missing") }
    return text(name, "")
  }

  private mutating func appleKey(
    _ variable: (ProviderSettings.Field) -> String
  ) -> AppleClientKey? {
    let (team, key) = (required(variable(.teamID)), required(variable(.keyID)))
    guard isSet(variable(.keyFile)) else {
      note("\(variable(.keyFile)): missing")
      return nil
    }
    guard let path = file(variable(.keyFile)),
      let pem = try? String(contentsOfFile: path, encoding: .utf8)
    else { return nil }
    let read = AppleClientKey(teamID: team, keyID: key, pem: pem)
    if read == nil { note("\(variable(.keyFile)): \(path) is no key that Apple issued (.p8)") }
    return read
  }
}
