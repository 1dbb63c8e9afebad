import Foundation

/// A point on the earth, in degrees (WGS 84).
public struct Position: Sendable, Equatable {
  /// −90…90.
  public let latitude: Double
  /// −180…180.
  public let longitude: Double

  /// Nil for invalid coordinates: not finite, or out of range.
  public init?(latitude: Double, longitude: Double) {
    guard latitude.isFinite, longitude.isFinite, abs(latitude) <= 90, abs(longitude) <= 180
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The mean radius of the earth, in m (IUGG).
  private static let radius = 6_371_008.8

  /// The distance to another point on a sphere, in m (haversine: exact for small distances, and off
  /// by at most 0.6 % because of the shape of the earth).
  public func distance(to other: Position) -> Double {
    let (from, to) = (latitude * .pi / 180, other.latitude * .pi / 180)
    let halfLatitude = sin((to - from) / 2)
    let halfLongitude = sin((other.longitude - longitude) * .pi / 360)
    let chord =
      halfLatitude * halfLatitude + cos(from) * cos(to) * halfLongitude * halfLongitude
    return 2 * Self.radius * asin(min(1, chord.squareRoot()))
  }

  /// The direction to another point, in degrees from north by east, 0..<360.
  public func bearing(to other: Position) -> Double {
    let (from, to) = (latitude * .pi / 180, other.latitude * .pi / 180)
    let turn = (other.longitude - longitude) * .pi / 180
    let angle = atan2(
      sin(turn) * cos(to), cos(from) * sin(to) - sin(from) * cos(to) * cos(turn))
    let degrees = (angle * 180 / .pi).truncatingRemainder(dividingBy: 360)
    // Slightly west of north is north: adding 360 may round to 360, which is not a valid bearing.
    let bearing = degrees < 0 ? degrees + 360 : degrees
    return bearing < 360 ? bearing : 0
  }
}

/// One of eight directions.
public enum CompassPoint: Int, Sendable, CaseIterable {
  case north = 0
  case northEast
  case east
  case southEast
  case south
  case southWest
  case west
  case northWest

  /// The nearest point to a bearing in degrees.
  public init(bearing: Double) {
    let turn = bearing.isFinite ? bearing.truncatingRemainder(dividingBy: 360) : 0
    let eighth = Int(((turn < 0 ? turn + 360 : turn) / 45).rounded()) % 8
    self = CompassPoint(rawValue: eighth) ?? .north
  }
}
