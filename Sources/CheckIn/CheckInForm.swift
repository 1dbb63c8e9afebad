import Accounts
import Core
import Database
import Foundation
import Web

/// The submitted form of `/checkin`: details, a tap, or both.
struct CheckInForm {
  enum Button: String {
    case save
    case checkIn = "check-in"
    /// Adds the offered partner as a contact.
    case partner
  }

  let button: Button
  /// Nil if not sent.
  let name: String?
  let email: String?
  /// The address field is present but empty: valid for a user without contacts who saves only the
  /// name.
  let leavesEmailEmpty: Bool
  /// The time zone of the browser as reported by a script; nil if it is not a known zone.
  let browserTimeZone: String?
  /// The time zone chosen by a viewer without an account on a page without scripts.
  let chosenTimeZone: String?
  /// The moment of a tap that was made offline.
  let offlineAt: Instant?
  /// The day that the tap claims to be for.
  let day: LocalDay?
  private(set) var errors: [String: FieldError] = [:]

  /// Reads the form of a request. `isNew` requires name and address, since no account exists yet.
  init(_ context: Context, isNew: Bool) {
    let form = context.form
    var errors: [String: FieldError] = [:]
    button = Button(rawValue: form["button"]) ?? .save
    name =
      isNew || form.has("display_name")
      ? Self.name(form["display_name"], &errors) : nil
    let isEmailEmpty = form["contact_email"].asOneLine.isEmpty
    leavesEmailEmpty = !isNew && form.has("contact_email") && isEmailEmpty
    email =
      isNew || (form.has("contact_email") && !isEmailEmpty)
      ? Self.email(form["contact_email"], &errors) : nil
    browserTimeZone = form.all("time_zone").first { TimeZone(named: $0) != nil }
    chosenTimeZone =
      isNew ? form.all("chosen_time_zone").first { TimeZone(named: $0) != nil } : nil
    offlineAt = form.has("tapped_at") ? Instant(rfc3339: form["tapped_at"]) : nil
    day = LocalDay(form["date"])
    if form.has("tapped_at"), offlineAt == nil {
      errors["tapped_at"] = FieldError("error.tapped_at")
    }
    if !form["date"].isEmpty, day == nil { errors["date"] = FieldError("error.not_today") }
    self.errors = errors
  }

  private static func email(_ entered: String, _ errors: inout [String: FieldError]) -> String? {
    let address = AccountRules.address(entered, field: "contact_email", &errors)
    if errors["contact_email"] == .empty("contact_email") {
      errors["contact_email"] = FieldError("error.email_invalid")
    }
    return address
  }

  static func name(_ entered: String, _ errors: inout [String: FieldError]) -> String {
    let name = AccountRules.name(
      entered, limits: AccountRules.displayNameLimits, field: "display_name", &errors)
    if errors["display_name"] != nil { errors["display_name"] = FieldError("error.checkin_name") }
    return name
  }
}
