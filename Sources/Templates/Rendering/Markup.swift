/// Trusted HTML that a template writes as it is.
public struct Markup: Sendable, Equatable {
  /// UTF-8.
  public let bytes: [UInt8]

  /// HTML from a trusted source: never a user's text.
  public init(trusted bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// HTML from a trusted source: never a user's text.
  public init(trusted text: String) {
    bytes = Array(text.utf8)
  }

  /// A text made safe for an element's content or a quoted attribute.
  public init(escaping text: String) {
    var output = Output()
    output.append(escaping: text)
    bytes = output.bytes
  }

  /// Whether there is nothing to write.
  public var isEmpty: Bool {
    bytes.isEmpty
  }
}
