import Templates
import Web

/// The mail of a watchman to its operator.
struct WatchmanMail: View {
  let baseURL: String
  /// Whether the server answers again.
  let isBack: Bool
  /// The minutes without an answer.
  let minutes: Int
  /// The number of alerts that become due within a day.
  let alerts: Int

  static let fields: [String: Field<WatchmanMail>] = [
    "base_url": .text { $0.baseURL },
    "link": .text { "\($0.baseURL)/" },
    "is_back": .flag { $0.isBack },
    "minutes": .integer { $0.minutes },
    "alerts": .integer { $0.alerts },
  ]
}
