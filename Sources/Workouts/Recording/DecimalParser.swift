/// Parses numbers as users type them.
enum DecimalParser {
  /// Accepts "12.5", "12,5" and both in the full-width characters of a Chinese keyboard; ignores
  /// whitespace. Nil for anything else, for too many digits, and for "1,250", which is ambiguous.
  static func decimal(_ text: String) -> Double? {
    let plain = plain(text)
    let parts = plain.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy(isDigits), parts[0].count <= 9,
      !text.contains(where: { $0 == "," || $0 == "\u{FF0C}" }) || parts.last?.count != 3
    else { return nil }
    return Double(plain)
  }

  /// An unsigned integer of at most nine digits.
  static func whole(_ text: String) -> Int? {
    let plain = plain(text)
    return isDigits(plain[...]) && plain.count <= 9 ? Int(plain) : nil
  }

  private static func isDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { 48...57 ~= $0 }
  }

  /// The text with ASCII digits and a decimal point.
  private static func plain(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars where !scalar.properties.isWhitespace {
      switch scalar {
      case "\u{FF10}"..."\u{FF19}":
        result.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value - 0xFF10) + 48))
      case ",", "\u{FF0C}", "\u{FF0E}": result += "."
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
