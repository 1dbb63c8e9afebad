import Core
import FakeObjectStore
import Foundation
import Media
import Testing

@testable import App

@Suite("pairspot move-media")
struct MoveMediaTests {
  private let server: FakeObjectStore
  private let instance: TestInstance
  private let bucket: any MediaStore

  /// An instance with files, which knows a bucket.
  init() throws {
    server = try FakeObjectStore()
    let variables = server.variables
    instance = try TestInstance(variables: variables.merging(["PAIRSPOT_MEDIA": "files"]) { $1 })
    bucket = try instance.configuration(data: instance.folder.path, variables).media { _ in }
    try instance.couple()
    let ann = try instance.signedIn("ann")
    try ann.writeWithPicture("Words")
    _ = try ann.addPhoto()
    try ann.share("Snow")
    ann.message("Words", to: try ann.coupleID(), pictures: [SmallPicture.png])
  }

  private var configuration: Configuration { instance.instance.configuration }

  @discardableResult
  private func move(to target: String) throws -> [String] {
    var said: [String] = []
    try MoveMedia(configuration).run(to: target) { said.append($0) }
    return said
  }

  private func inFolder() throws -> [String: [UInt8]] {
    let paths = try instance.mediaFiles()
    let bytes = try paths.map {
      Array(try Data(contentsOf: URL(filePath: "\(configuration.mediaFolder)/\($0)")))
    }
    return Dictionary(uniqueKeysWithValues: zip(paths, bytes))
  }

  private func inBucket() throws -> [String: [UInt8]] {
    let paths = try Configuration.mediaFolders.flatMap {
      try bucket.files(below: $0).map(\.path)
    }
    let bytes = try paths.map { try #require(try bucket.get($0, limit: 1 << 20)) }
    return Dictionary(uniqueKeysWithValues: zip(paths, bytes))
  }

  @Test("All files are the same there and back again, and what is there is not copied again")
  func thereAndBack() throws {
    let before = try inFolder()
    #expect(before.count == 12)
    let first = try move(to: "s3")
    let address = "\(server.url)/\(FakeObjectStore.bucket)"
    #expect(first.first == "copying media/ to \(address)")
    #expect(first.contains("messages: 3 files copied (0 MiB), 0 there already"))
    #expect(first.last == "all: 12 files copied (0 MiB), 0 there already")
    #expect(try inBucket() == before)
    #expect(try inFolder() == before)
    try instance.signedIn("ben").share("Rain")
    #expect(try move(to: "s3").last == "all: 3 files copied (0 MiB), 12 there already")
    let after = try inFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: configuration.mediaFolder) {
      try FileManager.default.removeItem(atPath: "\(configuration.mediaFolder)/\(name)")
    }
    #expect(try move(to: "files").last == "all: 15 files copied (0 MiB), 0 there already")
    #expect(try inFolder() == after)
    #expect(try inBucket() == after)
    let left = try FileManager.default.contentsOfDirectory(atPath: configuration.uploadFolder)
    #expect(left.allSatisfy { !$0.hasPrefix("upload-") })
  }

  @Test("A move that a fault ends is continued by the next one")
  func fault() throws {
    try server.fail(Array(repeating: "", count: 9) + ["403 AccessDenied"])
    #expect(throws: MediaError.self) { try move(to: "s3") }
    try server.fail([])
    let some = try inBucket().count
    #expect((1..<12).contains(some))
    let last = "all: \(12 - some) files copied (0 MiB), \(some) there already"
    #expect(try move(to: "s3").last == last)
    #expect(try inBucket() == inFolder())
  }

  @Test("A shorter copy is made again; unfinished files and foreign names are left out")
  func leftOut() throws {
    let path = try #require(try inFolder().keys.min())
    try bucket.put([1], as: path)
    let folder = URL(filePath: configuration.mediaFolder).appending(path: "moments")
    for name in [".a.part", "a b.jpg"] { try Data([1]).write(to: folder.appending(path: name)) }
    let said = try move(to: "s3")
    #expect(said.contains("skipped, not a name that PairSpot gives: moments/a b.jpg"))
    #expect(said.last == "all: 12 files copied (0 MiB), 0 there already")
    #expect(try inBucket()[path] == inFolder()[path])
  }

  @Test("Files of messages that are not encrypted yet are not moved")
  func plainMessages() throws {
    let path = "messages/3f2504e0-4f89-41d3-9a0c-0305e82c3301/a.jpg"
    try MediaFolder(configuration.mediaFolder).put([1], as: path)
    #expect(throws: MoveMedia.Refused.self) { try move(to: "s3") }
    #expect(try inBucket().isEmpty)
  }

  @Test("Another target, and an instance that knows no bucket, are refused")
  func refused() throws {
    #expect(throws: MoveMedia.Refused.self) { try move(to: "ftp") }
    let other = try instance.configuration(
      data: "\(instance.folder.path)/other", ["PAIRSPOT_S3_BUCKET": ""])
    #expect(throws: MoveMedia.Refused.self) {
      try MoveMedia(other).run(to: "s3") { _ in }
    }
  }
}
