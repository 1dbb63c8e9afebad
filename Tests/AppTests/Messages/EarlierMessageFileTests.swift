import Database
import Foundation
import Testing

@testable import App

@Suite("Files of messages that an earlier version stored unencrypted")
struct EarlierMessageFileTests {
  private let files: MessageFileScenario

  init() throws { files = try MessageFileScenario() }

  private var instance: TestInstance { files.instance }
  private var ann: TestClient { files.people.ann }
  private var sam: TestClient { files.people.sam }

  @Test("Files of an earlier version are served as they are, and then encrypted by the worker")
  func earlier() throws {
    let (_, addresses) = try files.sendPicture()
    let before = files.contents(addresses)
    try files.decryptAll()
    #expect(files.contents(addresses) == before)
    #expect(sam.get(addresses[0]).status == 404)
    try files.encrypt()
    #expect(files.contents(addresses) == before)
    try files.expectEncrypted()
  }

  @Test("What an interrupted attempt left is replaced")
  func interrupted() throws {
    let (_, addresses) = try files.sendPicture()
    let before = files.contents(addresses)
    try files.decryptAll()
    let plain = try files.stored()
    for path in plain {
      let name = URL(filePath: path).lastPathComponent
      try files.write([1, 2, 3], to: "\(path)\(MessageFileScenario.ending)")
      try files.write(
        [4], to: path.replacing(name, with: ".\(name)\(MessageFileScenario.ending).part"))
    }
    #expect(files.contents(addresses) == before)
    try files.encrypt()
    #expect(files.contents(addresses) == before)
    #expect(try files.stored() == plain.map { "\($0)\(MessageFileScenario.ending)" })
    try files.expectEncrypted()
  }

  @Test("While the database takes no key, the plain files stay and are served")
  func refused() throws {
    let (_, addresses) = try files.sendPicture()
    let before = files.contents(addresses)
    try files.decryptAll()
    let plain = try files.stored()
    try instance.migrate(
      """
      CREATE TRIGGER refuses BEFORE UPDATE OF key_sealed ON message_pictures BEGIN
        SELECT RAISE(ABORT, 'no');
      END
      """)
    try files.encrypt()
    #expect(try files.contents(addresses) == before && Set(plain).isSubset(of: files.stored()))
    try instance.migrate("DROP TRIGGER refuses")
    try files.encrypt()
    #expect(files.contents(addresses) == before)
    try files.expectEncrypted()
  }

  @Test("Plain files that are left after the key was stored are removed later")
  func left() throws {
    let (_, addresses) = try files.sendPicture()
    let before = files.contents(addresses)
    let plain = addresses.map { String($0.dropFirst("/media/".count)) }
    for path in plain { try files.write([1], to: path) }
    try instance.database.write { writer in
      for path in plain {
        try writer.execute("INSERT INTO file_removals (path) VALUES (\(path))")
      }
    }
    #expect(files.contents(addresses) == before)
    try files.encrypt()
    #expect(files.contents(addresses) == before)
    try files.expectEncrypted()
  }

  @Test("A picture with a missing file keeps no other one from being encrypted")
  func missing() throws {
    let (lost, _) = try files.sendPicture()
    let (_, addresses) = try files.sendPicture()
    let before = files.contents(addresses)
    try files.decryptAll()
    for path in try files.stored() where path.contains(lost) && path.contains("/thumb_") {
      try FileManager.default.removeItem(atPath: "\(files.media)/\(path)")
    }
    try files.encrypt()
    #expect(files.contents(addresses) == before)
    let plain = try files.stored().filter { !$0.hasSuffix(MessageFileScenario.ending) }
    #expect(plain.count == 2 && plain.allSatisfy { $0.contains(lost) })
  }
}
