import Secrets

/// The answer of a browser after `navigator.credentials.get()`.
public struct AuthenticationResponse: Sendable {
  /// The credential that was used, by which the caller finds its record.
  public let credentialID: [UInt8]
  /// The user that the authenticator names; nil from some authenticators when credentials were named
  /// in the options.
  public let userHandle: [UInt8]?
  let clientData: [UInt8]
  let authenticatorData: [UInt8]
  let signature: [UInt8]

  /// Reads the JSON of `PublicKeyCredential.toJSON()`. Throws `WebAuthnError`.
  public init(json: [UInt8]) throws(WebAuthnError) {
    let fields = try ResponseFields.read(json)
    guard let data = fields.response.authenticatorData?.values,
      let signature = fields.response.signature?.values
    else { throw .malformed }
    self.init(
      credentialID: fields.id.values, userHandle: fields.response.userHandle?.values,
      clientData: fields.response.clientDataJSON.values, authenticatorData: data,
      signature: signature)
  }

  init(
    credentialID: [UInt8], userHandle: [UInt8]?, clientData: [UInt8], authenticatorData: [UInt8],
    signature: [UInt8]
  ) {
    self.credentialID = credentialID
    self.userHandle = userHandle
    self.clientData = clientData
    self.authenticatorData = authenticatorData
    self.signature = signature
  }
}

/// The result of a checked authentication: what changes in the record of the credential.
public struct Authentication: Sendable, Equatable {
  public let signCount: UInt32
  public let isBackedUp: Bool
  public let isUserVerified: Bool
  /// Whether the counter did not grow: a sign that the authenticator was copied, but no proof
  /// (WebAuthn Level 3, section 6.1.1). The caller warns.
  public let hasCounterGoneBack: Bool
}

extension RelyingParty {
  /// Checks a response with the record of its credential (section 7.2).
  ///
  /// `userHandle` is the handle of the user who owns the record. `isUserKnown` says whether
  /// the options were for that user alone: then the authenticator need not name it (step 6). The
  /// caller makes sure that the challenge was given to this browser and is not used again, and that
  /// the credential is one that the options named, if they named some (step 5). Throws
  /// `WebAuthnError`.
  public func authenticate(
    _ response: AuthenticationResponse, challenge: [UInt8], credential: CredentialRecord,
    userHandle: [UInt8], isUserKnown: Bool = false
  ) throws(WebAuthnError) -> Authentication {
    guard response.credentialID == credential.id else { throw .credential }
    if let named = response.userHandle, !(named.isEmpty && isUserKnown) {
      guard named == userHandle else { throw .user }
    } else if !isUserKnown {
      throw .user
    }
    let clientData = try ClientData.read(response.clientData)
    try clientData.check(.get, challenge: challenge, of: self)
    let data = try AuthenticatorData(response.authenticatorData)
    try check(data)
    guard data.flags.contains(.backupEligible) == credential.isBackupEligible else {
      throw .backup
    }
    let signed = response.authenticatorData + Digests.sha256(response.clientData)
    guard credential.publicKey.verifies(response.signature, of: signed) else { throw .signature }
    let counts = data.signCount != 0 || credential.signCount != 0
    return Authentication(
      signCount: data.signCount, isBackedUp: data.flags.contains(.backedUp),
      isUserVerified: data.flags.contains(.userVerified),
      hasCounterGoneBack: counts && data.signCount <= credential.signCount)
  }
}
