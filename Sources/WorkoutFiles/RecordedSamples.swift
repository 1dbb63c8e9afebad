/// What was measured, once a second: the value at place `i` belongs to the second that begins `i`
/// seconds after the start, pauses counted; nil where nothing was measured.
///
/// Always in one form, so that equal contents are equal values: numbers to thousandths, a kind
/// without any value empty, all others equally long, no end without a value in any of them.
public struct RecordedSamples: Sendable, Equatable {
  /// What can be measured.
  public enum Kind: Int, Sendable, CaseIterable {
    /// In W.
    case power
    /// In beats a minute.
    case heartRate
    /// In turns or strokes a minute.
    case cadence
    /// In km/h.
    case speed
    /// From the start on, in m.
    case distance
  }

  /// The most seconds that are kept: a day's.
  public static let most = 86_400

  private var series: [[Double?]]

  /// No samples.
  public init() {
    series = Kind.allCases.map { _ in [] }
  }

  /// Brings what was measured into its one form; values that are no finite number are nil.
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

  /// How many seconds there are.
  public var count: Int { series.map(\.count).max() ?? 0 }

  public var isEmpty: Bool { count == 0 }

  /// The values of one kind, `count` of them or none at all.
  public subscript(kind: Kind) -> [Double?] { series[kind.rawValue] }

  /// The mean and the largest of the values of one kind; nil without any.
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

  /// To thousandths; nil for what is no number that could have been measured.
  static func rounded(_ value: Double) -> Double? {
    guard value.isFinite, abs(value) < 1e12 else { return nil }
    let whole = (value * 1000).rounded()
    // Never a negative zero.
    return whole == 0 ? 0 : whole / 1000
  }
}
