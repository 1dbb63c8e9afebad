import Core
import Testing

@Suite("Excerpts")
struct ExcerptTests {
  @Test(
    "A text that fits stays as it is; a longer one ends in an ellipsis behind a word",
    arguments: [
      ("", ""), ("four", "four"), ("five!", "five!"), ("fives!", "fives…"), ("four  five", "four…"),
      ("一二三四五六", "一二三四五…"), ("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧…"),
    ])
  func excerpts(text: String, shown: String) {
    #expect(text.excerpt(5) == shown)
  }
}
