import Foundation
import Secrets
import Testing

@Suite("Rules for passwords")
struct PasswordRulesTests {
  private let rules: PasswordRules
  private let listPath: String
  private let filterPath: String

  init() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    listPath = root.path + "/templates/passwords/common.txt"
    filterPath = root.path + "/templates/passwords/breached.filter"
    rules = try PasswordRules(
      listPath: listPath, filterPath: filterPath,
      siteNames: ["pairspot", "love.example.test", "Heart & Home"])
  }

  @Test("A password of eight characters may be chosen, one of seven not")
  func length() {
    #expect(rules.problem(with: "kq7!vPz2") == nil)
    #expect(rules.problem(with: "kq7!vPz") == .tooShort)
    #expect(rules.problem(with: "") == .tooShort)
    #expect(rules.problem(with: "我們一起去爬山吧") == nil)
  }

  @Test("64 characters of any script may be chosen", arguments: ["x7", "山水", "e\u{301}n", "🦊b"])
  func anyScript(pair: String) {
    #expect(rules.problem(with: String(repeating: pair, count: 32)) == nil)
  }

  @Test("1,024 bytes may be chosen, one more not")
  func bytes() {
    #expect(rules.problem(with: String(repeating: "x7", count: 512)) == nil)
    #expect(rules.problem(with: String(repeating: "x7", count: 512) + "x") == .tooLong)
    #expect(rules.problem(with: String(repeating: "x7", count: 100_000)) == .tooLong)
  }

  @Test("A password with a NUL is refused")
  func null() {
    #expect(rules.problem(with: "abc\0defghij") == .hasNull)
  }

  @Test(
    "A common password is refused in upper and lower case",
    arguments: ["password", "12345678", "PassWord", "IloveYou", "QWERTYUIOP"])
  func common(password: String) {
    #expect(rules.problem(with: password) == .common)
  }

  @Test(
    "A common password with digits and signs around it is refused",
    arguments: ["Password123!", "password1", "football2024", "!!iloveyou!!", "1sunshine1"])
  func decorated(password: String) {
    #expect(rules.problem(with: password) == .common)
  }

  @Test(
    "A password of a known breach is refused",
    arguments: ["006joao007", "001296NANO", "0023andrea", "00DeadBeef"])
  func breached(password: String) {
    #expect(rules.problem(with: password) == .common)
  }

  @Test("Hardly any other password is taken for a breached one")
  func falsePositives() {
    // The same texts in each run: one in 60,000 would be refused by chance, and none of these is.
    let refused = (0..<2000).filter { rules.problem(with: "kq\($0 &* 7919)-vT\($0)w") != nil }
    #expect(refused.count <= 1)
  }

  @Test(
    "A password made of names of the site or the person is refused",
    arguments: [
      "pairspot", "PairSpot2026", "p4irSp0t!!", "PAIRSPOT-", "pairspotpairspot", "heartandhome1",
      "meilin2026", "Mei.Lin.99", "小美小美小美小美", "MeiPairspot",
    ])
  func contextWords(password: String) {
    #expect(rules.problem(with: password, names: ["Mei Lin", "小美"]) == .contextWord)
  }

  @Test(
    "A name may be part of a longer password",
    arguments: ["meilin drinks tea", "pairspot lantern river", "mei-482910573648"])
  func namesWithin(password: String) {
    #expect(rules.problem(with: password, names: ["Mei Lin"]) == nil)
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
    #expect(throws: (any Error).self) {
      try PasswordRules(listPath: "/nowhere/common.txt", filterPath: filterPath)
    }
  }

  @Test("A list without a line is an error", arguments: ["", "\n", "\r\n\n"])
  func emptyList(text: String) throws {
    let path = FileManager.default.temporaryDirectory.path + "/common-\(UUID().uuidString).txt"
    try Data(text.utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: CocoaError.self) {
      try PasswordRules(listPath: path, filterPath: filterPath)
    }
    #expect(throws: KeyFileError.self) { try PasswordRules(listPath: listPath, filterPath: path) }
  }
}
