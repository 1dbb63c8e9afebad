import Templates

/// Turns what somebody wrote into HTML: links become links, all else is escaped, line breaks stay
/// (feed.md, "Posts").
public enum LinkedText {
  /// The text as paragraphs of HTML.
  public static func markup(_ text: String) -> Markup {
    var html = ""
    var rest = Substring(text)
    while let start = nextLink(in: rest) {
      html += escaped(rest[..<start])
      let link = link(in: rest[start...])
      html += "<a href=\"\(escaped(link))\" rel=\"nofollow ugc noopener\">\(escaped(link))</a>"
      rest = rest[link.endIndex...]
    }
    html += escaped(rest)
    let paragraphs = html.replacing("\n\n", with: "</p><p>").replacing("\n", with: "<br>")
    return Markup(trusted: "<p>\(paragraphs)</p>")
  }

  /// Where the next "http://" or "https://" begins that has a host behind it.
  private static func nextLink(in text: Substring) -> Substring.Index? {
    var search = text
    while let start = search.firstRange(of: "http")?.lowerBound {
      let candidate = search[start...]
      for scheme in ["https://", "http://"] where candidate.hasPrefix(scheme) {
        let isWord = start > text.startIndex && text[text.index(before: start)].isASCIILetter
        if !isWord, link(in: candidate).count > scheme.count { return start }
      }
      search = search[search.index(after: start)...]
    }
    return nil
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

  private static func escaped(_ text: Substring) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}

extension Character {
  fileprivate var isASCIILetter: Bool { isASCII && isLetter }
}
