import Core
import Foundation
import Mail
import Web

/// The validated form for registering as a couple (docs/developer/accounts.md,
/// docs/developer/pages-and-forms.md#limits-of-fields).
struct CoupleRegistration {
  let emailA: String
  let emailB: String
  let coupleName: String
  /// Nil if they have not told it yet.
  let anniversary: LocalDay?

  /// Errors by field, as keys of texts.
  struct InvalidFields: Error {
    var errors: [String: FieldError]
  }

  init(
    emailA: String, emailB: String, coupleName: String, anniversary: String, accepts: Bool,
    now: Instant
  ) throws(InvalidFields) {
    var errors: [String: FieldError] = [:]
    let first = AccountRules.address(emailA, field: "email_a", &errors)
    let second = AccountRules.address(emailB, field: "email_b", &errors)
    let (typedA, typedB) = (emailA.asOneLine.lowercased(), emailB.asOneLine.lowercased())
    if !typedB.isEmpty, typedA == typedB || (first != nil && first == second) {
      errors["email_b"] = FieldError("error.email_same")
    }
    let name = AccountRules.name(
      coupleName, limits: AccountRules.coupleNameLimits, field: "couple_name", &errors)
    let day = AccountRules.anniversary(anniversary, now: now, &errors)
    if !accepts { errors["accept"] = FieldError("error.accept") }
    guard errors.isEmpty, let first, let second else {
      throw InvalidFields(errors: errors)
    }
    self.emailA = first
    self.emailB = second
    self.coupleName = name
    self.anniversary = day
  }
}

/// Validation rules that several forms share.
public enum AccountRules {
  /// The limit of a user's name in every form.
  public static let displayNameLimits = FieldLimits(characters: 50)
  static let coupleNameLimits = FieldLimits(characters: 60)
  static let bioLimits = FieldLimits(characters: 300)

  /// The normalised address; nil with an error if it is invalid.
  public static func address(
    _ entered: String, field: String, _ errors: inout [String: FieldError]
  ) -> String? {
    do throws(MailAddressError) {
      return try MailAddress(entered).normalised
    } catch {
      errors[field] = Self.error(for: error, field: field)
      return nil
    }
  }

  /// The field error for an invalid address.
  static func error(for problem: MailAddressError, field: String) -> FieldError {
    switch problem {
    case .empty: .empty(field)
    case .tooLong: FieldError("error.email_long")
    case .comma(_, let suggestion?): FieldError("error.email_comma", ["suggestion": suggestion])
    case .spaces(let suggestion?): FieldError("error.email_space", ["suggestion": suggestion])
    default: FieldError("error.email_invalid")
    }
  }

  /// Validates a name: one line, not empty and at most `limits`.
  public static func name(
    _ entered: String, limits: FieldLimits, field: String, _ errors: inout [String: FieldError]
  ) -> String {
    let name = entered.asOneLine
    if name.isEmpty {
      errors[field] = .empty(field)
    } else if !limits.allow(name) {
      errors[field] = FieldError("error.\(field)_long")
    }
    return name
  }

  /// Validates an anniversary: from 1900-01-01 to today in the latest time zone (UTC+14). Nil without
  /// an error if none was entered.
  static func anniversary(
    _ entered: String, now: Instant, _ errors: inout [String: FieldError]
  ) -> LocalDay? {
    guard !entered.asOneLine.isEmpty else { return nil }
    guard let day = LocalDay(entered.asOneLine) else {
      errors["anniversary"] = FieldError("error.anniversary_invalid")
      return nil
    }
    let first = LocalDay(year: 1900, month: 1, day: 1)
    let today = TimeZone(secondsFromGMT: 14 * 3600).map { LocalDay(now, in: $0) }
    if let first, day < first {
      errors["anniversary"] = FieldError("error.anniversary_old")
    } else if let today, day > today {
      errors["anniversary"] = FieldError("error.anniversary_future")
    }
    return day
  }

  /// Masks an address: "m…@example.test" is enough for owners to recognise it, and does not reveal
  /// it to others.
  static func masked(_ address: String) -> String {
    guard let at = address.lastIndex(of: "@"), let first = address.first else { return "…" }
    return "\(first)…\(address[at...])"
  }
}
