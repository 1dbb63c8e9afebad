/// The data that an authenticator signs with the hash of the client data (WebAuthn Level 3, section 6.1).
struct AuthenticatorData {
  struct Flags: OptionSet {
    let rawValue: UInt8

    /// UP: the person touched the authenticator.
    static let userPresent = Flags(rawValue: 1 << 0)
    /// UV: the authenticator verified the person.
    static let userVerified = Flags(rawValue: 1 << 2)
    /// BE: the credential may be backed up.
    static let backupEligible = Flags(rawValue: 1 << 3)
    /// BS: the credential is backed up.
    static let backedUp = Flags(rawValue: 1 << 4)
    /// AT: a new credential follows.
    static let attestedCredential = Flags(rawValue: 1 << 6)
    /// ED: outputs of extensions follow.
    static let extensions = Flags(rawValue: 1 << 7)
  }

  /// A new credential (section 6.5.1).
  struct AttestedCredential {
    let aaguid: [UInt8]
    let id: [UInt8]
    let publicKey: CredentialPublicKey
  }

  /// The maximum length of a credential id, in bytes (section 7.1, step 25).
  static let maximumIDBytes = 1023
  private static let fixedBytes = 37

  /// The SHA-256 of the relying party's id.
  let relyingPartyHash: [UInt8]
  let flags: Flags
  let signCount: UInt32
  let credential: AttestedCredential?

  /// Reads the data. Outputs of extensions are read and ignored. Throws `WebAuthnError`.
  init(_ bytes: [UInt8]) throws(WebAuthnError) {
    guard bytes.count >= Self.fixedBytes else { throw .malformed }
    relyingPartyHash = Array(bytes[..<32])
    flags = Flags(rawValue: bytes[32])
    signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var rest = bytes[Self.fixedBytes...]
    credential =
      flags.contains(.attestedCredential) ? try Self.credential(&rest) : nil
    if flags.contains(.extensions) {
      guard let (value, after) = try? CBORReader.readFirst(rest), case .map = value else {
        throw .malformed
      }
      rest = after
    }
    guard rest.isEmpty else { throw .malformed }
  }

  private static func credential(
    _ rest: inout ArraySlice<UInt8>
  ) throws(WebAuthnError) -> AttestedCredential {
    guard rest.count >= 18 else { throw .malformed }
    let aaguid = Array(rest.prefix(16))
    let length = rest.dropFirst(16).prefix(2).reduce(0) { $0 << 8 | Int($1) }
    rest = rest.dropFirst(18)
    guard 1...maximumIDBytes ~= length else { throw .credential }
    guard rest.count >= length else { throw .malformed }
    let id = Array(rest.prefix(length))
    rest = rest.dropFirst(length)
    guard let (value, after) = try? CBORReader.readFirst(rest) else { throw .malformed }
    let key = try CredentialPublicKey(value, bytes: Array(rest[..<after.startIndex]))
    rest = after
    return AttestedCredential(aaguid: aaguid, id: id, publicKey: key)
  }
}
