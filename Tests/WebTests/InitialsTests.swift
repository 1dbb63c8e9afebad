import Testing

@testable import Web

@Suite("Initials") struct InitialsTests {
  @Test(
    "Initials are those of the first and the last word, one character for wide scripts",
    arguments: [
      ("Mei Lin", "ML"), ("mei", "M"), ("Anna Maria von Berg", "AB"), ("Jean-Luc", "JL"),
      ("  Mei  Lin  ", "ML"), ("-Mei-", "M"), ("李 美", "李"), ("美玲", "美"), ("Ößling Ära", "ÖÄ"),
      ("Mei 李", "M李"), ("👩‍👩‍👧 Lin", "👩‍👩‍👧"), ("é e\u{301}", "ÉE\u{301}"), ("", "?"), (" - ", "?"),
    ]) func initials(name: String, expected: String)
  {
    #expect(AvatarView(name: name, avatar: nil).initials == expected)
  }
}
