import Core
import Database
import Foundation
import Testing

@testable import App

/// A conversation of two couples with files in its messages.
struct MessageFileScenario {
  static let ending = ".sealed"
  static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
  /// The beginning of an M4A file, and 200 different bytes.
  static let sound: [UInt8] =
    [0, 0, 0, 24] + Array("ftypM4A ".utf8) + (0..<200).map { UInt8($0) }

  let people: MessageScenario
  let conversation: String

  init() throws {
    people = try MessageScenario()
    conversation = try people.talking()
  }

  var instance: TestInstance { people.instance }
  var media: String { instance.instance.configuration.mediaFolder }

  /// The files of messages, below the media folder.
  func stored() throws -> [String] {
    try instance.mediaFiles().filter { $0.hasPrefix("messages/") }.sorted()
  }

  func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: "\(media)/\(path)")))
  }

  func write(_ bytes: [UInt8], to path: String) throws {
    let file = URL(filePath: "\(media)/\(path)")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  /// Sends a message of Ann's with a picture; returns the message and the addresses of the files.
  func sendPicture() throws -> (message: String, addresses: [String]) {
    let sent = people.ann.message("", to: conversation, pictures: [SmallPicture.png])
    let message = try #require(sent.json["id"] as? String, "\(sent.text)")
    let files = try stored().filter { $0.contains(message) }
    try #require(files.count == 3 && files.allSatisfy { $0.hasSuffix(Self.ending) })
    return (message, files.map { "/media/\($0.dropLast(Self.ending.count))" })
  }

  func contents(_ addresses: [String]) -> [[UInt8]] {
    addresses.map { people.ann.get($0).body }
  }

  /// Gives a message of Ann's a voice note as an earlier version stored it; returns the message and
  /// the address.
  func plantVoice() throws -> (message: String, address: String) {
    let sent = people.ann.message("Words", to: conversation)
    let message = try #require(sent.json["id"] as? String)
    let (id, voice) = (try #require(ID<Int>(message)), ID<Int>.random())
    let path = "messages/\(conversation)/\(message)/voice_\(voice).m4a"
    try write(Self.sound, to: path)
    try instance.database.write {
      try $0.execute(
        "UPDATE messages SET voice_id = \(voice), voice_milliseconds = 4200 WHERE id = \(id)")
    }
    return (message, "/media/\(path)")
  }

  /// Puts all pictures into the state of an earlier version, unencrypted.
  func decryptAll() throws {
    let paths = try stored().filter { $0.hasSuffix(Self.ending) }
    for path in paths {
      let plain = String(path.dropLast(Self.ending.count))
      try write(people.ann.get("/media/\(plain)").body, to: plain)
    }
    try instance.database.write { try $0.execute("UPDATE message_pictures SET key_sealed = NULL") }
    for path in paths { try FileManager.default.removeItem(atPath: "\(media)/\(path)") }
  }

  /// Runs the next round of encrypting.
  func encrypt() throws {
    instance.clock.advance(seconds: 301)
    try instance.work()
  }

  func expectEncrypted() throws {
    let files = try stored()
    #expect(files.allSatisfy { $0.hasSuffix(Self.ending) }, "\(files)")
    #expect(
      try instance.count("SELECT count(*) FROM message_pictures WHERE key_sealed IS NULL") == 0)
    #expect(try instance.count("SELECT count(*) FROM file_removals") == 0)
  }
}
