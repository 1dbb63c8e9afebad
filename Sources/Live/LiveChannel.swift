/// A channel of live events: nginx connects streams to it by name.
///
/// Clients never name a channel: a handler that has authorized the viewer redirects nginx to it.
public struct LiveChannel: Hashable, Sendable {
  /// ASCII lower case, digits, hyphens and dots.
  public let name: String

  /// Nil for a name that can't be used in nginx's addresses (deploy/nginx) unencoded.
  public init?(_ name: String) {
    let isPlain = name.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    guard isPlain, 1...100 ~= name.utf8.count else { return nil }
    self.name = name
  }

  /// The name of the channel's events in streams.
  var event: String {
    if name.hasPrefix("feed") { return "posts" }
    if name.hasPrefix("inbox") { return "inbox" }
    return name.hasPrefix("c.") ? "conversation" : "group"
  }

  /// The nginx location of a stream of two channels, for `X-Accel-Redirect`.
  public static func stream(_ first: LiveChannel, _ second: LiveChannel) -> String {
    "/live/\(first.name)/\(second.name)"
  }
}
