import Core

/// The name of a time series of `/metrics`, and what it is.
public struct MetricName: Sendable {
  public let name: String
  /// One sentence for operators, with the unit.
  public let help: String
  /// `result="sent"`; nil if the name says all.
  public let label: String?

  /// `label` is a name and its value, neither of which needs escaping. Series of one name differ in
  /// the label's value, and have the same help.
  public init(_ name: String, _ help: String, label: (name: String, value: String)? = nil) {
    self.name = name
    self.help = help
    self.label = label.map { "\($0.name)=\"\($0.value)\"" }
  }

  /// The name with its label.
  var series: String { name + (label.map { "{\($0)}" } ?? "") }
}

/// A metric of `/metrics` that goes up and down, read on request.
public struct Gauge: Sendable {
  public let metric: MetricName
  public let value: @Sendable (Instant) throws -> Int

  /// See `MetricName` for the name, the help and the label.
  public init(
    _ name: String, _ help: String, label: (name: String, value: String)? = nil,
    value: @escaping @Sendable (Instant) throws -> Int
  ) {
    metric = MetricName(name, help, label: label)
    self.value = value
  }
}

/// A metric of `/metrics` that only grows, read on request.
public struct Counter: Sendable {
  public let metric: MetricName
  public let value: @Sendable () throws -> Int

  /// See `MetricName` for the name, the help and the label.
  public init(
    _ name: String, _ help: String, label: (name: String, value: String)? = nil,
    value: @escaping @Sendable () throws -> Int
  ) {
    metric = MetricName(name, help, label: label)
    self.value = value
  }
}
