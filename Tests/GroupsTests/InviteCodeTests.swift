import Testing

@testable import Groups

@Suite("Codes")
struct InviteCodeTests {
  @Test(
    "A code is read as people type it",
    arguments: ["K7M2QX", "k7m2qx", " K7M 2QX ", "k7m-2qx", "Ｋ７Ｍ２ＱＸ"])
  func entered(text: String) {
    #expect(InviteCode(text)?.spaced == "K7M 2QX")
  }

  @Test(
    "A malformed code is nil",
    arguments: ["", "K7M2Q", "K7M2QXX", "K7M2Q0", "K7M2Q1", "K7M2QI", "K7M2QO", "K7M2QL", "ÄÖÜABC"])
  func none(text: String) {
    #expect(InviteCode(text) == nil)
  }

  @Test("Random codes are valid, use every character, and differ")
  func random() {
    let codes = (0..<2000).map { _ in InviteCode.random() }
    #expect(codes.allSatisfy { InviteCode($0.text) == $0 })
    #expect(Set(codes.map(\.text)).count > 1990)
    #expect(Set(codes.joinedCharacters).count == 31)
  }

  @Test(
    "A link is parsed with its fields in any order",
    arguments: [
      "hither://join?code=ABC234&name=Group%20Name", "HITHER://JOIN/?name=Group+Name&code=ABC234",
      "https://pairspot.example/join?code=ABC234&name=Group%20Name#top",
      "/join?name=Group%20Name&code=ABC234&code=XXXXXX",
    ])
  func links(text: String) {
    let invitation = InviteLinkParser(text)
    #expect(invitation.code == "ABC234" && invitation.name == "Group Name")
  }

  @Test(
    "Text that is no link of this site is taken as a code",
    arguments: ["ABC234", "https://elsewhere.example/?code=ABC234", "join me?", "?code=ABC234"])
  func others(text: String) {
    #expect(InviteLinkParser(text).code == text && InviteLinkParser(text).name == nil)
  }

  @Test("A broken link has no code", arguments: ["/join?", "/join?code", "/join?code=%ZZ"])
  func broken(text: String) {
    #expect(InviteLinkParser(text).code.isEmpty)
  }
}

extension [InviteCode] {
  fileprivate var joinedCharacters: String { map(\.text).joined() }
}
