import Basics

/// Something that can be well or not: each feature and tool registers its own.
public struct HealthCheck: Sendable {
  public let name: String
  /// Nil while all is well, else a sentence for the operator.
  public let problem: @Sendable (Instant) throws -> String?

  public init(_ name: String, problem: @escaping @Sendable (Instant) throws -> String?) {
    self.name = name
    self.problem = problem
  }
}

/// A number for `/metrics` that is read when it is asked for.
public struct Gauge: Sendable {
  public let name: String
  public let value: @Sendable (Instant) throws -> Int

  public init(_ name: String, value: @escaping @Sendable (Instant) throws -> Int) {
    self.name = name
    self.value = value
  }
}
