import Core
import Foundation

/// A question of a watchman to its server (docs/developer/watchman.md#questions).
struct WatchmanQuestion: Codable, Sendable {
  /// The version of the list that the watchman has; 0 for none.
  let after: Int64
  /// The silence of the server after which the watchman acts, in s.
  let silentAfter: Int64
  /// The alerts that it sent, or is about to send, and that the server has not settled.
  let told: [WatchmanReport]
  /// Whether the server knows all such alerts once it has these.
  let isComplete: Bool

  /// The largest number of alerts in one question.
  static let maximumReports = 50
}

/// An alert that a watchman sent in place of its server, or is about to send.
struct WatchmanReport: Codable, Sendable {
  struct Message: Codable, Sendable {
    let id: String
    let contact: String
    /// Nil for mail.
    let channel: String?
    /// A raw value of `ContactMailState`.
    let state: String
  }

  let id: String
  let person: String
  /// The text of an `AlertReference`.
  let reference: String
  /// In ms.
  let at: Int64
  let messages: [Message]
}

/// The server's answer: a sign of life, and what has changed in its list.
struct WatchmanAnswer: Codable, Sendable {
  /// A user with the alerts that silence would lead to; none if nothing is due for them.
  struct Entry: Codable, Sendable {
    let person: String
    let alerts: [Alert]
  }

  struct Alert: Codable, Sendable {
    let reference: String
    /// The moment after which silence means an alert, in ms.
    let moment: Int64
    /// A `WatchedAlert`, which only the watchman can open.
    let sealed: Data
  }

  /// The version of the list with these entries.
  let version: Int64
  /// Whether the entries replace all that the watchman has.
  let replacesAll: Bool
  let hasMore: Bool
  /// Whether the server evaluates alerts.
  let isScanning: Bool
  /// Until when the server holds alerts after an outage of its own, in ms; nil if it doesn't.
  let heldUntil: Int64?
  let entries: [Entry]
  /// The messages that are not to be sent any more.
  let recalled: [String]
  /// The reports that need not be repeated.
  let settled: [String]
}

/// The subject of an alert: the missed check-ins since a day, or a timer.
enum AlertReference: Hashable, Sendable {
  case silence(LocalDay)
  case timer(ID<CheckInTimer>)

  var text: String {
    switch self {
    case .silence(let day): "silence \(day.number)"
    case .timer(let id): "timer \(id)"
    }
  }

  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2 else { return nil }
    switch words[0] {
    case "silence":
      guard let number = Int(words[1]) else { return nil }
      self = .silence(LocalDay(number: number))
    case "timer":
      guard let id = ID<CheckInTimer>(words[1]) else { return nil }
      self = .timer(id)
    default: return nil
    }
  }
}
