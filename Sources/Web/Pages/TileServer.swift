/// Where maps get their tiles, when the operator has named somebody (`PAIRSPOT_TILE_URL`).
public struct TileServer: Sendable, Equatable {
  /// "https://tiles.example/{z}/{x}/{y}.png"; {s} stands for one of several hosts.
  public let url: String
  /// What pages may load pictures from besides our own (CSP, `img-src`): "https://tiles.example".
  let origin: String
  /// Whom the map has to name, nil for nobody that is known.
  public let credit: String?

  /// Nil for what is no address of tiles, or would say something else in a header.
  public init?(_ url: String) {
    let schemes = ["https://", "http://"]
    guard let scheme = schemes.first(where: url.hasPrefix),
      ["{z}", "{x}", "{y}"].allSatisfy(url.contains),
      url.utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"\"'<>;,\\".utf8.contains($0) })
    else { return nil }
    let host = url.dropFirst(scheme.count).prefix { $0 != "/" }.lowercased()
    // One of several hosts is a whole name to the left: {s}.tiles.example.
    let plain = host.hasPrefix("{s}.") ? host.dropFirst(4) : host[...]
    guard !plain.isEmpty,
      plain.utf8.allSatisfy({
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
          || ".-:[]".utf8.contains($0)
      })
    else { return nil }
    self.url = url
    origin = scheme + (plain.count < host.count ? "*." : "") + plain
    credit = plain.hasSuffix("openstreetmap.org") ? "© OpenStreetMap" : nil
  }
}
