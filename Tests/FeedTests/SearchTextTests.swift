import Core
import Testing

@testable import Feed

@Suite("Words as the search sees them")
struct SearchTextTests {
  @Test(
    "Case, accents, width and compatibility don't count",
    arguments: [
      ("Café", "cafe"), ("CAFÉ", "cafe"), ("cafe\u{301}", "cafe"), ("ＣＡＦＥ", "cafe"),
      ("Straße", "strasse"), ("ﬁn", "fin"), ("Ångström", "angstrom"), ("Łódź", "lodz"),
      ("İstanbul", "istanbul"), ("Ελλάς", "ελλασ"), ("ｶﾞ", "ガ"), ("한글", "한글"),
    ])
  func folding(text: String, folded: String) {
    #expect(text.folded == folded)
  }

  @Test("A run becomes its bigrams and its last character; everything else divides runs")
  func bigrams() {
    #expect(SearchText.indexed("Café, au lait!") == "ca af fe e au u la ai it t")
    #expect(SearchText.indexed("喝咖啡。") == "喝咖 咖啡 啡")
    #expect(SearchText.indexed(" \n\"*()-…") == "")
  }

  @Test("A query asks for every word; one letter says nothing, one Chinese character does")
  func asking() {
    #expect(SearchText.terms("Café au")?.fts5 == "\"ca af fe\" \"au\"")
    #expect(SearchText.terms("咖啡")?.fts5 == "\"咖啡\"")
    #expect(SearchText.terms("雨")?.fts5 == "\"雨\" *")
    #expect(SearchText.terms("i love 雨")?.fts5 == "\"lo ov ve\" \"雨\" *")
    for nothing in ["", " ", "a", "7", "\"", "OR", "* NEAR(", "a b c"] {
      let isWords = nothing.contains("OR") || nothing.contains("NEAR")
      #expect((SearchText.terms(nothing) != nil) == isWords, "\(nothing)")
    }
    // Signs that are one character with the letter before them.
    #expect(SearchText.terms("\u{D4E}\"a") == nil)
    #expect(SearchText.terms("\u{D4E}\"ab")?.fts5 == "\"ab\"")
    let long = String(repeating: "ab ", count: 100)
    #expect(SearchText.terms(long)?.fts5.split(separator: " ").count == SearchText.maximumWords)
  }

  @Test("A letter with a million marks is folded and indexed without sorting them")
  func marks() {
    // Sorted one after the other they would take days.
    let hostile = "a" + String(repeating: "\u{301}\u{0F71}\u{323}", count: 400_000)
    #expect(hostile.folded.hasPrefix("a"))
    _ = SearchText.indexed(hostile)
  }
}
