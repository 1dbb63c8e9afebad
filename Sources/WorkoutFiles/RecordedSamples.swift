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

  /// In thousandths of the kind's unit, with `missing` where no value was measured.
  private let series: [[Int64]]

  /// A second without a value, in thousandths.
  public static let missing = Int64.min

  /// No samples.
  public init() {
    self.init(thousandths: [:])
  }

  /// Normalizes samples; values that are not finite become nil.
  public init(_ values: [Kind: [Double?]]) {
    self.init(
      thousandths: values.mapValues { values in
        values.map { value in
          guard let value, abs(value) < 1e12 else { return Self.missing }
          return Self.thousandths(value)
        }
      })
  }

  /// Normalizes samples in thousandths; `missing` stands for no value.
  public init(thousandths values: [Kind: [Int64]]) {
    let lengths = Kind.allCases.map { kind in
      (values[kind]?.lastIndex { $0 != Self.missing } ?? -1) + 1
    }
    let length = lengths.max() ?? 0
    series = Kind.allCases.map { kind in
      guard lengths[kind.rawValue] > 0, let values = values[kind] else { return [] }
      if values.count == length { return values }
      return values.prefix(length)
        + [Int64](repeating: Self.missing, count: max(0, length - values.count))
    }
  }

  /// The number of seconds.
  public var count: Int { series.map(\.count).max() ?? 0 }

  public var isEmpty: Bool { count == 0 }

  /// The values of one kind: `count` values, or none.
  public subscript(kind: Kind) -> [Double?] {
    series[kind.rawValue].map { $0 == Self.missing ? nil : Double($0) / 1000 }
  }

  /// The value of one kind in one second.
  public subscript(kind: Kind, second: Int) -> Double? {
    let values = series[kind.rawValue]
    guard values.indices.contains(second), values[second] != Self.missing else { return nil }
    return Double(values[second]) / 1000
  }

  /// The values of one kind in thousandths of its unit: `count` values, `missing` where none was
  /// measured, or none at all.
  public func thousandths(of kind: Kind) -> [Int64] { series[kind.rawValue] }

  /// The mean and the maximum of one kind; nil without values.
  public func figures(_ kind: Kind) -> (mean: Double, largest: Double)? {
    var (sum, count, largest) = (0.0, 0, -Double.infinity)
    for value in series[kind.rawValue] where value != Self.missing {
      let value = Double(value) / 1000
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
    return Double(thousandths(value)) / 1000
  }

  /// A number below 10^15 in thousandths, rounded to the nearest, halves away from zero.
  public static func thousandths(_ value: Double) -> Int64 {
    // `rounded()` is a call of the C library, which takes longer than all of this.
    let scaled = value * 1000
    let whole = Int64(scaled)
    let rest = scaled - Double(whole)
    return rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
  }
}
