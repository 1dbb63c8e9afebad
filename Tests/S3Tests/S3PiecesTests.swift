import Core
import FakeObjectStore
import Foundation
import Media
import Testing

@testable import S3

@Suite("Large files in a bucket")
struct S3PiecesTests {
  private let server: FakeObjectStore
  private let store: S3Store
  private let folder = FileManager.default.temporaryDirectory.appending(path: "s3-\(UUID())")

  init() throws {
    server = try FakeObjectStore()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let settings = try S3Settings(
      endpoint: server.url, bucket: FakeObjectStore.bucket, region: FakeObjectStore.region,
      accessKey: FakeObjectStore.accessKey, secretKey: FakeObjectStore.secretKey,
      isPathStyle: true)
    store = S3Store(
      settings, workFolder: folder.path, pieceSize: 1000,
      timing: .init(attempt: 5, pauses: [0.01, 0.01], total: 8, rest: 0), clock: SystemClock()
    ) { _ in }
  }

  @Test("A large file is sent and fetched in pieces, each of which is tried again")
  func pieces() throws {
    let file = folder.appending(path: "film")
    let bytes = (0..<2500).map { UInt8(truncatingIfNeeded: $0 * 7) }
    try Data(bytes).write(to: file)
    try server.fail(["503 SlowDown", "", "500 InternalError", "", "", "copy"])
    try store.put(file: file.path, as: "drafts/film.mp4")
    #expect(!FileManager.default.fileExists(atPath: file.path))
    #expect(try server.uploads().isEmpty)
    #expect(try store.get("drafts/film.mp4", limit: 3000) == bytes)
    _ = try server.requests()
    try server.fail(["", "", "503 SlowDown"])
    let copy = try store.read("drafts/film.mp4") { path in
      (path, Array(try Data(contentsOf: URL(filePath: path))))
    }
    #expect(copy?.1 == bytes)
    #expect(
      try server.requests() == [
        "HEAD /media/drafts/film.mp4", "GET /media/drafts/film.mp4", "GET /media/drafts/film.mp4",
        "GET /media/drafts/film.mp4", "GET /media/drafts/film.mp4",
      ])
    #expect(copy.map { FileManager.default.fileExists(atPath: $0.0) } == false)
    #expect(try store.read("drafts/none.mp4") { $0 } == nil)
  }

  @Test("A large file that can't be sent to its end does not appear, and is still here")
  func unfinished() throws {
    let file = folder.appending(path: "film")
    try Data([UInt8](repeating: 7, count: 2500)).write(to: file)
    try server.fail(["", "", "403 AccessDenied"])
    #expect(throws: MediaError.self) {
      try store.put(file: file.path, as: "drafts/film.mp4")
    }
    #expect(try store.size(of: "drafts/film.mp4") == nil)
    #expect(try server.uploads().isEmpty)
    #expect(FileManager.default.fileExists(atPath: file.path))
  }

  @Test("A copy that can't be fetched to its end is not used, and gone")
  func unfetched() throws {
    try store.put([UInt8](repeating: 7, count: 2500), as: "drafts/film.mp4")
    try server.fail(["", "", "403 AccessDenied"])
    #expect(throws: MediaError.self) {
      try store.read("drafts/film.mp4") { _ in Issue.record("used") }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}
