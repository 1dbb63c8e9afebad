import Core

/// The last place that a user shared with a group.
public struct SharedPlace: Sendable, Equatable {
  /// In degrees (WGS 84).
  let latitude: Double
  let longitude: Double
  let at: Instant

  public init(latitude: Double, longitude: Double, at: Instant) {
    self.latitude = latitude
    self.longitude = longitude
    self.at = at
  }

  /// A map of the place, which a contact may open.
  var link: String {
    let place = "\(latitude)/\(longitude)"
    return "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=16/\(place)"
  }
}
