import Core
import Testing

@Suite("A run of marks that occurs in no language is detected before it costs time")
struct StreamSafeTests {
  @Test(
    "Texts of every language are safe",
    arguments: ["", "Mei", "Việt Nam", "e\u{301}\u{323}", "हिन्दी", "ก็่", "👨‍👩‍👧‍👦", "בְּרֵאשִׁית", "長長長"])
  func safe(text: String) {
    #expect(text.isStreamSafe)
  }

  @Test("64 marks on one character are too many for none, 65 are")
  func bound() {
    #expect(("a" + String(repeating: "\u{316}", count: 64)).isStreamSafe)
    #expect(!("a" + String(repeating: "\u{316}", count: 65)).isStreamSafe)
    let twice = "a" + String(repeating: "\u{301}", count: 64)
    #expect((twice + twice).isStreamSafe)
  }
}
