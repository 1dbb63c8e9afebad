import Core
import Templates

/// A problem of an instance, for its operator: a text of the catalogues. It names no person, since
/// it is public.
public struct HealthProblem: Sendable, Equatable {
  public let key: String
  public let values: [String: String]
  /// The text's `{since}`.
  public let since: Instant?

  public init(_ key: String, _ values: [String: String] = [:], since: Instant? = nil) {
    self.key = key
    self.values = values
    self.since = since
  }

  /// The text in a language, with moments formatted by `moment`.
  public func text(
    _ catalogues: Catalogues, in language: Language, moment: (Instant) -> String
  ) -> String {
    var values = values
    values["since"] = since.map(moment)
    return catalogues.text(key, in: language, values)
  }
}

/// A health check; each feature and tool registers its own.
public struct HealthCheck: Sendable {
  public let name: String
  /// The problem; nil if there is none.
  public let problem: @Sendable (Instant) throws -> HealthProblem?

  public init(_ name: String, problem: @escaping @Sendable (Instant) throws -> HealthProblem?) {
    self.name = name
    self.problem = problem
  }
}

/// A metric of `/metrics` that goes up and down, read on request.
public struct Gauge: Sendable {
  public let name: String
  public let value: @Sendable (Instant) throws -> Int

  public init(_ name: String, value: @escaping @Sendable (Instant) throws -> Int) {
    self.name = name
    self.value = value
  }
}

/// A metric of `/metrics` that only grows, read on request. Counters of one name differ in their
/// label.
public struct Counter: Sendable {
  public let name: String
  /// `result="sent"`; nil if the name says all.
  public let label: String?
  public let value: @Sendable () throws -> Int

  /// `label` is a name and its value, neither of which needs escaping.
  public init(
    _ name: String, label: (name: String, value: String)? = nil,
    value: @escaping @Sendable () throws -> Int
  ) {
    self.name = name
    self.label = label.map { "\($0.name)=\"\($0.value)\"" }
    self.value = value
  }
}
