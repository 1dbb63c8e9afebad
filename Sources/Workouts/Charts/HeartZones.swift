/// Five heart rate zones as shares of a user's maximum: below 60, 70, 80 and 90 percent, and above.
/// The age is not asked for, so the maximum comes from the user's workouts. A maximum below 160
/// suggests easy workouts only, and one above 220 a measuring error; 190 is then used instead.
struct HeartZones: Equatable {
  static let count = 5
  static let plausible = 160.0...220.0
  static let assumed = 190.0

  /// The maximum heart rate, in beats per minute.
  let highest: Int
  /// Whether it was measured.
  let isMeasured: Bool

  init(highest known: Double?) {
    let usable = known.flatMap { Self.plausible.contains($0) ? $0 : nil }
    highest = Int((usable ?? Self.assumed).rounded())
    isMeasured = usable != nil
  }

  /// The lower bound of each zone except the first, in beats per minute.
  var lowerBounds: [Int] { [60, 70, 80, 90].map { (highest * $0 + 50) / 100 } }

  /// The longest time that a value counts if no other follows, in s.
  static let maximumSampleDuration = 30

  /// The time in each zone, in s: a value counts until the next one, the last one until `end`.
  func seconds(in heartRates: [Double?], until end: Int) -> [Int] {
    let lowerBounds = lowerBounds.map(Double.init)
    var seconds = [Int](repeating: 0, count: Self.count)
    var next = end
    for (second, rate) in heartRates.enumerated().reversed() {
      guard let rate else { continue }
      let zone = lowerBounds.lastIndex { rate >= $0 }.map { $0 + 1 } ?? 0
      seconds[zone] += min(Self.maximumSampleDuration, max(0, next - second))
      next = second
    }
    return seconds
  }
}
