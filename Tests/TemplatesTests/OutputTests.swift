import Testing

@testable import Templates

@Suite("Output")
struct OutputTests {
  private func naive(_ text: String) -> String {
    text.map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      default: String(character)
      }
    }.joined()
  }

  private func escaped(_ text: String) -> String {
    String(decoding: Markup(escaping: text).bytes, as: UTF8.self)
  }

  @Test("Every ASCII character is escaped as it should be, at every place of a block")
  func everyCharacter() {
    for value in UInt8(0)..<128 {
      let character = Character(UnicodeScalar(value))
      for length in [0, 1, 7, 8, 9, 15, 16, 17] {
        let text =
          String(repeating: "n", count: length) + String(character)
          + String(repeating: "z", count: 9)
        #expect(escaped(text) == naive(text))
      }
    }
  }

  @Test("Chinese and other texts of many bytes pass unharmed")
  func manyBytes() {
    let text = "今天<爬山>，然後'吃'早餐 😀 & café \u{A6}\u{BC}\u{2122}\u{3C3E}"
    #expect(escaped(text) == naive(text))
  }

  @Test("A text of nothing but quotes makes the buffer grow")
  func growth() {
    let text = String(repeating: "\"", count: 10_000)
    #expect(escaped(text) == naive(text))
  }

  @Test(
    "Numbers are grouped by thousands",
    arguments: [
      (0, "0"), (999, "999"), (1_000, "1,000"), (1_205, "1,205"), (-1_234_567, "-1,234,567"),
      (Int.min, "-9,223,372,036,854,775,808"),
    ])
  func grouping(number: Int, expected: String) {
    var output = Output()
    output.append(grouping: number)
    #expect(String(decoding: output.bytes, as: UTF8.self) == expected)
  }

  @Test("A buffer is kept and used again")
  func removeAll() {
    var output = Output(capacity: 1)
    output.append("first")
    output.removeAll()
    output.append(raw: "<second>")
    #expect(String(decoding: output.bytes, as: UTF8.self) == "<second>")
    #expect(output.withUnsafeBytes { $0.count } == output.count)
  }
}
