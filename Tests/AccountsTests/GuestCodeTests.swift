import Testing

@testable import Accounts

@Suite("Recovery codes of guests")
struct GuestCodeTests {
  @Test(
    "A code is read as people type it",
    arguments: [
      "ABCDEFGHJKLMNPQR", "abcd-efgh-jklm-npqr", " ABCD EFGH JKLM NPQR ", "ＡＢＣＤ-efgh-jklm-npqr",
    ])
  func entered(text: String) {
    #expect(GuestCode(text)?.text == "ABCD-EFGH-JKLM-NPQR")
  }

  @Test(
    "A malformed code is refused",
    arguments: ["", "ABCD", "ABCD-EFGH-JKLM-NPQ1", "ABCD-EFGH-JKLM-NPQI", "ABCDEFGHJKLMNPQRS"])
  func noCode(text: String) {
    #expect(GuestCode(text) == nil)
  }
}
