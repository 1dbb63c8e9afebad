import Core
import Foundation
import Secrets
import Testing

@testable import Mail

@Suite("Return addresses")
final class ReturnAddressTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID())")
  private let keys: KeyRing
  private let mail = ID<QueuedMail>(now: Instant(milliseconds: 1_772_409_600_000))

  init() throws { keys = try KeyRing.loadOrMake(in: folder.path) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func address(of own: String) throws -> ReturnAddress {
    ReturnAddress(of: try MailAddress(own), keys: keys)
  }

  @Test(
    "A generated address is parsed again, in any case of characters",
    arguments: [
      "home@pairspot.example", "Home@pairspot.example", "a+b@x.example", "a+bb@x.example",
      "abcdefghijklmnopqrstuvwxy@x.example",
    ])
  func round(own: String) throws {
    let address = try address(of: own)
    let made = address.make(for: mail)
    #expect(made.localPart.utf8.count <= 64)
    #expect(made.localPart.hasPrefix(own.prefix { $0 != "@" } + "+b"))
    for text in [made.description, made.normalised, made.description.uppercased()] {
      #expect(address.mail(comingBackTo: text) == mail)
    }
    let token = made.localPart.dropFirst(own.prefix { $0 != "@" }.count + 2)
    #expect(token.allSatisfy { ("a"..."z").contains($0) || ("2"..."7").contains($0) })
  }

  @Test("Each changed character of the token makes it a stranger's")
  func forged() throws {
    let address = try address(of: "home@pairspot.example")
    let made = address.make(for: mail).description
    let start = "home+b".count
    for index in start..<made.firstIndex(of: "@")!.utf16Offset(in: made) {
      var characters = Array(made)
      characters[index] = characters[index] == "a" ? "b" : "a"
      #expect(address.mail(comingBackTo: String(characters)) == nil)
    }
  }

  @Test("Cut, lengthened, bare and foreign addresses are refused")
  func strangers() throws {
    let address = try address(of: "home@pairspot.example")
    let made = address.make(for: mail).description
    let token = made.dropFirst("home+b".count).prefix { $0 != "@" }
    for text in [
      "", "@", "home@pairspot.example", "home+b@pairspot.example", "<\(made)>", " \(made)",
      "home+b\(token.dropLast())@pairspot.example", "home+b\(token)a@pairspot.example",
      "home+b\(token)@other.example", "house+b\(token)@pairspot.example", "\(made).evil.example",
      "home+b\(token.dropLast())=@pairspot.example", "home+b\(token.dropLast())é@pairspot.example",
      "home+c\(token)@pairspot.example", String(repeating: "a", count: 100_000),
    ] {
      #expect(address.mail(comingBackTo: text) == nil, "\(text.prefix(100))")
    }
  }

  @Test("Two characters have two addresses, another instance's keys make others")
  func keysMatter() throws {
    let other = folder.appending(path: "other")
    let others = ReturnAddress(
      of: try MailAddress("home@pairspot.example"), keys: try KeyRing.loadOrMake(in: other.path))
    let address = try address(of: "home@pairspot.example")
    #expect(others.mail(comingBackTo: address.make(for: mail).description) == nil)
    #expect(address.make(for: mail) != address.make(for: ID.random()))
  }

  @Test("An address that is read stays good when keys are rotated")
  func rotation() throws {
    let made = try address(of: "home@pairspot.example").make(for: mail)
    let (grown, newest) = keys.addingKeys()
    let rotated = ReturnAddress(
      of: try MailAddress("home@pairspot.example"), keys: try #require(grown.withCurrent(newest)))
    #expect(rotated.mail(comingBackTo: made.description) == mail)
  }

  @Test("An address too long for a token is used as it is")
  func tooLong() throws {
    let own =
      String(repeating: "x", count: ReturnAddress.maximumOwnLocalPartBytes + 1) + "@x.example"
    let address = try address(of: own)
    #expect(address.make(for: mail).description == own)
    #expect(address.mail(comingBackTo: own) == nil)
  }
}
