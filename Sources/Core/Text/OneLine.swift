import Foundation

extension String {
  /// The text as a one-line field stores it: NFC, control characters and line breaks replaced by
  /// spaces, trimmed (docs/developer/pages-and-forms.md#limits-of-fields).
  public var asOneLine: String {
    let plain = String(
      String.UnicodeScalarView(
        composed.unicodeScalars.map { scalar in
          scalar.isControlOrLineBreak ? " " : scalar
        }))
    return plain.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The text as a multi-line field stores it: NFC, line breaks as "\n", other control characters
  /// replaced by spaces, trimmed.
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
  /// Whether this is a control character, a line or paragraph separator, or a mark that changes the
  /// text direction, which could disguise a name.
  fileprivate var isControlOrLineBreak: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
