/// Shortens CSS without changing its meaning.
enum CSSMinifier {
  /// Removes comments and insignificant white space; strings stay as they are.
  static func compact(_ css: String) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(css.utf8.count)
    var rest = Array(css.utf8)[...]
    var hasGap = false
    while let byte = rest.first {
      if byte == slash, rest.dropFirst().first == star {
        rest = afterComment(rest)
        hasGap = true
      } else if spaces.contains(byte) {
        rest.removeFirst()
        hasGap = true
      } else {
        if hasGap, let last = result.last, !opening.contains(last), !separators.contains(byte) {
          result.append(UInt8(ascii: " "))
        }
        hasGap = false
        // The last declaration of a rule needs no semicolon.
        if byte == UInt8(ascii: "}"), result.last == UInt8(ascii: ";") { result.removeLast() }
        let token = quotes.contains(byte) ? string(rest) : rest.prefix(1)
        result += token
        rest = rest.dropFirst(token.count)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let slash = UInt8(ascii: "/")
  private static let star = UInt8(ascii: "*")
  private static let backslash = UInt8(ascii: "\\")
  private static let quotes: [UInt8] = Array("\"'".utf8)
  private static let spaces: [UInt8] = Array(" \t\r\n\u{0C}".utf8)
  /// A space around these is insignificant. Before `:`, around `+` and before `(` it may be
  /// significant.
  private static let separators: [UInt8] = Array("{};,>~".utf8)
  /// A space after these is insignificant too: no selector has one after its colon.
  private static let opening: [UInt8] = separators + [UInt8(ascii: ":")]

  private static func afterComment(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = text.dropFirst(2)
    while let byte = rest.popFirst() {
      if byte == star, rest.first == slash { return rest.dropFirst() }
    }
    return rest
  }

  /// A quoted string from its first to its last quotation mark.
  private static func string(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var end = text.startIndex + 1
    while end < text.endIndex, text[end] != text[text.startIndex] {
      end += text[end] == backslash ? 2 : 1
    }
    return text[...min(end, text.endIndex - 1)]
  }
}
