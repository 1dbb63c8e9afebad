import Foundation
import Testing

@testable import Core

@Suite("Limits of fields")
struct FieldLimitsTests {
  private let limits = FieldLimits(characters: 5)

  @Test(
    "A text of this number of characters fits, in any language",
    arguments: ["", "abcde", "香港台北京", "👍👍🏽👍🏿👍👍", "नमस्ते", "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "e\u{301}e\u{301}aaa"])
  func fits(text: String) {
    #expect(limits.allow(text))
    #expect(limits.excess(of: text) == 0)
    #expect(limits.beginning(of: text) == text)
  }

  @Test("A text that is too long returns the excess")
  func excess() {
    #expect(limits.excess(of: "abcdefg") == 2)
    #expect(limits.excess(of: String(repeating: "香", count: 1000)) == 995)
  }

  @Test(
    "One character of thousands of code points is too long, and is cut",
    arguments: ["\u{FE0F}", "\u{200D}👨", "\u{1161}", "\u{301}", "\u{E0020}", "\u{202E}"])
  func clusters(mark: String) {
    let text = "a" + String(repeating: mark, count: 1000)
    #expect(!limits.bound(text))
    #expect(limits.excess(of: text) > 0)
    let cut = limits.beginning(of: text)
    #expect(limits.allow(cut))
    #expect(cut.hasPrefix("a") || cut.unicodeScalars.first == "a")
  }

  @Test("A text that is cut keeps its first characters")
  func beginning() {
    #expect(limits.beginning(of: "abcdefg") == "abcde")
    #expect(FieldLimits(bytes: 4).beginning(of: "香港") == "香")
  }

  @Test("A text over its bytes isn't normalised at all")
  func normalising() {
    #expect("ａｂ".compatible(upTo: 6) == "ab")
    #expect("ａｂ".compatible(upTo: 5) == nil)
  }
}
