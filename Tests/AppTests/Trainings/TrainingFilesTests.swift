import Core
import Foundation
import Media
import Testing
import Web

@testable import App
@testable import Trainings

@Suite("Covers and videos of trainings")
struct TrainingFilesTests {
  private func files(_ instance: TestInstance, _ ending: String) throws -> [String] {
    try instance.mediaFiles().filter { $0.hasSuffix(ending) }.sorted()
  }

  /// Files in the upload folder; the stories' own folder always exists.
  private func uploads(_ instance: TestInstance) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(
      atPath: instance.instance.configuration.uploadFolder
    )
    .filter { $0 != "stories" }
  }

  @Test(
    "A video is kept under a random name, readable for the web server, and nothing else is left")
  func video() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.makeTraining("Hills")
    #expect(admin.sendVideo(adminPage).location == adminPage)
    let path = try #require(try files(instance, ".mp4").first)
    #expect(path.hasPrefix(String(adminPage.asMedia.dropFirst("/media/".count))))
    let full = "\(instance.instance.configuration.mediaFolder)/\(path)"
    #expect([UInt8](try Data(contentsOf: URL(filePath: full))) == SmallFilm.mp4)
    let mode = try FileManager.default.attributesOfItem(atPath: full)[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try uploads(instance) == [])
    let answer = admin.get("/media/\(path)")
    #expect(answer.status == 200 && answer.headers[.contentType] == "video/mp4")
    #expect(admin.get(adminPage).shows("1:30"))
  }

  @Test("A new video takes the place of the old one, whose file and address go")
  func replacing() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.publishTraining("Hills")
    admin.sendVideo(adminPage)
    let old = try #require(try files(instance, ".mp4").first)
    let other = SmallFilm.mp4 + [0, 0, 0, 8] + Array("free".utf8)
    #expect(admin.sendVideo(adminPage, other).status == 303)
    let new = try files(instance, ".mp4")
    #expect(new.count == 1 && new.first != old)
    #expect(admin.get("/media/\(old)").status == 404)
    #expect(try instance.count("SELECT video_bytes FROM trainings") == other.count)
    #expect(admin.get("\(adminPage)/video").shows("href=\"\(adminPage)/video?ask=remove\""))
    let question = admin.get("\(adminPage)/video?ask=remove")
    #expect(question.shows("Remove the video?") && question.value(of: "remove") == "1")
    #expect(admin.upload("\(adminPage)/video", [("remove", "1")], files: []).status == 303)
    #expect(try files(instance, ".mp4") == [])
    #expect(!admin.get(adminPage.asPeople).shows("<video"))
  }

  private static let noFilms: [(bytes: [UInt8], words: String)] = [
    (Array("<script>alert(1)</script>".utf8), "Not an MP4 file"),
    (SmallPicture.png, "Not an MP4 file"),
    (Array(SmallFilm.mp4.dropLast(100)), "incomplete"),
    ([], "Choose a file"),
  ]

  @Test(
    "A file that is no film is refused with a reason, and the old one stays",
    arguments: TrainingFilesTests.noFilms.indices)
  func refused(index: Int) throws {
    let (bytes, words) = Self.noFilms[index]
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.makeTraining("Hills")
    admin.sendVideo(adminPage)
    let before = try instance.mediaFiles()
    let answer = admin.sendVideo(adminPage, bytes)
    #expect(answer.status == 422 && answer.shows(words), "\(answer.text)")
    #expect(try instance.mediaFiles() == before)
    #expect(try uploads(instance) == [])
  }

  @Test("A form without a file asks for one")
  func noFile() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.makeTraining("Hills")
    for page in ["cover", "video"] {
      let answer = admin.upload("\(adminPage)/\(page)", [], files: [])
      #expect(answer.status == 422 && answer.shows("Choose a file"))
    }
  }

  @Test("A cover comes in three sizes, and a new one takes its place")
  func cover() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.publishTraining("Hills")
    #expect(admin.sendCover(adminPage).location == adminPage)
    let old = try instance.mediaFiles()
    #expect(old.count == 3 && old.allSatisfy { $0.hasPrefix("trainings/") })
    #expect(admin.get("/workouts/trainings").shows("medium_"))
    #expect(admin.sendCover(adminPage).status == 303)
    let new = try instance.mediaFiles()
    #expect(new.count == 3 && new.isDisjoint(with: old))
    #expect(admin.sendCover(adminPage, Array("no picture".utf8)).status == 422)
    #expect(try instance.mediaFiles() == new)
    let question = admin.get("\(adminPage)/cover?ask=remove")
    #expect(question.shows("Remove the cover?") && question.value(of: "remove") == "1")
    #expect(admin.post("\(adminPage)/cover", ["remove": "1"]).status == 303)
    #expect(try instance.mediaFiles() == [])
  }

  @Test("Only existing files of a training are sent, for any path")
  func addresses() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let (one, two) = (try admin.publishTraining("One"), try admin.publishTraining("Two"))
    admin.sendVideo(one)
    let name = try #require(
      try files(instance, ".mp4").first?.split(separator: "/").last.map(String.init))
    #expect(admin.get("\(one.asMedia)/\(name)").status == 200)
    for path in [
      "\(two.asMedia)/\(name)", "\(one.asMedia)/video_\(ID<Person>.random()).mp4",
      "\(one.asMedia)/..%2F..%2F..%2Fpairspot.sqlite", "\(one.asMedia)/.", "\(one.asMedia)/%00",
      "\(one.asMedia)/\(name.uppercased())", "/media/trainings/x/\(name)",
    ] { #expect(admin.get(path).status == 404, "\(path)") }
  }

  @Test("Files that no row speaks of are removed once they are a week old; others stay")
  func cleanup() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.publishTraining("Hills")
    admin.sendCover(adminPage)
    admin.sendVideo(adminPage)
    let known = try instance.mediaFiles()
    let folder = "\(instance.instance.configuration.mediaFolder)/trainings"
    let own = try #require(known.first?.split(separator: "/").dropFirst().first.map(String.init))
    let gone = "\(folder)/\(ID<Person>.random())"
    try FileManager.default.createDirectory(atPath: gone, withIntermediateDirectories: true)
    let stray = "\(folder)/\(own)/video_\(ID<Person>.random()).mp4"
    let fresh = "\(folder)/\(own)/video_\(ID<Person>.random()).mp4"
    for path in [stray, fresh, "\(gone)/video.mp4"] {
      _ = FileManager.default.createFile(atPath: path, contents: Data([1]))
    }
    let longAgo = Date(timeIntervalSinceNow: -8 * 86_400)
    for path in [stray, gone] {
      try FileManager.default.setAttributes([.modificationDate: longAgo], ofItemAtPath: path)
    }
    let media = instance.instance.configuration.mediaFolder
    let cleanup = TrainingCleanupJob(
      files: TrainingFiles(media: MediaFolder(media), mediaFolder: media))
    func remove(days: ClosedRange<Int>) throws {
      for day in days {
        let moment = Date(timeIntervalSinceNow: Double(day) * 86_400)
        try cleanup.remove(instance.database, now: Instant(date: moment))
      }
    }
    // After the first observation, files that an older database no longer references are kept for a
    // while.
    try remove(days: 0...6)
    #expect(FileManager.default.fileExists(atPath: stray))
    // The new file is a second less than a week old at that time.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: fresh)
    try remove(days: 7...7)
    let left = try instance.mediaFiles()
    #expect(left.isSuperset(of: known) && left.count == known.count + 1)
    #expect(FileManager.default.fileExists(atPath: fresh))
    #expect(!FileManager.default.fileExists(atPath: gone))
  }

  @Test("The doctor misses files that are gone, and deletes none that belongs to nothing")
  func doctor() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.publishTraining("Hills")
    admin.sendVideo(adminPage)
    #expect(try instance.findings() == [])
    let path = "\(instance.instance.configuration.mediaFolder)/\(try files(instance, ".mp4")[0])"
    try FileManager.default.moveItem(atPath: path, toPath: "\(path).old")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: "\(path).old")
    let found = try instance.findings()
    #expect(found.count == 1 && found.contains { $0.contains("is missing") })
    for check in instance.instance.doctorChecks { try check.repair?(instance.database) }
    #expect(try instance.findings().count == 1)
    #expect(try instance.mediaFiles().count == 1)
  }
}

extension TestInstance {
  /// All findings of the doctor.
  fileprivate func findings() throws -> [String] {
    try instance.doctorChecks.flatMap { try $0.find(database) }
  }
}
