import Core
import Testing

@Suite struct LanguageTests {
  @Test(
    "The browser's preference picks the language",
    arguments: [
      ("en-GB,en;q=0.8", Language.english), ("zh", .simplifiedChinese),
      ("zh-CN", .simplifiedChinese), ("zh-SG", .simplifiedChinese), ("zh-TW", .traditionalChinese),
      ("zh-HK", .traditionalChinese), ("zh-MO", .traditionalChinese),
      ("zh-Hans-TW", .simplifiedChinese), ("zh-Hant", .traditionalChinese),
      ("fr, zh-TW;q=0.5, en;q=0.4", .traditionalChinese),
      ("en;q=0.1, zh;q=0.9", .simplifiedChinese),
    ])
  func preference(header: String, language: Language) {
    #expect(Language(accepting: header) == language)
  }

  @Test(
    "A header without a known language yields none", arguments: ["", "fr-FR", "*", ";;;", "en;q=0"])
  func none(header: String) {
    #expect(Language(accepting: header) == nil)
  }

  @Test("One line stays one line")
  func oneLine() {
    #expect("  Mei\r\n& \u{7}Jun\u{202E} ".asOneLine == "Mei  &  Jun")
    #expect("a\r\nb\u{0}c\n".asParagraphs == "a\nb c")
    #expect("e\u{301}".asOneLine.unicodeScalars.count == 1)
  }
}
