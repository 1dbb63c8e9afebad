import Accounts
import Core

/// Manages moderators and admins from the command line.
public struct StaffCommands {
  /// An action for trials only.
  public struct NotInProduction: Error, CustomStringConvertible {
    public let description = "--print-secret is not allowed in production"
  }

  private let instance: Instance
  var appointments: StaffRoleService { instance.features.accounts.appointments }
  var now: Instant { instance.site.clock.now() }

  public init(_ instance: Instance) {
    self.instance = instance
  }

  /// Opens an instance for a command.
  public static func open(_ configuration: Configuration) throws -> StaffCommands {
    StaffCommands(try Instance.forCommand(configuration))
  }

  /// Gives a member the role; the answer has the remaining steps. With `printsSecret` there are
  /// none: the second factor is enabled at once, and the answer has its secret. Throws
  /// `NotInProduction` then.
  public func appoint(
    email: String, as role: Role, printsSecret: Bool = false
  ) throws -> AppointmentAnswer {
    if printsSecret, !instance.configuration.isDevelopment { throw NotInProduction() }
    let now = self.now
    let outcome = try appointments.appoint(email: email, as: role, now: now)
    let secret =
      printsSecret && outcome.link != nil
      ? try appointments.enrolAtOnce(email: email, now: now) : nil
    return AppointmentAnswer(outcome, secret, of: email, as: role)
  }

  /// Removes a member's second factor; the answer says how staff set up another one.
  public func resetSecondFactor(email: String) throws -> SecondFactorResetAnswer {
    SecondFactorResetAnswer(
      email: email, link: try appointments.resetSecondFactor(email: email, now: now))
  }
}
