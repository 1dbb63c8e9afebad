import Core
import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("A person's data as one file")
struct ExportTests {
  private static let page = "/settings/export"

  /// URL of the file that a page offers.
  private func link(_ browser: TestClient) -> String? {
    browser.get(Self.page).text.firstMatch(of: /\/settings\/export\/[0-9a-f-]{36}/)
      .map { String($0.output) }
  }

  /// Path of the file that nginx would send.
  private func file(_ instance: TestInstance, _ answer: TestResponse) throws -> String {
    let path = try #require(answer.headers[.accelRedirect])
    #expect(path.hasPrefix("/protected-media/exports/"))
    return "\(instance.instance.configuration.mediaFolder)/\(path.dropFirst(17))"
  }

  /// Names and contents of an archive, read with Python.
  private func entries(_ path: String, into folder: String) throws -> [String: [UInt8]] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-m", "zipfile", "-e", path, folder]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    var found: [String: [UInt8]] = [:]
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    for name in names {
      if let data = FileManager.default.contents(atPath: "\(folder)/\(name)") {
        found[name] = Array(data)
      }
    }
    return found
  }

  @Test("A worker that took too long leaves the other worker's file alone")
  func overtaken() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    try ann.writeWithPicture("Words of mine")
    try instance.migrate(
      """
      CREATE TRIGGER overtaken AFTER UPDATE OF progress ON exports WHEN NEW.state = 'waiting'
      BEGIN
        UPDATE exports SET state = 'ready', bytes = 1 WHERE id = NEW.id;
      END
      """)
    ann.post(Self.page)
    try instance.work()
    let path = try file(instance, ann.get(try #require(link(ann))))
    // The same applies to the export folder, which is shared.
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test("Asked for, made in the background, and there: the JSON and the pictures, to the byte")
  func wholeWay() throws {
    let instance = try TestInstance()
    let couple = try #require(try instance.couple().first?.couple?.id)
    let ann = try instance.signedIn("ann")
    let post = try ann.writeWithPicture("Words of mine")
    try instance.signedIn("ben").writeWithPicture("Words of his")
    ann.upload(
      "/couples/\(couple)/edit",
      [("couple_name", "Two"), ("anniversary", "2020-01-01"), ("bio", "")],
      files: [("own_avatar", SmallPicture.png)])
    #expect(link(ann) == nil && ann.get(Self.page).shows("Create export"))
    #expect(ann.post(Self.page).location == Self.page)
    let waiting = ann.get(Self.page)
    #expect(waiting.shows("Preparing…") && waiting.shows("data-state=\"waiting-0\""))
    try instance.work()
    let ready = ann.get(Self.page)
    #expect(ready.shows("Your file is ready") && ready.shows("9 March 2026"))
    let answer = ann.get(try #require(link(ann)))
    #expect(answer.status == 200 && answer.headers[.contentType] == "application/zip")
    #expect(answer.headers[.cacheControl] == "private, no-store")
    #expect(
      answer.headers[.contentDisposition] == "attachment; filename=\"pairspot-2026-03-02.zip\"")
    let found = try entries(
      file(instance, answer), into: instance.folder.appending(path: "unzipped").path)
    let pictures = found.keys.filter { $0.hasPrefix("photos/") }.sorted()
    let id = post.dropFirst("/posts/".count)
    #expect(pictures.count == 2 && pictures.contains("photos/avatar.jpg"))
    let photo = try #require(pictures.last)
    #expect(photo.hasPrefix("photos/posts/\(id)/"))
    #expect(
      Set(found.keys).subtracting(pictures) == [
        "account.json", "sessions.json", "posts.json", "likes.json", "comments.json",
        "messages.json", "moments.json", "check-ins.json",
        "contacts.json", "alerts.json", "check-in-record.json", "photos.json", "follows.json",
        "notices.json", "reports.json", "decisions.json", "wallet.json",
        "saved-posts.json", "favourite-photos.json",
      ])
    let original = try #require(
      try instance.mediaFiles().first { $0.contains("\(id)/original_") })
    #expect(
      found[photo]
        == FileManager.default.contents(
          atPath: "\(instance.instance.configuration.mediaFolder)/\(original)"
        ).map { Array($0) })
    let posts = String(decoding: found["posts.json"] ?? [], as: UTF8.self)
    #expect(posts.contains("Words of mine") && !posts.contains("Words of his"))
    #expect(posts.replacing("\\/", with: "/").contains(photo))
  }

  @Test("Only its owner gets it, for 7 days; then row and file are gone")
  func owner() throws {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    ann.post(Self.page)
    let unmade = try instance.database.read {
      try $0.value("SELECT id FROM exports", as: ID<Person>.self)
    }
    let early = try #require(unmade)
    #expect(ann.get("\(Self.page)/\(early)").status == 404)
    try instance.work()
    let link = try #require(self.link(ann))
    #expect(try instance.signedIn("ben").get(link).status == 404)
    #expect(try instance.plainGuest().browser.get(link).status == 404)
    #expect(instance.browser().get(link).location?.hasPrefix("/sign-in") == true)
    #expect(ann.get("\(Self.page)/x").status == 404)
    instance.clock.advance(seconds: .days(7) - 1)
    #expect(ann.get(link).status == 200)
    try instance.work()
    #expect(try instance.mediaFiles().count == 1)
    instance.clock.advance(seconds: 3600)
    #expect(ann.get(link).status == 404)
    try instance.work()
    #expect(try instance.mediaFiles() == [])
    #expect(try instance.count("SELECT count(*) FROM exports") == 0)
    #expect(ann.get(Self.page).shows("Create export"))
  }

  @Test("Pressing twice makes one, and a fourth within a day is too many")
  func limits() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for count in 1...3 {
      for _ in 1...2 { #expect(sam.post(Self.page).status == 303) }
      #expect(try instance.count("SELECT count(*) FROM exports") == count)
      try instance.work()
      instance.clock.advance(seconds: 60)
    }
    let refused = sam.post(Self.page)
    #expect(refused.status == 429)
    #expect(try instance.count("SELECT count(*) FROM exports") == 3)
    #expect(link(sam) != nil)
    instance.clock.advance(seconds: .days(1))
    #expect(sam.post(Self.page).status == 303)
    #expect(try instance.count("SELECT count(*) FROM exports WHERE state = 'waiting'") == 1)
  }

  @Test("One that can't be made is tried three times, says so, and can be asked for again")
  func failure() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let folder = "\(instance.instance.configuration.mediaFolder)/exports"
    #expect(FileManager.default.createFile(atPath: folder, contents: nil))
    sam.post(Self.page)
    for _ in 1...3 {
      #expect(sam.get(Self.page).shows("data-state=\"waiting-0\""))
      try instance.work()
      instance.clock.advance(seconds: 60)
    }
    #expect(sam.get(Self.page).shows("Couldn’t create the file"))
    try FileManager.default.removeItem(atPath: folder)
    #expect(sam.get(Self.page).shows("Try again"))
    sam.post(Self.page)
    try instance.work()
    #expect(link(sam) != nil)
  }

  @Test("A picture whose file is gone is named, and the rest comes all the same")
  func missing() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    try sam.writeWithPicture("Words")
    let original = try #require(try instance.mediaFiles().first { $0.contains("original_") })
    try FileManager.default.removeItem(
      atPath: "\(instance.instance.configuration.mediaFolder)/\(original)")
    sam.post(Self.page)
    try instance.work()
    let answer = sam.get(try #require(link(sam)))
    let found = try entries(
      file(instance, answer), into: instance.folder.appending(path: "unzipped").path)
    #expect(found["posts.json"] != nil)
    #expect(String(decoding: found["missing.txt"] ?? [], as: UTF8.self).hasPrefix("photos/posts/"))
  }

  @Test("Deleting the account removes exports, finished and running ones")
  func accountDeletion() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.post(Self.page)
    try instance.work()
    instance.clock.advance(seconds: 1)
    sam.post(Self.page)
    #expect(try instance.mediaFiles().count == 1)
    sam.leave()
    #expect(try instance.mediaFiles() == [])
    try instance.work()
    #expect(try instance.mediaFiles() == [])
    #expect(try instance.count("SELECT count(*) FROM exports") == 0)
  }

  @Test("Guests have theirs too")
  func guest() throws {
    let instance = try TestInstance()
    let browser = try instance.plainGuest("Passer-by").browser
    browser.post(Self.page)
    try instance.work()
    let answer = browser.get(try #require(link(browser)))
    let found = try entries(
      file(instance, answer), into: instance.folder.appending(path: "unzipped").path)
    #expect(String(decoding: found["account.json"] ?? [], as: UTF8.self).contains("Passer-by"))
  }
}
