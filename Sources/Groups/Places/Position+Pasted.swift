import Core
import Foundation

extension Position {
  /// The longest text that is read, in bytes.
  static let maximumPastedSize = 2048

  /// The place in a pasted text: coordinates in degrees, a geo URI (RFC 5870), or a link of
  /// OpenStreetMap, Google Maps or Apple Maps. Nil if there are no coordinates in it, as in short
  /// links.
  init?(pasted text: String) {
    guard text.utf8.count <= Self.maximumPastedSize else { return nil }
    let text = text.asOneLine
    let candidates =
      if let link = URLComponents(string: text), let scheme = link.scheme?.lowercased() {
        scheme == "geo" ? Self.inGeoURI(link) : Self.inMapLink(link)
      } else {
        [text]
      }
    for case let place? in candidates.lazy.map(Self.init(coordinates:)) {
      self = place
      return
    }
    return nil
  }

  /// Latitude and longitude in degrees, such as "25.033, 121.565", "25,033 121,565" or
  /// "33.9° S 151.2° E".
  private init?(coordinates text: String) {
    let text = text.replacing("−", with: "-")
    let pattern =
      /([NS]?)\s?(-?\d+(?:[.,]\d+)?)\s?°?\s?([NS]?)(?:\s|[,;，]\s?)([EW]?)\s?(-?\d+(?:[.,]\d+)?)\s?°?\s?([EW]?)/
    guard text.utf8.count <= 100, let found = text.uppercased().wholeMatch(of: pattern)?.output,
      let latitude = Double(found.2.replacing(",", with: ".")),
      let longitude = Double(found.5.replacing(",", with: "."))
    else { return nil }
    self.init(
      latitude: [found.1, found.3].contains("S") ? -latitude : latitude,
      longitude: [found.4, found.6].contains("W") ? -longitude : longitude)
  }

  /// `geo:25.03,121.56;u=30`; Android writes `geo:0,0?q=25.03,121.56(Name)`.
  private static func inGeoURI(_ link: URLComponents) -> [String] {
    let named = link.queryItems?.first { $0.name == "q" }?.value
    return [named, link.path].compactMap {
      $0?.split(separator: /[;(]/).first.map(String.init)
    }
  }

  private static func inMapLink(_ link: URLComponents) -> [String] {
    var values: [String: String] = [:]
    for item in link.queryItems ?? [] { values[item.name] = item.value }
    var found: [String?] = []
    // Google Maps: the place, before the middle of the map.
    if let pin = link.path.components(separatedBy: "!3d").dropFirst().last {
      found.append(pin.split(separator: "!4d", maxSplits: 1).joined(separator: ",").upTo("!"))
    }
    if let latitude = values["mlat"], let longitude = values["mlon"] {
      found.append("\(latitude),\(longitude)")
    }
    found += ["ll", "coordinate", "q", "query", "destination", "daddr", "center"].map { values[$0] }
    // OpenStreetMap's `#map=17/25.03/121.56`.
    if let map = link.fragment?.split(separator: "map=").last?.upTo("&").split(separator: "/"),
      map.count == 3
    {
      found.append("\(map[1]),\(map[2])")
    }
    // Google Maps: `/@25.03,121.56,17z`.
    if let middle = link.path.split(separator: "/@").last?.split(separator: ","), middle.count > 2 {
      found.append("\(middle[0]),\(middle[1])")
    }
    return found.compactMap { $0 }
  }

  /// The address of this place on OpenStreetMap.
  var mapLink: String {
    "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=17/\(latitude)/\(longitude)"
  }
}

extension StringProtocol {
  /// The part before the first `end`; the whole if there is none.
  fileprivate func upTo(_ end: Character) -> String {
    String(prefix { $0 != end })
  }
}
