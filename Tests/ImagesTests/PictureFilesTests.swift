import Core
import Foundation
import Media
import Testing

@testable import ImageProcessing
@testable import Images

@Suite("Stored files get new names and go")
struct PictureFilesTests {
  private func names(_ folder: URL) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  @Test("Linking gives every file a new random name; the old ones stay until they are removed")
  func link() throws {
    let bench = try Bench()
    let pictures = StoredPictures(MediaFolder(bench.stored.deletingLastPathComponent().path))
    let folder = bench.stored.lastPathComponent
    let picture = try bench.process(TestPictures.jpeg(40, 30))
    let other = try bench.process(TestPictures.png(40, 30))
    let before = Set(bench.names)
    let id = try pictures.link(id: picture.id, from: folder, to: "post")
    #expect(ID<PictureFiles.Name>(id)?.description == id && id != picture.id)
    #expect(id[id.index(id.startIndex, offsetBy: 14)] == "4")
    #expect(
      try names(bench.stored.deletingLastPathComponent().appending(path: "post")) == [
        "original_\(id).jpg", "medium_\(id).jpg", "thumb_\(id).jpg", "medium_\(id).webp",
        "thumb_\(id).webp",
      ])
    #expect(Set(bench.names) == before)
    pictures.remove(ids: [picture.id], in: folder)
    #expect(bench.names.count == 3 && bench.names.allSatisfy { $0.contains(other.id) })
  }

  @Test("A failed linking leaves everything as it was")
  func failure() throws {
    let bench = try Bench()
    let pictures = StoredPictures(MediaFolder(bench.stored.deletingLastPathComponent().path))
    let folder = bench.stored.lastPathComponent
    _ = try bench.process(TestPictures.png(40, 30))
    let before = bench.names
    let unknown = ID<PictureFiles.Name>.random().description
    #expect(throws: PictureError.self) {
      try pictures.link(id: unknown, from: folder, to: folder)
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
