import Foundation

/// The body of one part, encoded so that every server passes it on unchanged (RFC 2045, section 6).
struct MIMEBody {
  private static let maximumLineLength = 76
  /// The longest line that may stay unencoded (RFC 5322, section 2.1.1).
  private static let maximumPlainLineLength = 998
  private static let lineEnd = Array("\r\n".utf8)
  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  /// The value of `Content-Transfer-Encoding`.
  let encoding: String
  /// The encoded lines, each ending in CRLF.
  let text: String

  /// Chooses the most readable encoding: ASCII as it is, text with few other characters
  /// quoted-printable, the rest base64.
  init(_ content: String) {
    let bytes = Array(content.utf8)
    let lines = Self.lines(of: bytes)
    let foreign = bytes.count { $0 >= 0x80 || ($0 < 0x20 && $0 != 0x09 && $0 != 0x0A) }
    if foreign == 0 && lines.allSatisfy({ $0.count <= Self.maximumPlainLineLength }) {
      encoding = "7bit"
      text = Self.text(lines)
    } else if foreign * 6 < bytes.count {
      encoding = "quoted-printable"
      text = Self.text(lines.map { Self.quotedPrintable($0)[...] })
    } else {
      encoding = "base64"
      text = Self.base64Lines(Array(Self.text(lines).utf8))
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
  private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let (carriageReturn, newline) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == carriageReturn || byte == newline {
      let isSecond = byte == newline && index > 0 && bytes[index - 1] == carriageReturn
      if !isSecond { lines.append(bytes[start..<index]) }
      start = index + 1
    }
    if start < bytes.count || lines.isEmpty { lines.append(bytes[start...]) }
    return lines
  }

  private static func text(_ lines: [ArraySlice<UInt8>]) -> String {
    String(decoding: lines.joined(separator: lineEnd) + lineEnd, as: UTF8.self)
  }

  /// One line with soft line breaks (RFC 2045, section 6.7).
  private static func quotedPrintable(_ line: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var length = 0
    for (index, byte) in zip(line.indices, line) {
      let isLast = index == line.endIndex - 1
      let isBlank = byte == 0x20 || byte == 0x09
      let isPlain =
        (0x21...0x7E ~= byte && byte != UInt8(ascii: "=")) || (isBlank && !isLast)
      // The soft break itself takes the last column of a line.
      if length + (isPlain ? 1 : 3) > maximumLineLength - 1 {
        result += "=\r\n".utf8
        length = 0
      }
      if isPlain {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "="), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
      }
      length += isPlain ? 1 : 3
    }
    return result
  }
}
