import Foundation

/// The scale at the side of a chart: two or three steps of 1, 2 or 5 times a power of ten that hold
/// all values.
struct ChartScale: Equatable {
  private(set) var low: Double
  private(set) var high: Double
  let step: Double

  init(_ range: ClosedRange<Double>) {
    var (power, factor) = (1.0, 0)
    let factors = [1.0, 2, 5]
    func steps(_ step: Double) -> Double {
      (range.upperBound / step).rounded(.up) - (range.lowerBound / step).rounded(.down)
    }
    while steps(power * factors[factor]) > 3 {
      factor += 1
      if factor == factors.count { (power, factor) = (power * 10, 0) }
    }
    step = power * factors[factor]
    low = (range.lowerBound / step).rounded(.down) * step
    high = (range.upperBound / step).rounded(.up) * step
    // A flat line lies in the middle; nothing that is measured is less than zero.
    if high - low < 2 * step, low >= step { low -= step }
    while high - low < 2 * step { high += step }
  }

  /// Where the lines of the grid are, from the lowest one up.
  var lines: [Double] {
    (0...Int(((high - low) / step).rounded())).map { low + Double($0) * step }
  }

  /// How far a value is from the top of a chart of this height.
  func depth(of value: Double, height: Int) -> Int {
    Int(((high - value) / (high - low) * Double(height)).rounded())
  }
}

/// The scale below a chart: at most five times of the workout, beginning with zero.
struct ChartTimes: Equatable {
  enum Unit: Int {
    case seconds = 1
    case minutes = 60
    case hours = 3600
  }

  let unit: Unit
  /// Whole units.
  let marks: [Int]
  private let seconds: Int

  init(seconds: Int) {
    self.seconds = max(1, seconds)
    unit = seconds < 150 ? .seconds : seconds < 3 * 3600 ? .minutes : .hours
    let steps = unit == .hours ? [1, 2, 3, 6, 12, 24] : [1, 2, 5, 10, 15, 20, 30, 60]
    let whole = self.seconds / unit.rawValue
    let step = steps.first { whole / $0 <= 4 } ?? 60
    marks = Array(stride(from: 0, through: whole, by: step))
  }

  /// How far from the left edge a mark stands, in hundredths of the width.
  func percent(of mark: Int) -> Double {
    (Double(mark * unit.rawValue) / Double(seconds) * 1000).rounded() / 10
  }
}
