import Templates

/// A short message on a page, with a link if there is more to see.
struct Toast: View {
  let text: String
  let link: String?
  let linkText: String?

  /// The message in a cookie, which is untrusted: only texts made for this are looked up, and only
  /// paths of this site are linked.
  init?(_ value: String, _ context: Context) {
    func text(_ key: Substring) -> String? {
      let key = String(key)
      return key.hasPrefix("toast.") && context.site.catalogues.contains(key)
        ? context.text(key) : nil
    }
    let parts = value.split(separator: "~", maxSplits: 2)
    guard let first = parts.first, let words = text(first) else { return nil }
    self.text = words
    let path = parts.last?.wholeMatch(of: /(?:\/[a-z0-9-]+)+/).map { String($0.output) }
    linkText = parts.count == 3 && path != nil ? text(parts[1]) : nil
    link = linkText == nil ? nil : path
  }

  static let fields: [String: Field<Toast>] = [
    "text": .text { $0.text },
    "link": .optionalText { $0.link },
    "link_text": .optionalText { $0.linkText },
  ]
}
