import Films
import Foundation
import Glibc
import HTTPTypes
import Testing
import Web

@testable import App

@Suite("Files are for their owner alone, and the program is another's")
struct FileModeTests {
  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test(
    "The doctor names a data folder and a database that others can read, and closes them",
    .onSQLite("it reads the file"))
  func open() throws {
    let instance = try TestInstance()
    let configuration = instance.instance.configuration
    chmod(configuration.data, 0o755)
    chmod(configuration.databasePath, 0o644)
    var said: [String] = []
    _ = try instance.look(repair: false) { said.append($0) }
    let name = PrivateFiles.name
    #expect(said.contains("\(name): \(configuration.data) is accessible to other users"))
    #expect(said.contains("\(name): \(configuration.databasePath) is accessible to other users"))
    #expect(mode(configuration.data) == 0o755)
    _ = try instance.look(repair: true) { said.append($0) }
    #expect(mode(configuration.data) == 0o700)
    #expect(mode(configuration.databasePath) == 0o600)
    #expect(PrivateFiles(configuration).find() == [])
  }

  @Test("The doctor misses the program that processes pictures")
  func pictures() throws {
    let instance = try TestInstance()
    let find = { try ProgramDoctor.pictures($0).find(instance.database) }
    #expect(try find(Installation.pictureProgram) == [])
    #expect(try find("/nowhere") == ["/nowhere is missing: no pictures can be uploaded"])
  }

  @Test("The doctor notes that ffmpeg is missing")
  func films() {
    let films = FilmProcessor(
      ffmpeg: "/nowhere", ffprobe: "/nowhere", limiter: Installation.pictureProgram,
      maximumChildren: 1, maximumWaiting: 1, timeout: 1)
    let note = "ffmpeg is not installed: no films and voice notes can be uploaded"
    #expect(ProgramDoctor.films(films) == [note])
  }

  @Test("The program's files are another's, unless its user owns them or may write them")
  func program() throws {
    let share = FileManager.default.temporaryDirectory.appending(path: "share-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: share) }
    let template = "\(share)/templates/a.mustache"
    for folder in ["templates", "public", "deploy"] {
      try FileManager.default.createDirectory(
        atPath: "\(share)/\(folder)", withIntermediateDirectories: true)
    }
    try Data().write(to: URL(filePath: template))
    let other = ProgramDoctor(share: share, user: geteuid() + 1, groups: [getegid()])
    #expect(other.find() == [])
    for mode in [0o666, 0o664] as [mode_t] {
      chmod(template, mode)
      #expect(other.find().count == 1, "\(mode)")
    }
    chmod(template, 0o644)
    #expect(other.find() == [])
    #expect(ProgramDoctor(share: share, user: geteuid(), groups: []).find().count == 3)
  }

  @Test("Copies of assets have a fixed file mode, for any mode of the program's files")
  func assetCopies() throws {
    let instance = try TestInstance()
    try HashedAssets(instance.instance).write()
    let run = instance.instance.configuration.runFolder
    let kept = try FileManager.default.contentsOfDirectory(atPath: "\(run)/kept/assets")
    let copy = "\(run)/kept/assets/\(try #require(kept.first))"
    #expect(mode("\(copy)/css/all.css") & 0o077 == 0)
    #expect(mode(copy) & 0o077 == 0)
  }

  @Test("A plain CGI sends a file itself, without its inner path")
  func plainCGI() throws {
    let instance = try TestInstance()
    let files = PlainCGIFiles(instance.instance.configuration)
    try Data("bytes".utf8).write(
      to: URL(filePath: "\(instance.instance.configuration.mediaFolder)/a.png"))
    var found = Response.protectedFile(
      "a.png", contentType: "image/png", cacheControl: "private, no-store")
    var sent: [UInt8] = []
    let opened = files.open(for: &found)
    try #require(opened).send { sent += $0 }
    #expect(String(decoding: sent, as: UTF8.self) == "bytes")
    #expect(found.headers[.contentLength] == "5" && found.headers[.accelRedirect] == nil)
    #expect(found.headers[.xContentTypeOptions] == "nosniff")
    var gone = Response.protectedFile("b.png", contentType: "image/png", cacheControl: "public")
    let missing = files.open(for: &gone)
    #expect(missing == nil)
    #expect(gone.status == .notFound)
    #expect(gone.headers[.cacheControl] == "no-store" && gone.headers[.accelRedirect] == nil)
    var live = Response.liveStream("/live/a/b")
    let stream = files.open(for: &live)
    #expect(stream == nil)
    #expect(live.status == .notImplemented)
    #expect(live.headers[.accelRedirect] == nil)
  }
}
