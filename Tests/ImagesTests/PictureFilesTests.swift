import Core
import Foundation
import Testing

@testable import ImageProcessing
@testable import Images

@Suite("Stored files get new names and go")
struct PictureFilesTests {
  private func moved(_ bench: Bench) throws -> URL {
    let other = bench.folder.appending(path: "post")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    return other
  }

  private func names(_ folder: URL) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  @Test("Renaming gives every file a new random name and takes the old ones away")
  func rename() throws {
    let bench = try Bench()
    let picture = try bench.process(TestPictures.jpeg(40, 30))
    let before = try bench.names.map { try bench.bytes($0) }
    let id = try PictureFiles.rename(
      id: picture.id, from: bench.stored.path, to: bench.stored.path)
    #expect(id != picture.id)
    #expect(ID<PictureFiles.Name>(id)?.description == id)
    #expect(id[id.index(id.startIndex, offsetBy: 14)] == "4")
    #expect(bench.names.count == 5 && bench.names.allSatisfy { $0.contains(id) })
    #expect(try bench.names.map { try bench.bytes($0) } == before)
  }

  @Test("A draft's files go to the post's folder; other pictures stay")
  func move() throws {
    let bench = try Bench()
    let draft = try bench.process(TestPictures.jpeg(40, 30))
    let other = try bench.process(TestPictures.png(40, 30))
    let folder = try moved(bench)
    let id = try PictureFiles.rename(id: draft.id, from: bench.stored.path, to: folder.path)
    #expect(
      try names(folder) == [
        "original_\(id).jpg", "medium_\(id).jpg", "thumb_\(id).jpg", "medium_\(id).webp",
        "thumb_\(id).webp",
      ])
    #expect(bench.names.count == 3 && bench.names.allSatisfy { $0.contains(other.id) })
  }

  @Test("Linking leaves the old names until they are removed")
  func link() throws {
    let bench = try Bench()
    let picture = try bench.process(TestPictures.png(40, 30))
    let id = try PictureFiles.link(
      id: picture.id, from: bench.stored.path, to: bench.stored.path)
    #expect(bench.names.count == 6)
    PictureFiles.remove(id: picture.id, in: bench.stored.path)
    #expect(bench.names.count == 3 && bench.names.allSatisfy { $0.contains(id) })
  }

  @Test("A failed renaming leaves everything as it was")
  func failure() throws {
    let bench = try Bench()
    let picture = try bench.process(TestPictures.png(40, 30))
    let before = bench.names
    #expect(throws: PictureError.self) {
      try PictureFiles.rename(id: picture.id, from: bench.stored.path, to: "/nowhere")
    }
    #expect(throws: PictureError.self) {
      try PictureFiles.rename(
        id: ID<PictureFiles.Name>.random().description, from: bench.stored.path,
        to: bench.stored.path)
    }
    #expect(bench.names == before)
  }

  @Test("Removing takes all files of one picture, unfinished ones too, and only those")
  func remove() throws {
    let bench = try Bench()
    let picture = try bench.process(TestPictures.jpeg(40, 30))
    let other = try bench.process(TestPictures.jpeg(40, 30))
    try Data("x".utf8).write(
      to: bench.stored.appending(path: ".medium_\(picture.id).jpg.part"))
    PictureFiles.remove(id: picture.id, in: bench.stored.path)
    #expect(bench.names.count == 5 && bench.names.allSatisfy { $0.contains(other.id) })
    PictureFiles.remove(id: picture.id, in: bench.stored.path)
    PictureFiles.remove(id: "../x", in: bench.stored.path)
  }

  @Test("Stored files are for their owner and group alone")
  func mode() throws {
    let bench = try Bench()
    let picture = try bench.process(TestPictures.png(40, 30))
    let path = bench.stored.appending(path: "original_\(picture.id).png").path
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    let mode = try #require(attributes[.posixPermissions] as? Int)
    #expect(mode & 0o7 == 0 && mode & 0o600 == 0o600)
  }
}
