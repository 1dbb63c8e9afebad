import Core
import FakeObjectStore
import Foundation
import HTTPClient
import Media
import Synchronization
import Testing

@testable import S3

@Suite("Media in a bucket")
struct S3StoreTests {
  private let server: FakeObjectStore
  private let folder = FileManager.default.temporaryDirectory.appending(path: "s3-\(UUID())")
  private let log = Log()

  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private struct Stop: Error {}

  private func plain(_ error: MediaError) -> any Error { error }

  init() throws {
    server = try FakeObjectStore()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func settings(secret: String = FakeObjectStore.secretKey) throws -> S3Settings {
    try S3Settings(
      endpoint: server.url, bucket: FakeObjectStore.bucket, region: FakeObjectStore.region,
      accessKey: FakeObjectStore.accessKey,
      secretKey: secret, isPathStyle: true)
  }

  private func store(
    _ settings: S3Settings, attempt: Double = 5, total: Double = 8, rest: Double = 0
  ) -> S3Store {
    let log = log
    return S3Store(
      settings, workFolder: folder.path,
      timing: .init(attempt: attempt, pauses: [0.01, 0.01], total: total, rest: rest),
      clock: SystemClock()
    ) { log.add($0) }
  }

  private func store() throws -> S3Store { store(try settings()) }

  /// The reason why the store is unavailable; nil if it did what it was asked.
  private func reason(_ body: () throws(MediaError) -> Void) -> String? {
    do throws(MediaError) {
      try body()
      return nil
    } catch {
      guard case .unavailable(let reason) = error else { return "\(error)" }
      return reason
    }
  }

  @Test("What was put is read, measured, linked, listed and deleted; each request is signed")
  func files() throws {
    let store = try store()
    let bytes = Array("a picture".utf8)
    try store.put(bytes, as: "couples/a/thumb_1.jpg")
    #expect(try store.get("couples/a/thumb_1.jpg", limit: 100) == bytes)
    #expect(try store.size(of: "couples/a/thumb_1.jpg") == bytes.count)
    try store.link([MediaLink("couples/a/thumb_1.jpg", to: "couples/b/thumb_2.jpg")])
    #expect(try store.files(below: "couples").map(\.path).count == 2)
    #expect(try store.files(below: "couples/b").map(\.size) == [bytes.count])
    try store.delete(["couples/a/thumb_1.jpg", "couples/a/none.jpg"])
    #expect(try store.get("couples/a/thumb_1.jpg", limit: 100) == nil)
    #expect(try store.size(of: "couples/a/thumb_1.jpg") == nil)
    try store.deleteAll(at: "couples/b")
    #expect(try store.files(below: "couples").isEmpty)
    #expect(log.all.isEmpty)
  }

  @Test("A file is put from the disk, and gone from there")
  func file() throws {
    let file = folder.appending(path: "film")
    // Longer than libcurl sends without asking first.
    let bytes = [UInt8](repeating: 7, count: 3 << 20)
    try Data(bytes).write(to: file)
    let store = try store()
    try store.put(file: file.path, as: "drafts/film.mp4")
    #expect(try store.size(of: "drafts/film.mp4") == bytes.count)
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test(
    "New files are made on this machine, stored, and gone from there; unfinished ones aren't stored"
  )
  func writing() throws {
    let store = try store()
    let made = try store.write(into: "drafts/p", orThrow: plain) { path in
      for name in ["a.jpg", "b.jpg", ".c.jpg.part"] {
        try Data("x".utf8).write(to: URL(filePath: "\(path)/\(name)"))
      }
      return 2
    }
    #expect(made == 2)
    #expect(try store.files(below: "drafts").map(\.path) == ["drafts/p/a.jpg", "drafts/p/b.jpg"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("If the store stops in the middle, nothing is left half-done")
  func halfDone() throws {
    let store = try store()
    try store.put([1], as: "drafts/p/z.jpg")
    #expect(throws: MediaError.self) {
      try store.write(into: "drafts/p", orThrow: plain) { path in
        for name in ["a.jpg", "b.jpg"] {
          try Data("x".utf8).write(to: URL(filePath: "\(path)/\(name)"))
        }
        // A folder can't be sent.
        try FileManager.default.removeItem(atPath: "\(path)/b.jpg")
        try FileManager.default.createDirectory(
          atPath: "\(path)/b.jpg", withIntermediateDirectories: false)
      }
    }
    #expect(try store.files(below: "drafts").map(\.path) == ["drafts/p/z.jpg"])
    try store.put([1], as: "drafts/p/y.jpg")
    #expect(throws: MediaError.self) {
      try store.link([
        MediaLink("drafts/p/y.jpg", to: "couples/c/y.jpg"),
        MediaLink("drafts/p/none.jpg", to: "couples/c/none.jpg"),
      ])
    }
    #expect(try store.files(below: "couples").isEmpty)
    #expect(throws: Stop.self) {
      try store.write(into: "drafts/q", orThrow: plain) { path in
        try Data("x".utf8).write(to: URL(filePath: "\(path)/a.jpg"))
        throw Stop()
      }
    }
    #expect(try store.files(below: "drafts/q").isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("A list of many files is read to its end")
  func pages() throws {
    let store = try store()
    for number in 1...7 { try store.put([1], as: "drafts/\(number)") }
    try store.put([1], as: "drafts2/1")
    #expect(try store.files(below: "drafts").map(\.path) == (1...7).map { "drafts/\($0)" })
    try store.deleteAll(at: "drafts")
    #expect(try store.files(below: "drafts").isEmpty)
    #expect(try store.files(below: "drafts2").count == 1)
  }

  @Test(
    "A passing fault is tried again, a few times",
    arguments: ["500 InternalError", "503 SlowDown", "429 TooManyRequests", "silence"])
  func passing(fault: String) throws {
    let store = try store()
    try server.fail([fault, fault])
    try store.put([1], as: "drafts/a")
    #expect(try store.get("drafts/a", limit: 10) == [1])
    #expect(log.all.isEmpty)
    _ = try server.requests()
    try server.fail(Array(repeating: fault, count: 9))
    let why = try #require(reason { () throws(MediaError) in try store.delete(["drafts/a"]) })
    #expect(why.hasPrefix("S3: DELETE 127.0.0.1:") && log.all == [why])
    // libcurl itself tries again once if a kept connection turns out to be closed.
    #expect(try 3...4 ~= server.requests().count)
    try server.fail([])
    #expect(try store.get("drafts/a", limit: 10) == [1])
  }

  @Test(
    "A fault that stays is not tried again, and named",
    arguments: [
      ("403 RequestTimeTooSkewed", "the clocks of this machine and of the store differ"),
      ("403 AccessDenied", "answered 403 AccessDenied"), ("301 PermanentRedirect", "answered 301"),
    ])
  func staying(fault: String, text: String) throws {
    let store = try store()
    try server.fail([fault])
    let why = try #require(reason { () throws(MediaError) in try store.put([1], as: "drafts/a") })
    #expect(why.contains(text) && log.all == [why])
    #expect(try server.requests().count == 1)
  }

  @Test("A wrong key is refused")
  func wrongKey() throws {
    let store = store(try settings(secret: "another"))
    let why = try #require(reason { () throws(MediaError) in try store.put([1], as: "drafts/a") })
    #expect(why.hasSuffix("answered 403 SignatureDoesNotMatch"))
  }

  @Test("A copy that fails after its status is a failure")
  func copyError() throws {
    let store = try store()
    try store.put([1], as: "drafts/a")
    try server.fail(["copy", "copy", "copy"])
    #expect(throws: MediaError.self) { try store.link([MediaLink("drafts/a", to: "couples/a")]) }
    #expect(try store.files(below: "couples").isEmpty)
  }

  @Test("A slow store is not waited for, and not asked again for a while")
  func slow() throws {
    let store = store(try settings(), attempt: 0.3, total: 0.1, rest: 60)
    try server.fail(["slow"])
    let why = try #require(reason { () throws(MediaError) in try store.put([1], as: "drafts/a") })
    #expect(try server.requests().count == 1)
    let again = reason { () throws(MediaError) in try store.delete(["drafts/b"]) }
    #expect(again == why)
    #expect(try server.requests().isEmpty)
  }

  @Test("A store that is away is reported")
  func away() throws {
    let store = try store()
    server.stop()
    let why = reason { () throws(MediaError) in _ = try store.size(of: "drafts/a") }
    #expect(why?.hasPrefix("S3: HEAD 127.0.0.1:") == true)
  }

  @Test("A file that is larger than wanted is not read")
  func tooLarge() throws {
    let store = try store()
    try store.put([UInt8](repeating: 1, count: 1000), as: "drafts/a")
    let why = reason { () throws(MediaError) in _ = try store.get("drafts/a", limit: 999) }
    #expect(why?.contains("longer than 999 bytes") == true)
  }

  @Test(
    "A path that nginx would not pass on, or that leads elsewhere, is not used",
    arguments: ["", "/a", "a//b", "a/../b", "a b", "a?b", "梅/a"])
  func unsafePath(path: String) throws {
    let store = try store()
    #expect(throws: MediaError.failed("not the path of a file: \(path)")) {
      try store.put([1], as: path)
    }
    #expect(try server.requests().isEmpty)
  }

  @Test("The location for nginx is a signed address of the file, without the host")
  func location() throws {
    let store = try store()
    try store.put([1, 2], as: "couples/a/thumb_1.jpg")
    let location = store.location(of: "couples/a/thumb_1.jpg")
    #expect(location.hasPrefix("/stored-media/couples/a/thumb_1.jpg?X-Amz-Algorithm="))
    #expect(location.contains("&X-Amz-Expires=60&"))
    let rest = location.dropFirst("/stored-media".count)
    let answer = try HTTPClient().send(HTTPCall("GET", "\(server.url)/media\(rest)"))
    #expect(answer.status == 200 && answer.body == [1, 2])
    let other = rest.replacing("thumb_1", with: "thumb_2")
    #expect(try HTTPClient().send(HTTPCall("GET", "\(server.url)/media\(other)")).status == 403)
  }
}
