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
