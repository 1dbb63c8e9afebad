import WorkoutFiles

/// The best stretches of one workout, found in its samples (docs/developer/workouts.md#bests).
struct WorkoutBests: Equatable {
  /// Seconds of the stretch with the highest average power.
  static let powerSeconds = 20 * 60
  /// Seconds without a value that the last one stands for: files may have one every 5 s.
  private static let held = 30

  /// The highest average power of 20 minutes, in W. A value holds for 30 s at most; other seconds
  /// without one count as 0.
  let power: Double?
  /// The shortest times over 2,000 m and 5,000 m, in ms.
  let time2000: Int64?
  let time5000: Int64?

  init(_ samples: RecordedSamples) {
    power = Self.power(samples.thousandths(of: .power))
    let distances = samples.thousandths(of: .distance)
    time2000 = Self.time(over: 2000, distances)
    time5000 = Self.time(over: 5000, distances)
  }

  private static func power(_ measured: [Int64]) -> Double? {
    guard measured.count >= powerSeconds else { return nil }
    var (last, age) = (Int64(0), 0)
    let watts = measured.map { value in
      (last, age) = value == RecordedSamples.missing ? (last, age + 1) : (max(0, value), 0)
      return age > held ? 0 : last
    }
    var sum = watts.prefix(powerSeconds).reduce(0, +)
    var best = sum
    for second in powerSeconds..<watts.count {
      sum += watts[second] - watts[second - powerSeconds]
      best = max(best, sum)
    }
    return best > 0 ? Double(best) / Double(powerSeconds) / 1000 : nil
  }

  /// The shortest number of whole seconds in which the distance grows by this much. Distances
  /// that become smaller are left out.
  private static func time(over metres: Int64, _ distances: [Int64]) -> Int64? {
    var marks: [(second: Int, distance: Int64)] = [(0, 0)]
    var first = 0
    var best: Int?
    for (second, distance) in distances.enumerated() {
      guard distance > marks[marks.count - 1].distance else {
        // Standing still: the stretch may begin as late as here.
        if distance == marks[marks.count - 1].distance {
          marks[marks.count - 1].second = second + 1
        }
        continue
      }
      marks.append((second + 1, distance))
      while distance - marks[first].distance >= metres * 1000 {
        best = min(best ?? .max, second + 1 - marks[first].second)
        first += 1
      }
    }
    return best.map { Int64($0) * 1000 }
  }
}
