import Core
import Foundation
import Templates

/// A short message on a page, with a link if there is more to see, or a button that undoes it.
struct Toast: View {
  private static let nameLimits = FieldLimits(characters: 100)

  let text: String
  let link: String?
  let linkText: String?

  /// The message in a cookie, which is untrusted: only texts made for this are looked up, only paths
  /// of this site are linked, and only those that undo something are buttons.
  init?(_ value: String, _ context: Context) {
    let parts = value.split(separator: "~", maxSplits: 3, omittingEmptySubsequences: false)
    let name = parts.count == 4 ? String(parts[3]).removingPercentEncoding ?? "" : ""
    func text(_ key: Substring) -> String? {
      let key = String(key)
      return key.hasPrefix("toast.") && context.site.catalogues.contains(key)
        ? context.text(key, ["name": Self.nameLimits.beginning(of: name)]) : nil
    }
    guard let first = parts.first, let words = text(first) else { return nil }
    self.text = words
    let path = parts.count < 3 ? nil : parts[2].wholeMatch(of: /(?:\/[a-z0-9-]+)+/)?.output
    linkText = path == nil ? nil : text(parts[1])
    link = linkText == nil ? nil : path.map { String($0) }
  }

  private var isButton: Bool { link?.hasSuffix("/undo") == true }

  static let fields: [String: Field<Toast>] = [
    "text": .text { $0.text },
    "link": .optionalText { $0.isButton ? nil : $0.link },
    "undo_action": .optionalText { $0.isButton ? $0.link : nil },
    "link_text": .optionalText { $0.linkText },
  ]
}
