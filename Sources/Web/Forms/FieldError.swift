import Core

/// An error of one field: the key of a text and its parameters.
public struct FieldError: Equatable, Sendable {
  public let key: String
  public let parameters: [String: String]

  public init(_ key: String, _ parameters: [String: String] = [:]) {
    self.key = key
    self.parameters = parameters
  }

  /// The error of an empty field. Each field has a text of its own, so that a list of several
  /// errors names the fields.
  public static func empty(_ field: String) -> FieldError { FieldError("error.\(field)_empty") }

  /// The error of a text above its limit; nil for others.
  public static func tooLong(_ text: String, _ limits: FieldLimits) -> FieldError? {
    let excess = limits.excess(of: text)
    guard excess > 0 else { return nil }
    return FieldError(
      "error.text_long", ["most": String(limits.characters), "over": String(excess)])
  }
}

extension FieldError {
  /// The text in the viewer's language.
  public func text(_ context: Context) -> String { context.text(key, parameters) }
}

extension [String: FieldError] {
  /// The texts in the viewer's language, by field.
  public func texts(_ context: Context) -> [String: String] {
    mapValues { $0.text(context) }
  }
}
