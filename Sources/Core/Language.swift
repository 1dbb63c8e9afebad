/// The languages of the user interface (docs/developer/product.md#languages).
public enum Language: String, Codable, Sendable, CaseIterable {
  case english = "en"
  case traditionalChinese = "zh-Hant"
  case simplifiedChinese = "zh-Hans"

  /// The index of this language in arrays with one value for each language.
  public var index: Int {
    switch self {
    case .english: 0
    case .traditionalChinese: 1
    case .simplifiedChinese: 2
    }
  }

  /// The best language for an `Accept-Language` header (RFC 9110, section 12.5.4); nil if it names
  /// no supported one.
  public init?(accepting header: String) {
    var best: (language: Language, quality: Double)?
    for item in header.split(separator: ",").prefix(32) {
      let parts = item.filter { $0 != " " }.split(separator: ";")
      guard let tag = parts.first, let language = Language(tag: tag) else { continue }
      let quality =
        parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if quality > 0, quality > best?.quality ?? 0 {
        best = (language, quality)
      }
    }
    guard let best else { return nil }
    self = best.language
  }

  /// The language of one tag: `zh`, `zh-CN`, `zh-SG` are simplified; `zh-TW`, `zh-HK`, `zh-MO`
  /// traditional. A script takes precedence over a region.
  public init?(tag: some StringProtocol) {
    let parts = tag.lowercased().split(separator: "-")
    switch parts.first {
    case "en": self = .english
    case "zh":
      let rest = parts.dropFirst()
      if rest.contains("hant") {
        self = .traditionalChinese
      } else if rest.contains("hans") {
        self = .simplifiedChinese
      } else {
        let traditional = rest.contains { ["tw", "hk", "mo"].contains($0) }
        self = traditional ? .traditionalChinese : .simplifiedChinese
      }
    default: return nil
    }
  }
}
