import Testing

@testable import Accounts

@Suite("A member's name in the couple's name")
struct CoupleNamesTests {
  @Test(
    "A name contains a member's name if it is a whole word",
    arguments: [
      ("Ann & Ben", "Ann", true), ("Team ANN", "Ann", true), ("Annika & Ben", "Ann", false),
      ("Joann", "Ann", false), ("Ann's", "Ann", true), ("安安和小本", "安安", true),
      ("小本与美", "美", true), ("The Two", "Ann", false), ("Ann-Marie & Ben", "Ann", true),
      ("Ana María y Ben", "Ana María", true), ("x", "", false),
    ])
  func tells(name: String, person: String, isFound: Bool) {
    #expect(CoupleNames.containsName(name, person) == isFound)
  }

  @Test("A long name is found by the part that fits into a couple's name")
  func long() {
    let first = String(repeating: "Ab ", count: 13) + "x"
    #expect(CoupleNames.containsName(CoupleNames.of(first, "Ben"), first))
  }
}
