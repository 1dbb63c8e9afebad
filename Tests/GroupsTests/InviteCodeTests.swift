import Testing

@testable import Groups

@Suite("Codes")
struct InviteCodeTests {
  @Test(
    "A code is read as people type it",
    arguments: ["K7M2QX", "k7m2qx", " K7M 2QX ", "k7m-2qx", "Ｋ７Ｍ２ＱＸ"])
  func typed(text: String) {
    #expect(InviteCode(text)?.spaced == "K7M 2QX")
  }

  @Test(
    "What is no code is none",
    arguments: ["", "K7M2Q", "K7M2QXX", "K7M2Q0", "K7M2Q1", "K7M2QI", "K7M2QO", "K7M2QL", "ÄÖÜABC"])
  func none(text: String) {
    #expect(InviteCode(text) == nil)
  }

  @Test("Random codes are codes, of every letter and digit, and not the same")
  func random() {
    let codes = (0..<2000).map { _ in InviteCode.random() }
    #expect(codes.allSatisfy { InviteCode($0.text) == $0 })
    #expect(Set(codes.map(\.text)).count > 1990)
    #expect(Set(codes.joinedCharacters).count == 31)
  }

  @Test(
    "A link is understood, wherever its fields stand",
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
    "What is no link of ours is taken as a code",
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
