import Foundation

extension String {
  /// The text as a one-line field keeps it: NFC, control characters and line breaks as spaces,
  /// trimmed (docs/developer/pages-and-forms.md#limits-of-fields).
  public var asOneLine: String {
    let plain = String(
      String.UnicodeScalarView(
        composed.unicodeScalars.map { scalar in
          scalar.isControlOrLineBreak ? " " : scalar
        }))
    return plain.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The text as a field of several lines keeps it: NFC, line breaks as "\n", other control
  /// characters as spaces, trimmed.
  public var asParagraphs: String {
    let unified = replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    let plain = String(
      String.UnicodeScalarView(
        unified.composed.unicodeScalars.map { scalar in
          scalar != "\n" && scalar.isControlOrLineBreak ? " " : scalar
        }))
    return plain.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

extension Unicode.Scalar {
  /// Control characters, line and paragraph separators, and the marks that turn the direction of
  /// what follows, which a name could use to disguise itself.
  fileprivate var isControlOrLineBreak: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
