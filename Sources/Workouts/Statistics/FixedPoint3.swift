/// A quantity in whole thousandths of its unit, so that sums don't depend on the order of addition.
public struct FixedPoint3: Hashable, Comparable, Sendable {
  /// The number of thousandths.
  public let count: Int64

  public static let zero = FixedPoint3(count: 0)

  public init(count: Int64) {
    self.count = count
  }

  /// Rounds to the nearest thousandth; nil for values out of range.
  public init?(_ value: Double) {
    guard value.isFinite, abs(value) < 1e15 else { return nil }
    count = Int64((value * 1000).rounded())
  }

  /// In units, with decimals.
  public var value: Double { Double(count) / 1000 }

  public static func < (left: FixedPoint3, right: FixedPoint3) -> Bool { left.count < right.count }

  public static func + (left: FixedPoint3, right: FixedPoint3) -> FixedPoint3 {
    FixedPoint3(count: left.count + right.count)
  }

  public static func - (left: FixedPoint3, right: FixedPoint3) -> FixedPoint3 {
    FixedPoint3(count: left.count - right.count)
  }
}
