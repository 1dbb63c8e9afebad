import Core
import Secrets
import Web

/// Decides who may register, and makes the operator's invitations
/// (docs/developer/accounts.md#who-may-register).
public struct RegistrationAccess: Sendable {
  /// Carries an invitation that was opened to the forms.
  static let cookie = "invitation"
  /// How long a browser keeps it, in s.
  static let cookieLifetime: Int64 = .days(1)
  private static let signatureBytes = 16

  private let mode: InstanceProfile.Registration
  private let key: [UInt8]

  public init(_ site: AppEnvironment) {
    mode = site.profile.registration
    key = site.keys.derivedKey(purpose: "invitations")
  }

  /// An invitation that can be used by several people until a time. It is not stored: a signature
  /// protects its time.
  public func invitation(until end: Instant) -> String {
    let time = String(end.milliseconds, radix: 36)
    return "\(time)-\(Base64URL.text(signature(of: time)))"
  }

  func isValid(_ invitation: String?, now: Instant) -> Bool {
    guard let parts = invitation?.split(separator: "-", maxSplits: 1), parts.count == 2,
      let signature = Base64URL.bytes(parts[1]),
      ConstantTime.equal(signature, self.signature(of: String(parts[0]))),
      let end = Int64(parts[0], radix: 36)
    else { return false }
    return end > now.milliseconds
  }

  private func signature(of time: String) -> [UInt8] {
    Array(Digests.hmac(Array(time.utf8), key: key).prefix(Self.signatureBytes))
  }

  /// Whether a visitor may register or become a guest. `isInvited`: by a group, whose code was
  /// checked.
  public static func isOpen(to context: Context, isInvited: Bool = false) -> Bool {
    RegistrationAccess(context.site).isOpen(
      to: context.invitation, isInvited: isInvited, now: context.now)
  }

  /// Whether a new person may come in. `isInvited`: by a group, whose code was checked.
  func isOpen(to invitation: String?, isInvited: Bool = false, now: Instant) -> Bool {
    switch mode {
    case .open: true
    case .invitation: isInvited || isValid(invitation, now: now)
    case .closed: false
    }
  }

  /// Throws 403 if no new person may come in with this invitation.
  func require(_ invitation: String?, isInvited: Bool = false, now: Instant) throws {
    guard !isOpen(to: invitation, isInvited: isInvited, now: now) else { return }
    throw Problem(
      .forbidden, APIErrorCode.registrationClosed.rawValue,
      textKey: mode == .invitation
        ? "problem.registration_invitation" : "problem.registration_closed")
  }
}

extension Context {
  /// The invitation that was opened in this browser.
  var invitation: String? { cookies[RegistrationAccess.cookie] }
}
