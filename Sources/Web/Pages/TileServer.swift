/// The map tile server, if the operator has configured one (`PAIRSPOT_TILE_URL`).
public struct TileServer: Sendable, Equatable {
  /// "https://tiles.example/{z}/{x}/{y}.png"; {s} is replaced by one of several hosts.
  public let url: String
  /// The origin from which pages may load pictures besides their own (CSP, `img-src`):
  /// "https://tiles.example".
  let origin: String
  /// The attribution that the map has to show; nil if unknown.
  public let credit: String?

  /// Nil if the text is not the address of a tile server, or would inject something into a header.
  public init?(_ url: String) {
    let schemes = ["https://", "http://"]
    guard let scheme = schemes.first(where: url.hasPrefix),
      ["{z}", "{x}", "{y}"].allSatisfy(url.contains),
      url.utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"\"'<>;,\\".utf8.contains($0) })
    else { return nil }
    let host = url.dropFirst(scheme.count).prefix { $0 != "/" }.lowercased()
    // The host's placeholder is a whole label on the left: {s}.tiles.example.
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
