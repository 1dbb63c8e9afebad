import Core
import Web

/// Why a requested check-in was not recorded, as counted in `/metrics`.
enum CheckInFailure: String, CaseIterable {
  /// The name or the contact is missing or invalid.
  case details
  /// A moment or a day that is not accepted.
  case notToday = "not_today"
  /// Too many requests from one address.
  case tooMany = "too_many"
  /// The link in a mail has expired.
  case linkEnded = "link_ended"
  /// The database failed, or another error that the user did not cause.
  case error

  private static let name = "pairspot_check_in_failures_total"

  private var series: String { "\(Self.name){reason=\"\(rawValue)\"}" }

  func count(in metrics: Metrics) { metrics.count(series) }

  /// The reason for which a form is shown again.
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

  /// Runs `body`, which records a check-in, and counts the failure if it throws.
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

  /// One counter per reason, starting at 0.
  static func counters(of metrics: Metrics) -> [Counter] {
    allCases.map { reason in
      Counter(
        name, "Requested check-ins that were not recorded, by reason.",
        label: ("reason", reason.rawValue)
      ) { metrics.value(of: reason.series) }
    }
  }
}
