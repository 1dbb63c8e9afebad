/// A person according to a provider (OpenID Connect Core 1.0, section 5.1). The texts have any length
/// and any characters.
public struct ProviderProfile: Sendable, Equatable, Decodable {
  public let email: String?
  /// Whether the provider verified that the address belongs to the person.
  public let isEmailVerified: Bool
  /// Whether the address is one of Apple's that forwards mails.
  public let isPrivateEmail: Bool
  public let name: String?
  public let givenName: String?
  public let familyName: String?

  // After the conversion from snake case.
  private enum CodingKeys: String, CodingKey {
    case email, emailVerified, isPrivateEmail, name, givenName, familyName
  }

  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    email = try fields.decodeIfPresent(String.self, forKey: .email)
    isEmailVerified =
      try fields.decodeIfPresent(LenientFlag.self, forKey: .emailVerified)?.isSet ?? false
    isPrivateEmail =
      try fields.decodeIfPresent(LenientFlag.self, forKey: .isPrivateEmail)?.isSet ?? false
    name = try fields.decodeIfPresent(String.self, forKey: .name)
    givenName = try fields.decodeIfPresent(String.self, forKey: .givenName)
    familyName = try fields.decodeIfPresent(String.self, forKey: .familyName)
  }
}
