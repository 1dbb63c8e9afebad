import Foundation

/// The body of one part, encoded so that every server passes it on unchanged (RFC 2045, section 6).
struct MIMEBody {
  private static let maximumLineLength = 76
  /// The longest line that may stay unencoded (RFC 5322, section 2.1.1).
  private static let maximumPlainLineLength = 998

  /// The value of `Content-Transfer-Encoding`.
  let encoding: String
  /// The encoded lines, each ending in CRLF.
  let text: String

  /// Chooses the most readable encoding: ASCII as it is, text with few other characters
  /// quoted-printable, the rest base64.
  init(_ content: String) {
    let lines = Self.lines(of: content)
    let bytes = content.utf8.count
    let foreign = content.utf8.count { $0 >= 0x80 || ($0 < 0x20 && $0 != 0x09 && $0 != 0x0A) }
    if foreign == 0 && lines.allSatisfy({ $0.utf8.count <= Self.maximumPlainLineLength }) {
      encoding = "7bit"
      text = lines.map { $0 + "\r\n" }.joined()
    } else if foreign * 6 < bytes {
      encoding = "quoted-printable"
      text = lines.map { Self.quotedPrintable($0) + "\r\n" }.joined()
    } else {
      encoding = "base64"
      let whole = Array(lines.map { $0 + "\r\n" }.joined().utf8)
      text = Self.base64Lines(whole)
    }
  }

  /// Padded base64 on one line.
  static func base64(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString()
  }

  private static func base64Lines(_ bytes: [UInt8]) -> String {
    let bytesOfLine = maximumLineLength / 4 * 3
    return stride(from: 0, to: bytes.count, by: bytesOfLine)
      .map { base64(Array(bytes[$0..<min($0 + bytesOfLine, bytes.count)])) + "\r\n" }
      .joined()
  }

  /// The lines of a text with any line ends; a final line end adds no line.
  private static func lines(of content: String) -> [String] {
    let unified = content.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    var lines = unified.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last?.isEmpty == true && lines.count > 1 { lines.removeLast() }
    return lines
  }

  /// One line with soft line breaks (RFC 2045, section 6.7).
  private static func quotedPrintable(_ line: String) -> String {
    let bytes = Array(line.utf8)
    var result = ""
    var length = 0
    for (index, byte) in bytes.enumerated() {
      let isLast = index == bytes.count - 1
      let isBlank = byte == 0x20 || byte == 0x09
      let isPlain = (0x21...0x7E ~= byte && byte != UInt8(ascii: "=")) || (isBlank && !isLast)
      let piece = isPlain ? String(UnicodeScalar(byte)) : "=" + hex(byte)
      // The soft break itself takes the last column of a line.
      if length + piece.utf8.count > maximumLineLength - 1 {
        result += "=\r\n"
        length = 0
      }
      result += piece
      length += piece.utf8.count
    }
    return result
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.utf8.count == 1 ? "0" + digits : digits
  }
}
