/// A quantity in whole thousandths of its unit, so that sums are the same in whatever order they
/// are made.
public struct FixedPoint3: Hashable, Comparable, Sendable {
  /// How many thousandths.
  public let count: Int64

  public static let zero = FixedPoint3(count: 0)

  public init(count: Int64) {
    self.count = count
  }

  /// Rounds to the nearest thousandth; nil for what no quantity here can be.
  public init?(_ value: Double) {
    guard value.isFinite, abs(value) < 1e15 else { return nil }
    count = Int64((value * 1000).rounded())
  }

  /// In whole units and their decimals.
  public var value: Double { Double(count) / 1000 }

  public static func < (left: FixedPoint3, right: FixedPoint3) -> Bool { left.count < right.count }

  public static func + (left: FixedPoint3, right: FixedPoint3) -> FixedPoint3 {
    FixedPoint3(count: left.count + right.count)
  }

  public static func - (left: FixedPoint3, right: FixedPoint3) -> FixedPoint3 {
    FixedPoint3(count: left.count - right.count)
  }
}
