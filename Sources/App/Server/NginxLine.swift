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
      guard let teller = Self.tellers.first(where: line.hasPrefix) else { return nil }
      (level, message) = (.error, teller + Self.shortened(line.dropFirst(teller.count)))
      return
    }
    var words = line[line.index(after: close)...].drop { $0 == " " }
    // The message follows the process, thread and connection numbers.
    if let end = words.firstRange(of: ": "), words[..<end.lowerBound].allSatisfy(Self.isOfNumbers) {
      words = words[end.upperBound...]
    }
    self.level = level
    guard words.first == "*", let end = words.firstIndex(of: " ") else {
      message = String(words[..<Self.client(in: words)])
      return
    }
    message = Self.shortened(words[words.index(after: end)...])
  }

  private static let levels: [String: Logger.Level] = [
    "emerg": .critical, "alert": .critical, "crit": .critical, "error": .error, "warn": .warning,
    "notice": .notice, "info": .info, "debug": .debug,
  ]

  /// The prefixes of messages from before nginx has a log, or of the programs that fail to start
  /// it.
  private static let tellers = ["nginx: ", "setpriv: ", "setsid: "]

  private static func isOfNumbers(_ one: Character) -> Bool { one.isNumber || one == "#" }

  /// Where the description of the client and request begins.
  private static func client(in words: Substring) -> Substring.Index {
    words.firstRange(of: ", client: ")?.lowerBound ?? words.endIndex
  }

  /// The part of a message about a request that is safe to log: all before the first quotation
  /// mark, which may begin a path or a header, and the system's reason. A requested address may
  /// contain quotation marks, so text after one is never known to be nginx's own.
  private static func shortened(_ words: Substring) -> String {
    let said = words[..<client(in: words)]
    guard let quote = said.firstIndex(of: "\"") else { return String(said) }
    return said[..<quote] + "…" + reason(in: said[quote...])
  }

  private static func reason(in words: Substring) -> String {
    guard let start = words.firstRange(of: " failed (")?.upperBound,
      let code = Int32(words[start...].prefix { $0.isNumber })
    else { return "" }
    return " failed (\(code): \(String(cString: strerror(code))))"
  }
}
