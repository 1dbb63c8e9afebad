import Foundation

/// A mail of the `file` sender read back, for `/dev/mail`: only the subset of MIME that PairSpot
/// writes.
struct ReceivedMail {
  let headers: [String: String]
  let text: String
  let html: String

  /// Nil if the file is not such a mail.
  init?(_ bytes: [UInt8]) {
    let message = String(decoding: bytes, as: UTF8.self)
    guard let (headers, body) = Self.split(message),
      let boundary = Self.parameter("boundary", of: headers["content-type"] ?? "")
    else { return nil }
    self.headers = headers
    var texts: [String: String] = [:]
    for part in body.components(separatedBy: "--\(boundary)").dropFirst() {
      guard let (head, content) = Self.split(String(part.drop { $0.isNewline })) else { continue }
      let type = (head["content-type"] ?? "").split(separator: ";").first.map(String.init) ?? ""
      texts[type] = Self.decoded(content, head["content-transfer-encoding"] ?? "")
    }
    text = texts["text/plain"] ?? ""
    html = texts["text/html"] ?? ""
  }

  /// A header with its encoded words (RFC 2047) decoded.
  func header(_ name: String) -> String {
    let value = headers[name] ?? ""
    var result = ""
    var rest = Substring(value)
    var endedWord = false
    while let start = rest.firstRange(of: "=?") {
      let before = rest[..<start.lowerBound]
      let parts = rest[start.upperBound...].split(
        separator: "?", maxSplits: 3, omittingEmptySubsequences: false)
      guard parts.count == 4, parts[3].hasPrefix("=") else { break }
      // White space between two encoded words is not part of the text.
      if !(endedWord && before.allSatisfy(\.isWhitespace)) { result += before }
      let encoding = parts[1].lowercased() == "b" ? "base64" : "quoted-printable"
      result += Self.decoded(String(parts[2].replacing("_", with: "=20")), encoding)
      endedWord = true
      rest = parts[3].dropFirst()
    }
    return result + rest
  }

  private static func split(_ message: String) -> ([String: String], String)? {
    let unified = message.replacing("\r\n", with: "\n")
    guard let end = unified.firstRange(of: "\n\n") else { return nil }
    let unfolded = unified[..<end.lowerBound].replacing("\n ", with: " ")
      .replacing("\n\t", with: " ")
    var headers: [String: String] = [:]
    for line in unfolded.split(separator: "\n") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...]
        .trimmingCharacters(in: .whitespaces)
    }
    return (headers, String(unified[end.upperBound...]))
  }

  private static func parameter(_ name: String, of value: String) -> String? {
    guard let start = value.firstRange(of: "\(name)=\"")?.upperBound else { return nil }
    return String(value[start...].prefix { $0 != "\"" })
  }

  private static func decoded(_ content: String, _ encoding: String) -> String {
    switch encoding.lowercased() {
    case "base64":
      let plain = content.filter { !$0.isWhitespace }
      return Data(base64Encoded: plain).map { String(decoding: $0, as: UTF8.self) } ?? ""
    case "quoted-printable": return String(decoding: quotedPrintable(content), as: UTF8.self)
    default: return content
    }
  }

  private static func quotedPrintable(_ content: String) -> [UInt8] {
    var result: [UInt8] = []
    var rest = Array(content.replacing("=\n", with: "").utf8)[...]
    while let byte = rest.popFirst() {
      let code = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "="), let value = UInt8(code, radix: 16) {
        result.append(value)
        rest = rest.dropFirst(2)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}
