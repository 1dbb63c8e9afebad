import Secrets

/// This site as the owner of credentials (WebAuthn Level 3, section 4).
///
/// ```swift
/// let options = site.creationOptions(challenge: challenge, user: user, excluding: known)
/// // navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(…) })
/// let credential = try site.register(try RegistrationResponse(json: body), challenge: challenge)
/// ```
public struct RelyingParty: Sendable {
  /// The domain that credentials belong to: that of the site, or one above it.
  public let id: String
  /// A name that some authenticators show.
  public let name: String
  /// The origins of pages and apps that may use the credentials: "https://pairspot.example".
  public let origins: Set<String>
  /// Whether the authenticator must verify the person, by a PIN or a biometric.
  public let requiresUserVerification: Bool

  public init(
    id: String, name: String, origins: Set<String>, requiresUserVerification: Bool = true
  ) {
    self.id = id
    self.name = name
    self.origins = origins
    self.requiresUserVerification = requiresUserVerification
  }

  /// Checks the relying party and the flags (section 7.1, steps 14 to 17; section 7.2, steps 15 to
  /// 18). Throws `WebAuthnError`.
  func check(_ data: AuthenticatorData) throws(WebAuthnError) {
    guard ConstantTime.equal(data.relyingPartyHash, Digests.sha256(Array(id.utf8))) else {
      throw .relyingParty
    }
    guard data.flags.contains(.userPresent) else { throw .userPresence }
    guard !requiresUserVerification || data.flags.contains(.userVerified) else {
      throw .userVerification
    }
    guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else {
      throw .backup
    }
  }
}
