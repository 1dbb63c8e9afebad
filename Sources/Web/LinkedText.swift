import Templates

/// Turns what somebody wrote into HTML: links become links, all else is escaped, line breaks stay
/// (feed.md, "Posts").
public enum LinkedText {
  /// The text as paragraphs of HTML.
  public static func markup(_ text: String) -> Markup {
    var html = Output(capacity: text.utf8.count + text.utf8.count / 4 + 16)
    html.append("<p>")
    if isPlain(text) {
      html.append(escaping: text)
      html.append("</p>")
      return Markup(trusted: html.bytes)
    }
    var rest = Substring(text)
    while let link = nextLink(in: rest) {
      append(rest[..<link.startIndex], to: &html)
      let address = Markup(escaping: String(link))
      html.append("<a href=\"")
      html.append(address)
      html.append("\" rel=\"nofollow ugc noopener\">")
      html.append(address)
      html.append("</a>")
      rest = rest[link.endIndex...]
    }
    append(rest, to: &html)
    html.append("</p>")
    return Markup(trusted: html.bytes)
  }

  /// Whether there is neither a line break nor a colon, and so no link: most posts are like that.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { bytes in
      !bytes.contains { $0 == newline || $0 == UInt8(ascii: ":") }
    } ?? false
  }

  /// Words without a link: an empty line begins a paragraph, a single break stays one.
  private static func append(_ words: Substring, to html: inout Output) {
    var rest = words.utf8
    while let lineBreak = rest.firstIndex(of: newline) {
      html.append(escaping: String(Substring(rest[..<lineBreak])))
      rest = rest[rest.index(after: lineBreak)...]
      if rest.first == newline {
        html.append("</p><p>")
        rest = rest.dropFirst()
      } else {
        html.append("<br>")
      }
    }
    html.append(escaping: String(Substring(rest)))
  }

  private static let newline = UInt8(ascii: "\n")

  /// The next "http://" or "https://" that has a host behind it, to its end. Bytes are looked at
  /// and not characters: this runs for every post of every page.
  private static func nextLink(in text: Substring) -> Substring? {
    let bytes = text.utf8
    var search = bytes[...]
    while let start = search.firstIndex(of: UInt8(ascii: "h")) {
      let candidate = bytes[start...]
      for scheme in ["https://", "http://"] where candidate.starts(with: scheme.utf8) {
        let isWord =
          start > bytes.startIndex && isASCIILetter(bytes[bytes.index(before: start)])
        let link = link(in: text[start...])
        if !isWord, link.utf8.count > scheme.utf8.count { return link }
      }
      search = search[search.index(after: start)...]
    }
    return nil
  }

  private static func isASCIILetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// The link that a text begins with: up to a space, a quote, a bracket or full-width
  /// punctuation, without what ends a sentence.
  private static func link(in text: Substring) -> Substring {
    let end = text.firstIndex { character in
      guard let scalar = character.unicodeScalars.first, character.unicodeScalars.count == 1 else {
        return true
      }
      return scalar.value <= 0x20 || "<>\"'`{}|\\^".contains(character)
        || (0x3000...0x303F).contains(scalar.value) || (0xFF00...0xFF65).contains(scalar.value)
    }
    var link = text[..<(end ?? text.endIndex)]
    while let last = link.last, ".,:;!?".contains(last) || isOpenBracket(last, in: link) {
      link.removeLast()
    }
    return link
  }

  /// Whether a closing bracket at the end belongs to the sentence and not to the link.
  private static func isOpenBracket(_ last: Character, in link: Substring) -> Bool {
    last == ")" && link.count { $0 == "(" } < link.count { $0 == ")" }
  }
}
