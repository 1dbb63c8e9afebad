import Foundation

/// The units in which a user sees distances. `public/js/groups/geo.js` has the same rules; both are tested against
/// the same figures (Tests/EndToEnd/support/great_circles.json).
public enum LengthUnits: String, Sendable, CaseIterable {
  case metres, feet

  public static let metresAMile = 1609.344

  private static let feetAMetre = 3.280839895
  private static let feetAMile = 5280.0

  /// The length of a kilometre or a mile, in m.
  public var metresALongUnit: Double { self == .feet ? Self.metresAMile : 1000 }

  /// The unit of a number.
  public enum Unit: Sendable {
    case metres, kilometres, feet, miles
  }

  /// A distance in m as a number and its unit, no more precise than locations are.
  public func measured(_ metres: Double) -> (number: String, unit: Unit) {
    switch self {
    case .metres:
      return metres < 995
        ? (Self.short(metres), .metres) : (Self.long(metres / 1000), .kilometres)
    case .feet:
      let feet = metres * Self.feetAMetre
      return feet < 995 ? (Self.short(feet), .feet) : (Self.long(feet / Self.feetAMile), .miles)
    }
  }

  private static func short(_ value: Double) -> String {
    String(value < 99.5 ? Int(value.rounded()) : Int((value / 10).rounded()) * 10)
  }

  private static func long(_ value: Double) -> String {
    if value < 9.95 { return String(format: "%.1f", value) }
    let digits = String(Int(value.rounded()))
    // "12345" as "12,345".
    var output = ""
    for (position, digit) in digits.enumerated() {
      if position > 0, (digits.count - position) % 3 == 0 { output.append(",") }
      output.append(digit)
    }
    return output
  }
}
