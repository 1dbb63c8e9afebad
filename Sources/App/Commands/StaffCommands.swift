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

  /// Gives a member the role and prints the remaining steps. With `printsSecret` there are none:
  /// the second factor is enabled at once, and its secret printed. Throws `NotInProduction` then.
  public func appoint(
    email: String, as role: Role, printsSecret: Bool = false, printLine: (String) -> Void
  ) throws {
    if printsSecret, !instance.configuration.isDevelopment { throw NotInProduction() }
    let now = self.now
    let outcome = try appointments.appoint(email: email, as: role, now: now)
    printLine(
      outcome.isNew
        ? "Created an account for \(email) with the role \(role)."
        : "\(email) now has the role \(role).")
    guard let link = outcome.link else {
      return printLine("They already have a second factor and only need to sign in again.")
    }
    if printsSecret, let secret = try appointments.enrolAtOnce(email: email, now: now) {
      if let password = secret.password { printLine("password: \(password)") }
      return printLine(secret.address)
    }
    printLine("Send them this link; it can be used once and expires in 24 hours:")
    printLine(link)
  }

  /// Removes a member's second factor, and prints how staff set up another one.
  public func resetSecondFactor(email: String, printLine: (String) -> Void) throws {
    let link = try appointments.resetSecondFactor(email: email, now: now)
    printLine("Removed the second factor of \(email) and ended all their sessions.")
    if let link {
      printLine(
        "Send them this link to set up a new one; it can be used once and expires in 24 hours:")
      printLine(link)
    }
  }
}
