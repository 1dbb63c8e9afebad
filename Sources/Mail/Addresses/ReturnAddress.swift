import Core
import Secrets

/// The return address of a mail that can't be delivered. Each mail has its own, so that a bounce
/// identifies its mail, and it is signed, so that it can't be forged.
///
/// It is `<local>+b<token>@<domain>` of the instance's own address. The token is base32 of the
/// mail's id and 56 bits of an HMAC over it, read in either case, since servers on the way may
/// change it.
public struct ReturnAddress: Sendable {
  /// The purpose of the key for `KeyRing.derivedKey`; it outlives rotations.
  static let purpose = "mail-bounce"
  private static let mark = "+b"
  private static let macBytes = 7
  /// Base32 of 16 + 7 bytes.
  private static let tokenLength = 37
  /// The maximum length of a local part (RFC 5321, section 4.5.3.1.1).
  private static let maximumLocalPartLength = 64
  /// The maximum length of an own local part, in bytes, that leaves space for mark and token.
  public static let maximumOwnLocalPartBytes =
    maximumLocalPartLength - mark.utf8.count - tokenLength

  private let own: MailAddress
  private let key: [UInt8]

  /// For mail sent from the instance's own address.
  public init(of own: MailAddress, keys: KeyRing) {
    self.own = own
    key = keys.derivedKey(purpose: Self.purpose)
  }

  /// The return address of this mail; the own address if it is too long for a token.
  public func make(for mail: ID<QueuedMail>) -> MailAddress {
    let token = Base32.text(mail.bytes + mac(mail.bytes)).lowercased()
    let address = "\(own.localPart)\(Self.mark)\(token)@\(own.domain)"
    guard own.localPart.utf8.count <= Self.maximumOwnLocalPartBytes,
      let made = try? MailAddress(address)
    else { return own }
    return made
  }

  /// The mail of a return address; nil if the address is another, or forged.
  public func mail(comingBackTo address: some StringProtocol) -> ID<QueuedMail>? {
    let text = address.lowercased()
    let prefix = "\(own.localPart)\(Self.mark)".lowercased()
    let suffix = "@\(own.domain)"
    guard text.hasPrefix(prefix), text.hasSuffix(suffix),
      text.utf8.count == prefix.utf8.count + Self.tokenLength + suffix.utf8.count,
      let bytes = Base32.bytes(text.dropFirst(prefix.count).dropLast(suffix.count)),
      bytes.count == 16 + Self.macBytes,
      ConstantTime.equal(Array(bytes.dropFirst(16)), mac(Array(bytes.prefix(16))))
    else { return nil }
    return ID(bytes: Array(bytes.prefix(16)))
  }

  private func mac(_ id: [UInt8]) -> [UInt8] {
    Array(Digests.hmac(id, key: key).prefix(Self.macBytes))
  }
}
