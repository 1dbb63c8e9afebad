import Foundation
import Glibc
import Logging

/// A line of nginx's error log without the details of a request: an address may contain a token,
/// and the client is private (docs/operator/monitoring.md).
struct NginxLine: Equatable {
  let level: Logger.Level
  let message: String

  /// Nil for a line that is not nginx's own: the rest of one broken by a line feed in an address.
  init?(_ line: String) {
    guard let open = line.firstIndex(of: "["), let close = line[open...].firstIndex(of: "]"),
      line[..<open].allSatisfy({ $0.isNumber || "/: ".contains($0) }) || line.hasPrefix("nginx: ["),
      let level = Self.levels[String(line[line.index(after: open)..<close])]
    else {
      guard let source = Self.sources.first(where: line.hasPrefix) else { return nil }
      (level, message) = (.error, source + Self.shortened(line.dropFirst(source.count)))
      return
    }
    var text = line[line.index(after: close)...].drop { $0 == " " }
    // The message follows the process, thread and connection numbers.
    if let end = text.firstRange(of: ": "), text[..<end.lowerBound].allSatisfy(Self.isOfNumbers) {
      text = text[end.upperBound...]
    }
    self.level = level
    guard text.first == "*", let end = text.firstIndex(of: " ") else {
      message = String(text[..<Self.client(in: text)])
      return
    }
    message = Self.shortened(text[text.index(after: end)...])
  }

  private static let levels: [String: Logger.Level] = [
    "emerg": .critical, "alert": .critical, "crit": .critical, "error": .error, "warn": .warning,
    "notice": .notice, "info": .info, "debug": .debug,
  ]

  /// The prefixes of messages from before nginx has a log, or of the programs that fail to start
  /// it.
  private static let sources = ["nginx: ", "setpriv: ", "setsid: "]

  private static func isOfNumbers(_ one: Character) -> Bool { one.isNumber || one == "#" }

  /// Where the description of the client and request begins.
  private static func client(in text: Substring) -> Substring.Index {
    text.firstRange(of: ", client: ")?.lowerBound ?? text.endIndex
  }

  /// The part of a message about a request that is safe to log: all before the first quotation
  /// mark, which may begin a path or a header, and the system's reason. A requested address may
  /// contain quotation marks, so text after one is never known to be nginx's own.
  private static func shortened(_ text: Substring) -> String {
    let ownPart = text[..<client(in: text)]
    guard let quote = ownPart.firstIndex(of: "\"") else { return String(ownPart) }
    return ownPart[..<quote] + "…" + reason(in: ownPart[quote...])
  }

  private static func reason(in text: Substring) -> String {
    guard let start = text.firstRange(of: " failed (")?.upperBound,
      let code = Int32(text[start...].prefix { $0.isNumber })
    else { return "" }
    return " failed (\(code): \(String(cString: strerror(code))))"
  }
}
