/// The values of one kind over a workout, as SVG paths. A day of seconds is drawn with as few
/// points as half an hour, so that a page stays small (docs/developer/design.md#speed).
struct WorkoutChart: Equatable {
  /// The target of a training from one second to another.
  struct TrainingGoal: Equatable {
    let from: Int
    let to: Int
    let value: Double
  }

  /// The size of the drawing, in its own units.
  static let width = 600
  static let height = 240
  /// The maximum number of points of a line.
  static let maximumPoints = 150

  let scale: ChartScale
  /// The line, interrupted where no value was measured.
  let line: String
  /// The same line, closed to the bottom.
  let area: String
  /// Empty if there is no target.
  let target: String
  /// The position of the maximum: percent of the width, and units from the top.
  let peakPercent: Double
  let peakDepth: Int

  /// `values` has one entry per second, over a time of `seconds` that is common to all charts of
  /// the page. Nil if no value was measured.
  init?(_ values: [Double?], seconds: Int, aims: [TrainingGoal] = []) {
    let seconds = max(seconds, values.count)
    let points = ChartPoints(values, seconds: seconds, maximum: Self.maximumPoints)
    guard let peak = points.peak else { return nil }
    let aims = aims.filter { $0.from < seconds && $0.to > $0.from }
    let all = points.values.compactMap { $0 } + aims.map(\.value)
    let scale = ChartScale((all.min() ?? 0)...(all.max() ?? 0))
    self.scale = scale
    var (line, area) = ("", "")
    for run in points.runs {
      let places = run.map { place, value in
        (x: points.x(place, width: Self.width), y: scale.depth(of: value, height: Self.height))
      }
      guard let first = places.first, let last = places.last else { continue }
      let path = places.map { "\($0.x) \($0.y)" }.joined(separator: " ")
      // A single point is a line of length zero: its round cap is visible.
      line += "M\(path)" + (places.count == 1 ? "h0" : "")
      if places.count > 1 {
        area += "M\(first.x) \(Self.height) \(path) \(last.x) \(Self.height)z"
      }
    }
    self.line = line
    self.area = area
    target = Self.path(of: aims, seconds: seconds, scale)
    peakPercent = Double(points.x(peak.place, width: 1000)) / 10
    peakDepth = scale.depth(of: peak.value, height: Self.height)
  }

  private static func path(of aims: [TrainingGoal], seconds: Int, _ scale: ChartScale) -> String {
    var path = ""
    var end = -1
    for aim in aims {
      let y = scale.depth(of: aim.value, height: height)
      // Consecutive stages are connected by a vertical line.
      path += aim.from == end ? "V\(y)" : "M\(aim.from * width / seconds) \(y)"
      path += "H\(min(aim.to, seconds) * width / seconds)"
      end = aim.to
    }
    return path
  }
}

/// Seconds combined to as many points as a drawing needs, or to rows of a table.
struct ChartPoints: Equatable {
  /// The mean of each interval; the interval with the maximum has that value. Nil where no value
  /// was measured.
  let values: [Double?]
  /// The point with the largest value; nil if no value was measured.
  let peak: (place: Int, value: Double)?

  init(_ measured: [Double?], seconds: Int, maximum: Int) {
    let count = max(1, min(seconds, maximum))
    var values: [Double?] = []
    values.reserveCapacity(count)
    var peak: (place: Int, value: Double)?
    for place in 0..<count {
      let from = min(measured.count, place * seconds / count)
      let to = min(measured.count, (place + 1) * seconds / count)
      let part = measured[from..<max(from, to)]
      values.append(Self.mean(part))
      if let largest = part.compactMap({ $0 }).max(), largest > peak?.value ?? -.infinity {
        peak = (place, largest)
      }
    }
    if let peak { values[peak.place] = peak.value }
    self.values = values
    self.peak = peak
  }

  /// The mean of the measured values; nil if there are none.
  static func mean(_ values: ArraySlice<Double?>) -> Double? {
    var (sum, count) = (0.0, 0)
    for case let value? in values {
      sum += value
      count += 1
    }
    return count > 0 ? sum / Double(count) : nil
  }

  /// The runs of consecutive points without a gap.
  var runs: [[(place: Int, value: Double)]] {
    var runs: [[(place: Int, value: Double)]] = []
    var isOpen = false
    for (place, value) in values.enumerated() {
      guard let value else {
        isOpen = false
        continue
      }
      if !isOpen { runs.append([]) }
      isOpen = true
      runs[runs.count - 1].append((place, value))
    }
    return runs
  }

  /// The centre of a point's interval.
  func x(_ place: Int, width: Int) -> Int { (2 * place + 1) * width / (2 * values.count) }

  static func == (left: ChartPoints, right: ChartPoints) -> Bool {
    left.values == right.values && left.peak?.place == right.peak?.place
  }
}
