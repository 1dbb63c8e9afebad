import Accounts
import Core

/// The operator's invitation to register.
public enum Invitation {
  /// A link that can be used for some days. Throws the errors of opening an instance.
  public static func link(_ configuration: Configuration, days: Int64) throws -> String {
    let site = try Instance(configuration).site
    let invitation = RegistrationAccess(site).invitation(
      until: site.clock.now().adding(seconds: .days(days)))
    return "\(site.baseURL)\(AccountLinks.register)?invitation=\(invitation)"
  }
}
