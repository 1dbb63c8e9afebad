/// Who hears of a change: those whose streams nginx has joined to this name.
///
/// Nobody outside ever names one: a handler that has checked who asks leads nginx to it.
public struct LiveChannel: Hashable, Sendable {
  /// Lower-case letters, digits, hyphens and dots.
  public let name: String

  /// Nil for what can't stand in nginx's addresses (deploy/nginx) as it is.
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

  /// Where nginx keeps the stream of who listens to two channels at once: what a handler answers
  /// as `X-Accel-Redirect`.
  public static func stream(_ first: LiveChannel, _ second: LiveChannel) -> String {
    "/live/\(first.name)/\(second.name)"
  }
}
