import Foundation
import Secrets
import Testing

@Suite("Rules for passwords")
struct PasswordRulesTests {
  private let rules: PasswordRules

  init() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    rules = try PasswordRules(listPath: root.path + "/templates/passwords/common.txt")
  }

  @Test("A password of eight characters may be chosen, one of seven not")
  func length() {
    #expect(rules.problem(with: "kq7!vPz2") == nil)
    #expect(rules.problem(with: "kq7!vPz") == .tooShort)
    #expect(rules.problem(with: "") == .tooShort)
    #expect(rules.problem(with: "我們一起去爬山吧") == nil)
  }

  @Test("Seventy-two bytes may be chosen, one more not")
  func bytes() {
    #expect(rules.problem(with: String(repeating: "x7", count: 36)) == nil)
    #expect(rules.problem(with: String(repeating: "x7", count: 36) + "x") == .tooLong)
    #expect(rules.problem(with: String(repeating: "山", count: 24)) == nil)
    #expect(rules.problem(with: String(repeating: "山", count: 25)) == .tooLong)
  }

  @Test("Bytes are counted after NFC")
  func normalised() {
    // 36 letters of three bytes each before, of two after.
    #expect(rules.problem(with: String(repeating: "e\u{301}", count: 36)) == nil)
  }

  @Test("A password with a NUL is refused")
  func null() {
    #expect(rules.problem(with: "abc\0defghij") == .hasNull)
  }

  @Test(
    "A common password is refused in any case of its letters",
    arguments: ["password", "12345678", "PassWord", "IloveYou", "QWERTYUIOP"])
  func common(password: String) {
    #expect(rules.problem(with: password) == .common)
  }

  @Test("The address itself, or its first part, is refused as a password")
  func sameAsEmail() {
    let email = "Mei.Lin.Chen@example.test"
    #expect(rules.problem(with: "mei.lin.chen@EXAMPLE.test", email: email) == .sameAsEmail)
    #expect(rules.problem(with: "mei.lin.chen", email: email) == .sameAsEmail)
    #expect(rules.problem(with: "mei.lin.chen.2", email: email) == nil)
  }

  @Test("A missing list is an error, not an empty list")
  func missingList() {
    #expect(throws: (any Error).self) { try PasswordRules(listPath: "/nowhere/common.txt") }
  }

  @Test("A list without a line is an error", arguments: ["", "\n", "\r\n\n"])
  func emptyList(text: String) throws {
    let path = FileManager.default.temporaryDirectory.path + "/common-\(UUID().uuidString).txt"
    try Data(text.utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: CocoaError.self) { try PasswordRules(listPath: path) }
  }
}
