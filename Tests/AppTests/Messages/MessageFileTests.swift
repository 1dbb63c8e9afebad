import Accounts
import Core
import Database
import Foundation
import HTTPTypes
import Messages
import Testing

@testable import App

@Suite("Pictures and voice notes of messages are encrypted at rest")
struct MessageFileTests {
  private let files: MessageFileScenario

  init() throws { files = try MessageFileScenario() }

  private var instance: TestInstance { files.instance }
  private var ann: TestClient { files.people.ann }
  private var cy: TestClient { files.people.cy }
  private var sam: TestClient { files.people.sam }

  // MARK: Storing and sending

  @Test("No stored file has a picture's bytes, and the page serves the very picture")
  func pictures() throws {
    let (_, addresses) = try files.sendPicture()
    for path in try files.stored() {
      let bytes = Data(try files.bytes(path))
      #expect(bytes.range(of: Data(MessageFileScenario.pngSignature)) == nil, "\(path)")
      #expect(bytes.range(of: Data("IHDR".utf8)) == nil, "\(path)")
    }
    var size = 0
    for address in addresses {
      let answer = cy.get(address)
      #expect(answer.status == 200 && answer.headers[.contentType] == "image/png")
      #expect(answer.body.starts(with: MessageFileScenario.pngSignature))
      #expect(answer.headers[.cacheControl] == "private, no-store")
      #expect(answer.headers[.xContentTypeOptions] == "nosniff")
      #expect(answer.headers[.contentSecurityPolicy]?.hasPrefix("sandbox;") == true)
      #expect(answer.headers[.accelRedirect] == nil)
      #expect(answer.headers[.contentLength] == String(answer.body.count))
      let head = cy.send(.head, address)
      #expect(head.status == 200 && head.headers[.contentLength] == String(answer.body.count))
      size += answer.body.count
      #expect(sam.get(address).status == 404)
      #expect(instance.browser().get(address).status == 303)
    }
    #expect(try instance.count("SELECT bytes FROM message_pictures") == size)
  }

  @Test("Nothing of a sent or refused picture is left in the folder of uploads")
  func uploads() throws {
    _ = try files.sendPicture()
    let refused = ann.message(
      "", to: files.conversation, pictures: [SmallPicture.png, [1, 2, 3]])
    #expect(refused.status == 415 || refused.status == 422)
    let left = try FileManager.default.contentsOfDirectory(
      atPath: instance.instance.configuration.uploadFolder)
    #expect(left.filter { $0 != "stories" } == [])
    #expect(try files.stored().count == 3)
  }

  @Test("Parts of a voice note can be asked for, before and after it is encrypted")
  func ranges() throws {
    let (_, address) = try files.plantVoice()
    let count = MessageFileScenario.sound.count
    for isEncrypted in [false, true] {
      if isEncrypted { try files.encrypt() }
      #expect(
        try files.stored().allSatisfy { $0.hasSuffix(MessageFileScenario.ending) == isEncrypted })
      let whole = cy.get(address)
      #expect(whole.status == 200 && whole.body == MessageFileScenario.sound)
      #expect(whole.headers[.contentType] == "audio/mp4")
      #expect(whole.headers[.acceptRanges] == "bytes")
      let part = cy.get(address, headers: [.range: "bytes=4-7"])
      #expect(part.status == 206 && part.text == "ftyp")
      #expect(part.headers[.contentRange] == "bytes 4-7/\(count)")
      #expect(part.headers[.contentType] == "audio/mp4")
      let behind = cy.get(address, headers: [.range: "bytes=\(count)-"])
      #expect(behind.status == 416 && behind.body == [])
      #expect(sam.get(address, headers: [.range: "bytes=0-1"]).status == 404)
    }
    let path = try #require(try files.stored().first)
    #expect(Data(try files.bytes(path)).range(of: Data("ftyp".utf8)) == nil)
  }

  @Test("A changed, cut or exchanged file is an error, never another picture")
  func damaged() throws {
    let (_, addresses) = try files.sendPicture()
    let paths = try files.stored()
    let path = try #require(paths.first)
    let good = try files.bytes(path)
    for place in [0, 5, good.count / 2, good.count - 1] {
      var bad = good
      bad[place] ^= 1
      try files.write(bad, to: path)
      let answer = ann.get(addresses[0])
      #expect(answer.status == 500, "\(place)")
      #expect(answer.headers[.contentType]?.hasPrefix("text/html") == true, "\(place)")
    }
    for bad in [[], Array(good.dropLast()), try files.bytes(paths[1])] {
      try files.write(bad, to: path)
      #expect(ann.get(addresses[0]).status == 500)
    }
    try files.write(good, to: path)
    #expect(ann.get(addresses[0]).status == 200)
    try FileManager.default.removeItem(atPath: "\(files.media)/\(path)")
    #expect(ann.get(addresses[0]).status == 404)
  }

  // MARK: Keys

  @Test("Rotating the keys seals those of files again and leaves the files alone")
  func rotation() throws {
    let (_, addresses) = try files.sendPicture()
    let (_, voice) = try files.plantVoice()
    try files.encrypt()
    let (pictures, before) = (files.contents(addresses), try files.stored().map(files.bytes))
    func sealed() throws -> [[UInt8]] {
      try instance.database.read {
        try $0.values(
          """
          SELECT key_sealed FROM message_pictures
          UNION ALL SELECT voice_key_sealed FROM messages WHERE voice_id IS NOT NULL
          """, as: [UInt8].self)
      }
    }
    let keys = try sealed()
    _ = try KeyRotation(instance.instance).run()
    #expect(try keys.count == 2 && Set(keys).isDisjoint(with: sealed()))
    #expect(try files.stored().map(files.bytes) == before)
    let ann = TestClient(try instance.reopened().application)
    #expect(ann.signIn("ann@example.test", TestInstance.password).status == 303)
    #expect(addresses.map { ann.get($0).body } == pictures)
    #expect(ann.get(voice).body == MessageFileScenario.sound)
  }

  @Test("The key of a voice note goes with its message")
  func deleted() throws {
    let (message, address) = try files.plantVoice()
    try files.encrypt()
    let keys: Query = "SELECT count(*) FROM messages WHERE voice_key_sealed IS NOT NULL"
    #expect(try instance.count(keys) == 1)
    let path = "/conversations/\(files.conversation)/messages/\(message)"
    #expect(ann.call(.delete, path).status == 204)
    #expect(try instance.count(keys) == 0)
    #expect(try files.stored() == [] && ann.get(address).status == 404)
  }

  // MARK: Other readers

  @Test("Moderators see a reported picture, and none of a message that was not reported")
  func reported() throws {
    let (message, addresses) = try files.sendPicture()
    let (_, others) = try files.sendPicture()
    let moderator = try instance.moderator()
    #expect(moderator.get(addresses[0]).status == 404)
    #expect(cy.report("/messages/\(files.conversation)/\(message)").status == 303)
    let shown = moderator.get(try instance.onlyCase(moderator)).pictures
    let picture = try #require(shown.first { $0.contains(message) })
    #expect(addresses.contains(picture))
    #expect(moderator.get(picture).body == ann.get(picture).body)
    #expect(moderator.get(picture).body.starts(with: MessageFileScenario.pngSignature))
    #expect(moderator.get(others[0]).status == 404)
  }

  @Test("An export has pictures and voice notes decrypted; a damaged one is missing")
  func exported() throws {
    let (_, addresses) = try files.sendPicture()
    let (_, voice) = try files.plantVoice()
    let person = try instance.person("Ann")
    let participant = instance.instance.features.messages.participant
    // Listed before they are encrypted, and read after that.
    let media = try instance.database.read { try participant.exportedMedia(of: person, from: $0) }
    try files.encrypt()
    let original = try #require(addresses.first { $0.contains("original_") })
    let expected: [[UInt8]?] = [ann.get(original).body, ann.get(voice).body]
    #expect(expected[1] == MessageFileScenario.sound)
    #expect(try media.map { try $0.content?() } == expected)
    let later = try instance.database.read { try participant.exportedMedia(of: person, from: $0) }
    let paths = Set(later.map(\.path))
    #expect(try paths.count == 2 && paths.isSubset(of: files.stored()))
    for path in paths { try files.write([1, 2, 3], to: path) }
    #expect(try later.map { try $0.content?() } == [nil, nil])
  }

  @Test("Backups and the doctor know the files by their names on disk")
  func named() throws {
    func known() throws -> Set<String> {
      try instance.database.read { reader in
        try MessagesModule.namedFiles.reduce(into: Set<String>()) {
          try $0.formUnion($1.find(reader))
        }
      }
    }
    _ = try files.sendPicture()
    _ = try files.plantVoice()
    #expect(try known() == Set(files.stored()))
    try files.decryptAll()
    #expect(try known() == Set(files.stored()))
    try files.encrypt()
    #expect(try known() == Set(files.stored()))
    try files.expectEncrypted()
  }
}
