import Core
import Foundation

/// A received message, or a part of one, as far as reading a bounce needs it. The content is
/// untrusted, so every loop here is bounded.
struct MIMEPart {
  private static let maximumHeaderBytes = 64 << 10
  private static let maximumParts = 50

  /// Names in lower case, values unfolded.
  let headers: [(name: String, value: String)]
  let body: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    var headers: [(name: String, value: String)] = []
    var rest = bytes
    while let (line, after) = Self.line(of: rest) {
      let isTooMuch = line.startIndex - bytes.startIndex > Self.maximumHeaderBytes
      rest = after
      if line.isEmpty { break }
      if isTooMuch { continue }
      let text = String(decoding: line, as: UTF8.self)
      if line.first == 0x20 || line.first == 0x09 {
        if !headers.isEmpty { headers[headers.count - 1].value += " \(text.asOneLine)" }
      } else if let colon = text.firstIndex(of: ":") {
        headers.append(
          (
            text[..<colon].asTrimmed.lowercased(),
            String(text[text.index(after: colon)...]).asOneLine
          ))
      }
    }
    self.headers = headers
    body = rest
  }

  func values(_ name: String) -> [String] {
    headers.filter { $0.name == name }.map(\.value)
  }

  /// The media type in lower case: "text/plain" by default.
  var type: String {
    let type = values("content-type").first?.prefix { $0 != ";" }.asTrimmed.lowercased() ?? ""
    return type.isEmpty ? "text/plain" : type
  }

  /// The parts of a multipart in order; empty for other types.
  var parts: [MIMEPart] {
    guard type.hasPrefix("multipart/"), let boundary = parameter("boundary"), !boundary.isEmpty
    else { return [] }
    let mark = Array("--\(boundary)".utf8)
    var found: [MIMEPart] = []
    var start: Int?
    var rest = body
    while let (line, after) = Self.line(of: rest) {
      defer { rest = after }
      guard line.starts(with: mark) else { continue }
      let tail = line.dropFirst(mark.count)
      let isEnd = tail.starts(with: [0x2D, 0x2D])
      guard (isEnd ? tail.dropFirst(2) : tail).allSatisfy({ $0 == 0x20 || $0 == 0x09 }) else {
        continue
      }
      if let start { found.append(MIMEPart(body[start..<line.startIndex])) }
      guard !isEnd, found.count < Self.maximumParts else { return found }
      start = after.startIndex
    }
    // Truncated: the last part ends with the body.
    if let start { found.append(MIMEPart(body[start...])) }
    return found
  }

  /// The body as text, its transfer encoding decoded.
  var text: String {
    let bytes = Array(body)
    switch values("content-transfer-encoding").first?.lowercased() {
    case "base64":
      let data = Data(base64Encoded: Data(bytes), options: .ignoreUnknownCharacters)
      return String(decoding: data ?? Data(), as: UTF8.self)
    case "quoted-printable": return String(decoding: Self.unquoted(bytes), as: UTF8.self)
    default: return String(decoding: bytes, as: UTF8.self)
    }
  }

  // MARK: Reading

  /// The first line without its line end, and the rest; nil at the end.
  private static func line(
    of bytes: ArraySlice<UInt8>
  ) -> (line: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
    guard !bytes.isEmpty else { return nil }
    let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
    let isReturn = end > bytes.startIndex && bytes[end - 1] == 0x0D
    let line = bytes[bytes.startIndex..<(isReturn ? end - 1 : end)]
    return (line, bytes[min(end + 1, bytes.endIndex)...])
  }

  /// A parameter of the content type, quoted or not.
  private func parameter(_ name: String) -> String? {
    guard let value = values("content-type").first else { return nil }
    for piece in value.split(separator: ";").dropFirst() {
      let pair = piece.split(separator: "=", maxSplits: 1).map(\.asTrimmed)
      guard pair.count == 2, pair[0].lowercased() == name else { continue }
      let isQuoted = pair[1].hasPrefix("\"") && pair[1].hasSuffix("\"") && pair[1].count > 1
      return isQuoted ? String(pair[1].dropFirst().dropLast()) : pair[1]
    }
    return nil
  }

  private static func unquoted(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      defer { index += 1 }
      guard bytes[index] == UInt8(ascii: "=") else {
        result.append(bytes[index])
        continue
      }
      let next = bytes[(index + 1)...].prefix(2)
      if let value = UInt8(String(decoding: next, as: UTF8.self), radix: 16), next.count == 2 {
        result.append(value)
        index += 2
      } else if next.first == 0x0A {
        index += 1
      } else if next.elementsEqual([0x0D, 0x0A]) {
        index += 2
      } else {
        result.append(bytes[index])
      }
    }
    return result
  }
}

extension StringProtocol {
  /// The text without white space at its ends.
  var asTrimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
