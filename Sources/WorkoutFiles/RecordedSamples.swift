/// Samples, one per second: the value at index `i` belongs to the second that begins `i` seconds
/// after the start, including pauses; nil where no value was measured.
///
/// Normalized, so that equal contents are equal values: numbers are rounded to thousandths, a kind
/// without values is empty, all others have the same length, and the last second has a value of at
/// least one kind.
public struct RecordedSamples: Sendable, Equatable {
  /// The measured quantities.
  public enum Kind: Int, Sendable, CaseIterable {
    /// In W.
    case power
    /// In beats per minute.
    case heartRate
    /// In revolutions or strokes per minute.
    case cadence
    /// In km/h.
    case speed
    /// From the start, in m.
    case distance
  }

  /// The maximum number of seconds: a day.
  public static let maximumSeconds = 86_400

  private var series: [[Double?]]

  /// No samples.
  public init() {
    series = Kind.allCases.map { _ in [] }
  }

  /// Normalizes samples; values that are not finite become nil.
  public init(_ values: [Kind: [Double?]]) {
    let rounded = Kind.allCases.map { kind in
      (values[kind] ?? []).map { $0.flatMap(Self.rounded) }
    }
    let length =
      rounded.map { values in (values.lastIndex { $0 != nil } ?? -1) + 1 }.max() ?? 0
    series = rounded.map { values in
      guard values.contains(where: { $0 != nil }) else { return [] }
      return Array(values.prefix(length))
        + [Double?](repeating: nil, count: max(0, length - values.count))
    }
  }

  /// The number of seconds.
  public var count: Int { series.map(\.count).max() ?? 0 }

  public var isEmpty: Bool { count == 0 }

  /// The values of one kind: `count` values, or none.
  public subscript(kind: Kind) -> [Double?] { series[kind.rawValue] }

  /// The mean and the maximum of one kind; nil without values.
  public func figures(_ kind: Kind) -> (mean: Double, largest: Double)? {
    var (sum, count, largest) = (0.0, 0, -Double.infinity)
    for case let value? in self[kind] {
      sum += value
      count += 1
      largest = max(largest, value)
    }
    guard count > 0, let mean = Self.rounded(sum / Double(count)) else { return nil }
    return (mean, largest)
  }

  /// Rounds to thousandths; nil for values out of range.
  static func rounded(_ value: Double) -> Double? {
    guard value.isFinite, abs(value) < 1e12 else { return nil }
    let whole = (value * 1000).rounded()
    // Avoids negative zero.
    return whole == 0 ? 0 : whole / 1000
  }
}
