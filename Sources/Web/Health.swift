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

/// A number for `/metrics` that goes up and down, read when it is asked for.
public struct Gauge: Sendable {
  public let name: String
  public let value: @Sendable (Instant) throws -> Int

  public init(_ name: String, value: @escaping @Sendable (Instant) throws -> Int) {
    self.name = name
    self.value = value
  }
}

/// A number for `/metrics` that only grows, read when it is asked for. Those of one name stand
/// together and differ in their label.
public struct Counter: Sendable {
  public let name: String
  /// `result="sent"`; nil where the name says all.
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
