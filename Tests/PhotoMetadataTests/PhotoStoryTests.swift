import Testing

@testable import PhotoMetadata

@Suite("Validation of a story")
struct PhotoStoryTests {
  @Test(
    "Three hundred characters as people see them pass, one more does not",
    arguments: ["字", "é", "e\u{301}", "👨‍👩‍👧‍👦", "🇹🇼", "👍🏽", "각"])
  func length(character: String) throws {
    let full = String(repeating: character, count: 300)
    if full.utf8.count <= PhotoStory.maximumBytes {
      #expect(try PhotoStory(full).text.count == 300)
    } else {
      #expect(throws: PhotoStoryError.tooManyBytes) { try PhotoStory(full) }
    }
    #expect(throws: PhotoStoryError.tooManyCharacters(301)) {
      try PhotoStory(full + "x")
    }
  }

  @Test("A character of thousands of marks is too many bytes")
  func marks() {
    #expect(throws: PhotoStoryError.tooManyBytes) {
      try PhotoStory("a" + String(repeating: "\u{0323}", count: 5_000))
    }
    #expect(throws: PhotoStoryError.tooManyBytes) {
      try PhotoStory(String(repeating: "a", count: 100_000))
    }
  }

  @Test("A typed text is normalised to NFC, with plain line ends and no outer white space")
  func normal() throws {
    let story = try PhotoStory(" \r\n\u{3000}Cafe\u{301}\r\nzwei\rdrei\tvier\n ")
    #expect(Array(story.text.utf8) == Array("Café\nzwei\ndrei\tvier".utf8))
    #expect(try PhotoStory(story.text) == story)
    #expect(PhotoStory.count("a\r\nb ") == 3)
  }

  @Test("Nothing but white space is no story", arguments: ["", " ", "\r\n\t\u{3000}"])
  func empty(text: String) {
    #expect(throws: PhotoStoryError.empty) { try PhotoStory(text) }
  }

  @Test(
    "Control characters are refused", arguments: ["\0", "\u{1B}", "\u{7F}", "\u{85}", "\u{FFFF}"])
  func control(character: String) {
    #expect(throws: PhotoStoryError.controlCharacter) { try PhotoStory("a\(character)b") }
  }

  @Test("A draft is cut at a character's end and made clean")
  func draft() {
    let long = String(repeating: "👨‍👩‍👧‍👦字", count: 400)
    #expect(PhotoStory(draft: long)?.text == String(long.prefix(300)))
    #expect(PhotoStory(draft: "a\u{0}b")?.text == "ab")
    #expect(PhotoStory(draft: " \u{1B} ") == nil)
  }
}
