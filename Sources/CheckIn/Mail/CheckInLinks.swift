import Accounts
import Core
import Secrets

/// The addresses of these pages.
public enum CheckInLinks {
  public static let page = AccountLinks.checkIn
  public static let settings = "/checkin/settings"
  public static let contacts = "/checkin/contacts"
  public static let history = "/checkin/history"
  /// The page on which push notifications are turned on.
  static let notifications = "/notifications"
  public static let csv = "/checkin/history.csv"
  public static let json = "/checkin/history.json"

  public static let record = "/checkin/record"
  public static let recordJSON = "/checkin/record.json"

  /// The lines of the record before a number.
  static func record(before number: Int) -> String { "\(record)?before=\(number)" }

  /// A month of the history.
  static func history(_ month: Month) -> String { "\(history)?month=\(month)" }

  /// The page of one of the user's contacts: name, address, and the link to remove it.
  static func edit(_ contact: ID<Contact>) -> String { "\(contacts)/\(contact)" }
  static func removal(_ contact: ID<Contact>) -> String { "\(contacts)/\(contact)/remove" }

  static func channels(_ contact: ID<Contact>) -> String { "\(contacts)/\(contact)/channels" }

  static func contact(_ token: String) -> String { "/c/\(token)" }
  static func stop(_ token: String) -> String { "/c/\(token)/stop" }
  static let signs = "/checkin/signs"
  static func ping(_ token: String) -> String { "/api/v1/checkin/ping/\(token)" }
  static let timerPage = "/checkin/timer"
  static func timer(_ token: String) -> String { "/timer/\(token)" }
  static func tap(_ token: String) -> String { "/tap/\(token)" }
}

/// Links in mails. A token contains the ID and a keyed hash of it, so the same link can be sent
/// again and nothing has to be stored.
struct MailLinks: Sendable {
  private static let markLength = 16

  private let contactKey: [UInt8]
  private let tapKey: [UInt8]

  init(keys: KeyRing) {
    contactKey = keys.derivedKey(purpose: "contact-link")
    tapKey = keys.derivedKey(purpose: "tap-link")
  }

  /// The token of a contact's page, valid as long as they are a contact.
  func token(for contact: ID<Contact>) -> String {
    Base64URL.text(contact.bytes + Self.mark(contact.bytes, contactKey))
  }

  func contact(_ token: String) -> ID<Contact>? {
    guard let bytes = Base64URL.bytes(token), bytes.count == 16 + Self.markLength else {
      return nil
    }
    let id = Array(bytes.prefix(16))
    guard ConstantTime.equal(Array(bytes.dropFirst(16)), Self.mark(id, contactKey)) else {
      return nil
    }
    return ID<Contact>(bytes: id)
  }

  /// The token of a page to tap on, valid until a moment.
  func token(for person: ID<Person>, until moment: Instant) -> String {
    let content = person.bytes + Self.bytes(moment)
    return Base64URL.text(content + Self.mark(content, tapKey))
  }

  /// The user that a token belongs to; nil if it is invalid or has expired.
  func person(_ token: String, now: Instant) -> ID<Person>? {
    guard let bytes = Base64URL.bytes(token), bytes.count == 24 + Self.markLength else {
      return nil
    }
    let content = Array(bytes.prefix(24))
    guard ConstantTime.equal(Array(bytes.dropFirst(24)), Self.mark(content, tapKey)) else {
      return nil
    }
    let until = content.dropFirst(16).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    guard now.milliseconds < until else { return nil }
    return ID<Person>(bytes: Array(content.prefix(16)))
  }

  private static func mark(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] {
    Array(Digests.hmac(bytes, key: key).prefix(markLength))
  }

  private static func bytes(_ moment: Instant) -> [UInt8] {
    withUnsafeBytes(of: moment.milliseconds.bigEndian, Array.init)
  }
}
