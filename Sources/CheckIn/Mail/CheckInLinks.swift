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

  /// Restores a removed contact.
  static func undoRemoval(_ contact: ID<Contact>) -> String { "\(contacts)/\(contact)/undo" }

  static func channels(_ contact: ID<Contact>) -> String { "\(contacts)/\(contact)/channels" }
  /// Asks before a channel is removed.
  static func removal(_ channel: ContactChannel) -> String {
    "\(channels(channel.contact))?ask=\(channel.id)"
  }

  static func contact(_ token: String) -> String { "/c/\(token)" }
  /// The same page for a contact who is signed in: a partner.
  static func asContact(_ contact: ID<Contact>) -> String { "/checkin/people/\(contact)" }
  static func stop(_ token: String) -> String { "/c/\(token)/stop" }
  static let signs = "/checkin/signs"
  static func ping(_ token: String) -> String { "/api/v1/checkin/ping/\(token)" }
  public static let timerPage = "/checkin/timer"
  static let help = AccountLinks.callForHelp
  static func timer(_ token: String) -> String { "/timer/\(token)" }
  static func tap(_ token: String) -> String { "/tap/\(token)" }
}

/// Links in mails. A token contains the ID and a keyed hash of it, so the same link can be sent
/// again and nothing has to be stored.
struct MailLinks: Sendable {
  /// How long a page to tap on, or to end a timer on, is valid after its mail, in s.
  static let lifetime: Int64 = .days(7)
  private static let markLength = 16

  private let contactKey: [UInt8]
  private let tapKey: [UInt8]
  private let timerKey: [UInt8]

  init(keys: KeyRing) {
    contactKey = keys.derivedKey(purpose: "contact-link")
    tapKey = keys.derivedKey(purpose: "tap-link")
    timerKey = keys.derivedKey(purpose: "timer-link")
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
    Self.token(person.bytes, until: moment, tapKey)
  }

  /// The user that a token belongs to; nil if it is invalid or has expired.
  func person(_ token: String, now: Instant) -> ID<Person>? {
    Self.content(of: token, length: 16, tapKey, now: now)
      .flatMap { ID<Person>(bytes: $0.identifiers) }
  }

  /// The token of a page to end one timer on, valid until a moment.
  func token(
    for timer: ID<CheckInTimer>, of person: ID<Person>, until moment: Instant
  ) -> String {
    Self.token(person.bytes + timer.bytes, until: moment, timerKey)
  }

  /// The user and the timer that a token belongs to; nil if it is invalid or has expired.
  func timer(_ token: String, now: Instant) -> (person: ID<Person>, timer: ID<CheckInTimer>)? {
    guard
      let bytes = Self.content(of: token, length: 32, timerKey, now: now)?.identifiers,
      let person = ID<Person>(bytes: Array(bytes.prefix(16))),
      let timer = ID<CheckInTimer>(bytes: Array(bytes.dropFirst(16)))
    else { return nil }
    return (person, timer)
  }

  /// The user that the token of an older mail belongs to, which named no timer, and when the mail
  /// was sent; nil if it is invalid or has expired.
  func timerMail(_ token: String, now: Instant) -> (person: ID<Person>, sentAt: Instant)? {
    guard let content = Self.content(of: token, length: 16, tapKey, now: now),
      let person = ID<Person>(bytes: content.identifiers)
    else { return nil }
    return (person, content.end.adding(seconds: -Self.lifetime))
  }

  // MARK: Tokens that end

  private static func token(_ identifiers: [UInt8], until moment: Instant, _ key: [UInt8]) -> String
  {
    let content = identifiers + bytes(moment)
    return Base64URL.text(content + mark(content, key))
  }

  /// The bytes of a token's identifiers, of this length in all, and its end; nil if it is invalid or
  /// has expired.
  private static func content(
    of token: String, length: Int, _ key: [UInt8], now: Instant
  ) -> (identifiers: [UInt8], end: Instant)? {
    guard let bytes = Base64URL.bytes(token), bytes.count == length + 8 + markLength else {
      return nil
    }
    let content = Array(bytes.prefix(length + 8))
    guard ConstantTime.equal(Array(bytes.dropFirst(length + 8)), mark(content, key)) else {
      return nil
    }
    let end = Instant(
      milliseconds: content.dropFirst(length).reduce(Int64(0)) { $0 << 8 | Int64($1) })
    guard now < end else { return nil }
    return (Array(content.prefix(length)), end)
  }

  private static func mark(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] {
    Array(Digests.hmac(bytes, key: key).prefix(markLength))
  }

  private static func bytes(_ moment: Instant) -> [UInt8] {
    withUnsafeBytes(of: moment.milliseconds.bigEndian, Array.init)
  }
}
