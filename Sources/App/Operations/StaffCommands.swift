import Accounts
import Core
import Glibc

/// Manages moderators and admins from the command line.
public struct StaffCommands {
  /// An action for trials only.
  public struct NotInProduction: Error, CustomStringConvertible {
    public let description = "--print-secret is not allowed in production"
  }

  private let instance: Instance
  private var appointments: StaffRoleService { instance.features.accounts.appointments }

  public init(_ instance: Instance) {
    self.instance = instance
  }

  /// Opens an instance for a command. Its security events go to the log as those of requests do; in
  /// production to standard error, since standard output is for the command's output.
  public static func open(_ configuration: Configuration) throws -> StaffCommands {
    var options = Instance.Options()
    options.securityLogDescriptor =
      configuration.isDevelopment ? configuration.securityLog() : STDERR_FILENO
    return StaffCommands(try Instance(configuration, options: options))
  }

  /// Gives a member the role and prints the remaining steps. With `printsSecret` there are none:
  /// the second factor is enabled at once, and its secret printed. Throws `NotInProduction` then.
  public func appoint(
    email: String, as role: Role, printsSecret: Bool = false, printLine: (String) -> Void
  ) throws {
    if printsSecret, !instance.configuration.isDevelopment { throw NotInProduction() }
    let now = instance.site.clock.now()
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
    let link = try appointments.resetSecondFactor(email: email, now: instance.site.clock.now())
    printLine("Removed the second factor of \(email) and ended all their sessions.")
    if let link {
      printLine(
        "Send them this link to set up a new one; it can be used once and expires in 24 hours:")
      printLine(link)
    }
  }

  /// Prints a line for each moderator and admin.
  public func list(printLine: (String) -> Void) throws {
    let members = try appointments.all()
    if members.isEmpty { printLine("There are no moderators or admins.") }
    for member in members {
      let factor = member.hasSecondFactor ? "second factor" : "no second factor"
      printLine("\(member.role)\t\(member.email)\t\(member.name)\t\(factor)")
    }
  }
}
