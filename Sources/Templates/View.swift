/// A value that a template shows; it declares the names that the template may use.
///
/// ```swift
/// struct PostView: View {
///   let author: String
///   static let fields: [String: Field<Self>] = ["author": .text(\.author)]
/// }
/// ```
public protocol View: Sendable {
  /// The names that a template may use, each bound to a property. Make it a `static let`.
  ///
  /// The name `t` is reserved: `{{t.some.key}}` is a text of the catalogues.
  static var fields: [String: Field<Self>] { get }
}

/// A plain text in a list or a section: `{{#tags}}{{.}}{{/tags}}`.
extension String: View {
  public static let fields: [String: Field<Self>] = [".": .text { $0 }]
}

/// A plain number in a list or a section: `{{#years}}{{.}}{{/years}}`.
extension Int: View {
  public static let fields: [String: Field<Self>] = [".": .integer { $0 }]
}
