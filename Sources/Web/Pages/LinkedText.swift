import Templates

/// Converts a user's text to HTML: addresses become links, all else is escaped, line breaks stay
/// (docs/developer/feed.md#posts).
public enum LinkedText {
  /// The text as HTML paragraphs, in linear time.
  public static func markup(_ text: String) -> Markup {
    var html = Output(capacity: text.utf8.count + text.utf8.count / 4 + 16)
    html.append("<p>")
    let bytes = Array(text.utf8)
    var finder = LinkFinder(bytes)
    var done = 0
    while let link = finder.next() {
      append(bytes[done..<link.lowerBound], to: &html)
      let address = Markup(escaping: String(decoding: bytes[link], as: UTF8.self))
      html.append("<a href=\"")
      html.append(address)
      html.append("\" rel=\"nofollow ugc noopener\">")
      html.append(address)
      html.append("</a>")
      done = link.upperBound
    }
    append(bytes[done...], to: &html)
    html.append("</p>")
    return Markup(trusted: html.bytes)
  }

  /// Whether the text has a link, or the beginning of an address without a scheme.
  public static func hasLink(_ text: String) -> Bool {
    var finder = LinkFinder(Array(text.utf8))
    if finder.next() != nil { return true }
    return text.lowercased().contains("www.")
  }

  /// Appends text without links: an empty line begins a paragraph, a single line break stays.
  private static func append(_ text: ArraySlice<UInt8>, to html: inout Output) {
    var rest = text
    while let lineBreak = rest.firstIndex(of: newline) {
      html.append(escaping: String(decoding: rest[..<lineBreak], as: UTF8.self))
      rest = rest[(lineBreak + 1)...]
      if rest.first == newline {
        html.append("</p><p>")
        rest = rest.dropFirst()
      } else {
        html.append("<br>")
      }
    }
    html.append(escaping: String(decoding: rest, as: UTF8.self))
  }

  private static let newline = UInt8(ascii: "\n")
}
