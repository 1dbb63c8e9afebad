/// The answer of a browser after `navigator.credentials.create()`.
public struct RegistrationResponse: Sendable {
  let credentialID: [UInt8]
  let clientData: [UInt8]
  let attestationObject: [UInt8]
  let transports: [String]

  /// Reads the JSON of `PublicKeyCredential.toJSON()`. Throws `WebAuthnError`.
  public init(json: [UInt8]) throws(WebAuthnError) {
    let fields = try ResponseFields.read(json)
    guard let object = fields.response.attestationObject?.values else { throw .malformed }
    self.init(
      credentialID: fields.id.values, clientData: fields.response.clientDataJSON.values,
      attestationObject: object, transports: fields.response.transports ?? [])
  }

  init(
    credentialID: [UInt8], clientData: [UInt8], attestationObject: [UInt8], transports: [String]
  ) {
    self.credentialID = credentialID
    self.clientData = clientData
    self.attestationObject = attestationObject
    self.transports = transports
  }
}

/// A credential of a user, as it is stored (WebAuthn Level 3, section 4, "credential record").
public struct CredentialRecord: Sendable {
  /// At most 1,023 bytes.
  public let id: [UInt8]
  public let publicKey: CredentialPublicKey
  /// The number of signatures, or 0 if the authenticator does not count.
  public let signCount: UInt32
  public let isBackupEligible: Bool
  public let isBackedUp: Bool
  /// How the browser reaches the authenticator: "internal", "usb" and others. A hint for options.
  public let transports: [String]

  public init(
    id: [UInt8], publicKey: CredentialPublicKey, signCount: UInt32, isBackupEligible: Bool,
    isBackedUp: Bool, transports: [String] = []
  ) {
    self.id = id
    self.publicKey = publicKey
    self.signCount = signCount
    self.isBackupEligible = isBackupEligible
    self.isBackedUp = isBackedUp
    self.transports = transports
  }
}

extension RelyingParty {
  /// The transports that are kept (section 5.8.4), so that nothing else is stored and sent back.
  private static let transports: Set = ["ble", "hybrid", "internal", "nfc", "smart-card", "usb"]

  /// Checks a response and returns the new credential (section 7.1). Attestation statements are not
  /// checked: none was asked for, and none is trusted.
  ///
  /// The caller makes sure that the challenge was given to this browser, is not used again, and that
  /// the id of the credential is not registered already (step 26). Throws `WebAuthnError`.
  public func register(
    _ response: RegistrationResponse, challenge: [UInt8]
  ) throws(WebAuthnError) -> CredentialRecord {
    let clientData = try ClientData.read(response.clientData)
    try clientData.check(.create, challenge: challenge, of: self)
    guard let object = try? CBORReader.read(response.attestationObject[...]),
      case .text = object["fmt"], object["attStmt"] != nil,
      case .bytes(let bytes) = object["authData"]
    else { throw .malformed }
    let data = try AuthenticatorData(bytes)
    try check(data)
    guard let credential = data.credential else { throw .malformed }
    guard credential.id == response.credentialID else { throw .credential }
    let known = Self.transports.intersection(response.transports)
    return CredentialRecord(
      id: credential.id, publicKey: credential.publicKey, signCount: data.signCount,
      isBackupEligible: data.flags.contains(.backupEligible),
      isBackedUp: data.flags.contains(.backedUp), transports: known.sorted())
  }
}
