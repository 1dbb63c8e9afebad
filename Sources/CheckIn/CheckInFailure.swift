import Core
import Web

/// Why a check-in that was asked for was not recorded, as `/metrics` counts it.
enum CheckInFailure: String, CaseIterable {
  /// The name or the contact is missing or wrong.
  case details
  /// A moment or a day that is not taken.
  case notToday = "not_today"
  /// Too many from one address.
  case tooMany = "too_many"
  /// The link in a mail has ended.
  case linkEnded = "link_ended"
  /// The database failed, or anything else that is not the person's doing.
  case error

  private static let name = "pairspot_check_in_failures_total"

  private var series: String { "\(Self.name){reason=\"\(rawValue)\"}" }

  func count(in metrics: Metrics) { metrics.count(series) }

  /// The reason of a form that is shown again.
  static func of(_ errors: [String: FieldError], status: Int) -> CheckInFailure {
    if status == 429 { return .tooMany }
    return errors["date"] != nil || errors["tapped_at"] != nil ? .notToday : .details
  }

  private static func of(_ error: any Error) -> CheckInFailure {
    guard let problem = error as? Problem else { return .error }
    switch problem.status.code {
    case 429: return .tooMany
    case 422: return problem.code == Problem(.notToday).code ? .notToday : .details
    default: return .error
    }
  }

  /// Does what records a check-in, and counts it when it throws.
  static func counting<Result>(
    in metrics: Metrics, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      of(error).count(in: metrics)
      throw error
    }
  }

  /// One counter a reason, from 0 on.
  static func counters(of metrics: Metrics) -> [Counter] {
    allCases.map { reason in
      Counter(name, label: ("reason", reason.rawValue)) { metrics.value(of: reason.series) }
    }
  }
}
