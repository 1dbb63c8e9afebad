import Core
import Foundation

/// The answer of a command: lines for people, or JSON for scripts.
public protocol CommandAnswer: Encodable, Sendable {
  var lines: [String] { get }
}

extension CommandAnswer {
  /// The lines to print. As JSON it is one line, with names in `snake_case` and moments as RFC 3339
  /// has them.
  public func output(asJSON: Bool) throws -> [String] {
    guard asJSON else { return lines }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [String(decoding: try encoder.encode(self), as: UTF8.self)]
  }
}

extension Int {
  /// The number with a noun: "1 session", "2 sessions".
  func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

/// The answer of a command that lists things; in JSON an array.
public struct ListAnswer<Item: CommandAnswer>: CommandAnswer {
  public let items: [Item]
  /// The line for people if there are no items.
  let emptyLine: String

  public var lines: [String] { items.isEmpty ? [emptyLine] : items.flatMap(\.lines) }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(items)
  }
}

extension Instance {
  /// Opens an instance for a command. Its security events go to the log as those of requests do; in
  /// production to standard error, since standard output is for the command's output.
  static func forCommand(_ configuration: Configuration) throws -> Instance {
    var options = Options()
    options.securityLogDescriptor =
      configuration.isDevelopment ? configuration.securityLog() : STDERR_FILENO
    return try Instance(configuration, options: options)
  }
}
