import Core

/// Header lines of a message (RFC 5322, section 2.2; RFC 2047 for text beyond ASCII).
enum MIMEHeader {
  /// The recommended maximum length of a line without its CRLF (RFC 5322, section 2.1.1).
  private static let preferredLine = 76
  /// No word without a space may make a line longer than 998 bytes, its name included.
  private static let maximumWordLength = 900
  /// An encoded word has at most 75 characters (RFC 2047, section 2), 12 of them its frame; after
  /// "Subject: " the rest of the line holds 39 bytes in base64.
  private static let bytesOfEncodedWord = 39

  /// A line of free text: `Subject`, or a header whose value is ASCII only. Characters that could
  /// begin another line become a space.
  static func line(_ name: String, _ value: String) -> String {
    let text = value.asOneLine
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    return folded(name, isPlain(words) ? words : encodedWords(text))
  }

  /// A line with one mailbox: a name, which may be empty, and an address.
  static func line(_ name: String, _ person: String, _ address: MailAddress) -> String {
    let text = person.asOneLine
    guard !text.isEmpty else { return folded(name, [address.description]) }
    return folded(name, phrase(text) + ["<\(address)>"])
  }

  /// Words after a name; a new line begins when the previous one is full.
  private static func folded(_ name: String, _ words: [String]) -> String {
    var result = "\(name):"
    var length = name.utf8.count + 1
    for word in words {
      if length + 1 + word.utf8.count > preferredLine && length > name.utf8.count + 1 {
        result += "\r\n"
        length = 0
      }
      result += " " + word
      length += 1 + word.utf8.count
    }
    return result + "\r\n"
  }

  /// Whether the words need no encoding: ASCII, single spaces, nothing that looks encoded.
  private static func isPlain(_ words: [String]) -> Bool {
    words.allSatisfy { word in
      word.utf8.count <= maximumWordLength && word.utf8.allSatisfy { 0x21...0x7E ~= $0 }
        && !word.contains("=?") && (!word.isEmpty || words.count == 1)
    }
  }

  /// A display name: atoms as they are, other ASCII in quotes, the rest encoded.
  private static func phrase(_ text: String) -> [String] {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard isPlain(words), text.utf8.count < preferredLine / 2 else { return encodedWords(text) }
    let specials = "()<>[]:;@\\,.\""
    guard text.contains(where: specials.contains) else { return words }
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return ["\"\(escaped)\""]
  }

  /// Encoded words, none of which splits a character (RFC 2047, section 5).
  private static func encodedWords(_ text: String) -> [String] {
    var pieces: [[UInt8]] = [[]]
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      if pieces[pieces.count - 1].count + bytes.count > bytesOfEncodedWord {
        pieces.append([])
      }
      pieces[pieces.count - 1] += bytes
    }
    return pieces.map { "=?UTF-8?B?\(MIMEBody.base64($0))?=" }
  }
}
