import Core
import Foundation
import Media
import Testing

@Suite("Media in a folder")
struct MediaFolderTests {
  private let root = FileManager.default.temporaryDirectory.appending(path: "media-\(UUID())")
  private var store: MediaFolder { MediaFolder(root.path) }

  private struct Stop: Error {}

  private func plain(_ error: MediaError) -> any Error { error }

  private func mode(_ path: String) throws -> Int? {
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(root.path)/\(path)")
    return attributes[.posixPermissions] as? Int
  }

  @Test("What was put is read, measured, linked, listed and deleted")
  func files() throws {
    defer { try? FileManager.default.removeItem(at: root) }
    try store.put([1, 2], as: "couples/a/1")
    #expect(try store.get("couples/a/1", limit: 2) == [1, 2])
    #expect(try store.size(of: "couples/a/1") == 2)
    #expect(try mode("couples/a/1") == 0o640 && mode("couples/a") == 0o700)
    try store.link([MediaLink("couples/a/1", to: "couples/b/2")])
    #expect(try store.files(below: "couples").map(\.path) == ["couples/a/1", "couples/b/2"])
    try store.delete(["couples/a/1", "couples/a/none"])
    #expect(try store.get("couples/a/1", limit: 2) == nil)
    #expect(try store.size(of: "couples/a/1") == nil)
    try store.deleteAll(at: "couples/b")
    try store.deleteAll(at: "couples/b")
    #expect(try store.files(below: "couples").isEmpty)
  }

  @Test("A file is moved into the folder")
  func file() throws {
    defer { try? FileManager.default.removeItem(at: root) }
    try store.put([1], as: "drafts/a")
    let file = root.appending(path: "upload")
    try Data([1, 2, 3]).write(to: file)
    try store.put(file: file.path, as: "drafts/b")
    #expect(try store.get("drafts/b", limit: 3) == [1, 2, 3])
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test("Files are made in place, and the maker's error is thrown")
  func writing() throws {
    defer { try? FileManager.default.removeItem(at: root) }
    let path = try store.write(into: "drafts/p", orThrow: plain) { $0 }
    #expect(path == "\(root.path)/drafts/p")
    #expect(throws: Stop.self) {
      try store.write(into: "drafts/p", orThrow: plain) { _ in throw Stop() }
    }
  }

  @Test("A file is read in its place, one that does not exist is not")
  func reading() throws {
    defer { try? FileManager.default.removeItem(at: root) }
    try store.put([1, 2], as: "drafts/a")
    #expect(try store.read("drafts/a") { $0 } == "\(root.path)/drafts/a")
    #expect(try store.read("drafts/b") { $0 } == nil)
    #expect(throws: Stop.self) { try store.read("drafts/a") { _ in throw Stop() } }
  }

  @Test("If one file can't be linked, none is")
  func halfLinked() throws {
    defer { try? FileManager.default.removeItem(at: root) }
    try store.put([1], as: "drafts/a")
    #expect(throws: MediaError.self) {
      try store.link([
        MediaLink("drafts/a", to: "couples/a"), MediaLink("drafts/none", to: "couples/b"),
      ])
    }
    #expect(try store.files(below: "couples").isEmpty)
  }

  @Test("A file that is larger than wanted is not read")
  func tooLarge() throws {
    defer { try? FileManager.default.removeItem(at: root) }
    try store.put([1, 2, 3], as: "drafts/a")
    #expect(throws: MediaError.self) { try store.get("drafts/a", limit: 2) }
  }
}
