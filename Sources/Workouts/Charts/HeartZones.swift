/// Five zones of the heart rate, as shares of a person's highest: below 60, 70, 80 and 90 hundredths,
/// and above. Nobody is asked for their age, so the highest is what their workouts know of. A highest
/// of less than 160 tells more likely of easy workouts than of a heart, and one above 220 of a belt
/// that slipped: then 190 stands in for it.
struct HeartZones: Equatable {
  static let count = 5
  static let plausible = 160.0...220.0
  static let assumed = 190.0

  /// What the zones are shares of, in beats a minute.
  let highest: Int
  /// Whether it was measured.
  let isMeasured: Bool

  init(highest known: Double?) {
    let usable = known.flatMap { Self.plausible.contains($0) ? $0 : nil }
    highest = Int((usable ?? Self.assumed).rounded())
    isMeasured = usable != nil
  }

  /// The first beat of each zone but the first.
  var borders: [Int] { [60, 70, 80, 90].map { (highest * $0 + 50) / 100 } }

  /// The longest that a value counts when no other follows, in s.
  static let longestHold = 30

  /// The time in each zone, in s: a value counts until the next one, the last until `end`.
  func seconds(in heartRates: [Double?], until end: Int) -> [Int] {
    let borders = borders.map(Double.init)
    var seconds = [Int](repeating: 0, count: Self.count)
    var next = end
    for (second, rate) in heartRates.enumerated().reversed() {
      guard let rate else { continue }
      let zone = borders.lastIndex { rate >= $0 }.map { $0 + 1 } ?? 0
      seconds[zone] += min(Self.longestHold, max(0, next - second))
      next = second
    }
    return seconds
  }
}
