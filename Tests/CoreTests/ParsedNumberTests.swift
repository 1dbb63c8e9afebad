import Core
import Testing

@Suite("Integers in requests")
struct ParsedNumberTests {
  @Test("A number within the range is taken", arguments: [("1", 1), ("+9", 9), ("007", 7)])
  func taken(sent: String, number: Int) {
    #expect(Int(sent, in: 1...9) == number)
  }

  @Test(
    "A malformed number, or one out of range, is nil",
    arguments: [
      "", " 1", "1 ", "1.0", "1e3", "0x1", "٣", "0", "10", "-1", "-9223372036854775808",
      "9223372036854775807", "9223372036854775808", "nan",
    ])
  func refused(sent: String) {
    #expect(Int(sent, in: 1...9) == nil)
  }
}
