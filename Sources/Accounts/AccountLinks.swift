import Core
import Foundation

/// Paths of this module's pages. Other code uses these and never writes a path by hand.
public enum AccountLinks {
  public static let register = "/register"
  public static let registerAlone = "/register/alone"
  public static let waiting = "/register/waiting"
  public static let complete = "/register/complete"
  public static let verify = "/verify"
  static let newLink = "/verify/again"
  public static let signIn = "/sign-in"
  public static let signInCode = "/sign-in/code"
  public static let reset = "/reset"
  public static let confirmReset = "/reset/confirm"
  public static let secondFactor = "/settings/second-factor"
  public static let secondFactorOff = "/settings/second-factor/off"
  public static let secondFactorCodes = "/settings/second-factor/codes"
  public static let enrolStaff = "/staff/enrol"
  public static let admin = "/admin"
  public static let adminPeople = "/admin/users"

  public static func adminPerson(_ id: ID<Person>) -> String { "\(adminPeople)/\(id)" }
  public static func adminSessions(_ id: ID<Person>) -> String {
    "\(adminPerson(id))/sessions"
  }
  public static func adminRole(_ id: ID<Person>) -> String { "\(adminPerson(id))/role" }

  public static let recover = "/recover"
  static let about = "/about"
  public static let help = "/help"
  static let terms = "/terms"
  public static let privacy = "/privacy"
  // Pages of other modules in the list of settings.
  static let checkInSettings = "/checkin/settings"
  static let contacts = "/checkin/contacts"
  static let wallet = "/wallet"
  static let workoutSharing = "/workouts/sharing"
  /// The form of the sign-in page that continues as a guest.
  static let continueAsGuest = "/sign-in/guest"
  /// The page of another module.
  public static let checkIn = "/checkin"
  public static let callForHelp = "/checkin/help"
  /// The same with a note to begin with.
  public static func callForHelp(note: String) -> String { "\(callForHelp)?note=\(encoded(note))" }
  /// Where guests land after recovery: the page that most of them start on
  /// (docs/developer/pages-and-forms.md#addresses, `/recover`).
  public static let afterRecovery = checkIn
  public static let recoveryCode = "/settings/recovery-code"
  public static let becomeMember = "/become-a-member"
  /// The same with a local path to return to.
  public static func becomeMember(next: String) -> String {
    "\(becomeMember)?next=\(encoded(next))"
  }
  public static let merge = "/merge"

  static func merge(next: String) -> String { "\(merge)?next=\(encoded(next))" }

  /// The sign-in page, with a local path to return to.
  public static func signIn(next: String) -> String { "\(signIn)?next=\(encoded(next))" }

  static func encoded(_ path: String) -> String {
    path.addingPercentEncoding(
      withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "/-._~"))) ?? "/"
  }

  public static let pair = "/pair"
  public static let acceptPair = "/pair/accept"
  public static let part = "/settings/part"

  public static func verify(_ token: String) -> String { "\(verify)?token=\(token)" }
  public static func complete(_ token: String) -> String { "\(complete)?token=\(token)" }
  public static func confirmReset(_ token: String) -> String { "\(confirmReset)?token=\(token)" }
  public static func enrolStaff(_ token: String) -> String { "\(enrolStaff)?token=\(token)" }
  public static func acceptPair(_ token: String) -> String { "\(acceptPair)?token=\(token)" }
  public static func couple(_ id: ID<Couple>) -> String { "/couples/\(id)" }
  public static func editCouple(_ id: ID<Couple>) -> String { "/couples/\(id)/edit" }
  /// The URL path of a file below the media folder.
  public static func media(_ path: String) -> String { "/media/\(path)" }
}
