import Accounts
import Basics

/// Makes moderators and admins from the command line (accounts.md, "Signing in").
public struct StaffDesk {
  private let house: House

  public init(_ house: House) {
    self.house = house
  }

  /// Gives somebody the role and tells what is left to do.
  public func appoint(email: String, as role: Role, say: (String) -> Void) throws {
    let outcome = try house.features.accounts.appointments.appoint(
      email: email, as: role, now: house.site.clock.now())
    say(
      outcome.isNew
        ? "\(email) is new here, with the role \(role)." : "\(email) has the role \(role) now.")
    if let link = outcome.link {
      say("Give them this link; it works once, for 24 hours:")
      say(link)
    } else {
      say("They have a second factor already: signing in again is enough.")
    }
  }
}
