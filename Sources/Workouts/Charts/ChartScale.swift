/// The vertical scale of a chart: from slightly below the lowest value to the highest, with two to
/// four lines at round steps: 1, 2, 4 and 5, from ten on 1, 2, 2.5 and 5 times a power of ten.
struct ChartScale: Equatable {
  let low: Double
  let high: Double
  let step: Double

  init(_ range: ClosedRange<Double>) {
    let span = range.upperBound - range.lowerBound
    if span < 2 {
      // A flat line is in the middle; no measured value is below zero.
      low = max(0, range.lowerBound - 1)
      high = max(low + 2, range.upperBound)
    } else {
      low = max(0, range.lowerBound - span / 5)
      high = range.upperBound
    }
    var (power, factor) = (1.0, 0)
    // Half a watt is not a useful step; from 2 to 5 a chart might be left with a single line.
    func factors() -> [Double] { power > 1 ? [1, 2, 2.5, 5] : [1, 2, 4, 5] }
    while Self.count(power * factors()[factor], low, high) > 4 {
      factor += 1
      if factor == factors().count { (power, factor) = (power * 10, 0) }
    }
    step = power * factors()[factor]
  }

  private static func count(_ step: Double, _ low: Double, _ high: Double) -> Double {
    (high / step).rounded(.down) - (low / step).rounded(.up) + 1
  }

  /// The values of the grid lines, ascending.
  var lines: [Double] {
    let first = (low / step).rounded(.up)
    return (0..<Int(Self.count(step, low, high))).map { (first + Double($0)) * step }
  }

  /// The distance of a value from the top of a chart of this height.
  func depth(of value: Double, height: Int) -> Int {
    Int(((high - value) / (high - low) * Double(height)).rounded())
  }
}

/// The horizontal scale of a chart: at most five times of the workout, beginning with zero.
struct ChartTimes: Equatable {
  enum Unit: Int {
    case seconds = 1
    case minutes = 60
    case hours = 3600
  }

  let unit: Unit
  /// In whole units.
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

  /// The distance of a mark from the left edge, in percent of the width.
  func percent(of mark: Int) -> Double {
    (Double(mark * unit.rawValue) / Double(seconds) * 1000).rounded() / 10
  }
}
