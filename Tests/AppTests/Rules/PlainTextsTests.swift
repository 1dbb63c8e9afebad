import Foundation
import Testing

@Suite("Texts use plain words, and one word for one thing")
struct PlainTextsTests {
  private static let english = [
    "whoever", "anew", "afresh", "go(?:ne)? on", "put (?:right|away)", "of before",
    "stands? here", "at hand", "as ever", "meanwhile", "(?:some|no|every|any)body", "anymore",
    "recogniz\\w*", "e-mails?", "mails", "mail(?! (?:server|test))",
  ]
  /// For 动态, 封禁, 伴侣, 发邮件 and 放弃.
  private static let simplified = ["帖子", "停权", "情侣", "写信", "一笔", "舍弃"]

  @Test("No English text has a word that docs/developer/add-a-text.md rules out")
  func englishWords() throws {
    try expectNone("\\b(?:\(Self.english.joined(separator: "|")))\\b", in: "en")
  }

  @Test("No text in simplified Chinese has a second word for the same thing")
  func simplifiedWords() throws {
    try expectNone(Self.simplified.joined(separator: "|"), in: "zh-Hans")
  }

  private func expectNone(_ pattern: String, in language: String) throws {
    let refused = try Regex(pattern).ignoresCase()
    let file = TestInstance.checkout.appending(path: "templates/locales/\(language).json")
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      guard let text = line.firstMatch(of: /": "(.*)"/)?.output.1 else { continue }
      #expect(!text.contains(refused), "\(language): \(line)")
    }
  }
}
