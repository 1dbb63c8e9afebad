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
    var lengths: [Int] = []
    var series: [[Double?]] = []
    for kind in Kind.allCases {
      var (values, length) = (values[kind] ?? [], 0)
      for place in values.indices {
        values[place] = values[place].flatMap(Self.rounded)
        if values[place] != nil { length = place + 1 }
      }
      series.append(values)
      lengths.append(length)
    }
    let length = lengths.max() ?? 0
    self.series = zip(series, lengths).map { values, measured in
      guard measured > 0 else { return [] }
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
