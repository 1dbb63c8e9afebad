import Core
import Foundation
import Secrets

/// An alert that is ready to be sent by a watchman.
struct WatchedAlert: Codable, Sendable {
  struct Channel: Codable, Sendable {
    let id: String
    let offer: String
    let recipient: String
  }

  struct Contact: Codable, Sendable {
    let id: String
    let name: String
    /// Empty if the contact receives no mail.
    let email: String
    let note: String
    /// The paths of the contact's pages on the server.
    let path: String
    let stopPath: String
    let channels: [Channel]
  }

  let name: String
  let language: String
  /// The user's time zone, an IANA name.
  let zone: String
  let missedDays: Int
  /// The user's threshold in hours; nil if days are counted.
  let thresholdHours: Int?
  /// The latest check-in, in ms; nil if there was none.
  let lastSeen: Int64?
  /// When the user's timer ended, in ms; nil without one.
  let timerEnd: Int64?
  /// Whether that timer is a call for help; nil in an alert of an older server.
  let isHelp: Bool?
  let contacts: [Contact]

  private static let purpose = "watchman alert"

  /// Encrypts the alert with a key of the user and the day of its moment.
  func sealed(
    for person: ID<Person>, at moment: Instant, with key: SharedKey
  ) throws -> [UInt8] {
    try key.seal(
      Array(try JSONEncoder().encode(self)), Self.purpose, Self.context(person, moment))
  }

  /// Decrypts an alert. Throws `SealError` and decoding errors.
  static func open(
    _ sealed: [UInt8], of person: ID<Person>, at moment: Instant, with key: SharedKey
  ) throws -> WatchedAlert {
    let bytes = try key.open(sealed, purpose, context(person, moment))
    return try JSONDecoder().decode(WatchedAlert.self, from: Data(bytes))
  }

  private static func context(_ person: ID<Person>, _ moment: Instant) -> [UInt8] {
    let day = Int64(LocalDay(moment, in: .gmt).number)
    return person.bytes + withUnsafeBytes(of: day.bigEndian, Array.init)
  }
}
