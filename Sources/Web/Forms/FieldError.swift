/// A sentence about one field: the key of a text and what stands in it.
public struct FieldError: Equatable, Sendable {
  public let key: String
  public let parameters: [String: String]

  public init(_ key: String, _ parameters: [String: String] = [:]) {
    self.key = key
    self.parameters = parameters
  }

  /// What to say of a field that was left empty: each has words of its own, so that a list of
  /// several says which ones.
  public static func empty(_ field: String) -> FieldError { FieldError("error.\(field)_empty") }
}

extension FieldError {
  /// The sentence in the reader's language.
  public func text(_ context: Context) -> String { context.text(key, parameters) }
}

extension [String: FieldError] {
  /// The sentences in the reader's language, by field.
  public func texts(_ context: Context) -> [String: String] {
    mapValues { $0.text(context) }
  }
}
