import Core
import Foundation
import PhotoMetadata
import Secrets
import Testing
import Web

@testable import Album
@testable import App

extension TestClient {
  /// Sends a photo without a story: it is kept for the form that comes back.
  @discardableResult
  func leaveAtStories(_ photo: [UInt8] = SmallPicture.png) -> TestResponse {
    upload("/stories", [("story", "")], files: [("file", photo)])
  }

  /// Sends a story for the kept photo.
  func finish(_ ticket: String, _ story: String) -> TestResponse {
    post("/stories", ["kept": ticket, "file_name": "sea.png", "story": story])
  }
}

extension TestInstance {
  /// Files of kept photos.
  func waitingPhotos() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: storiesFolder)
  }

  var storiesFolder: String { "\(instance.configuration.uploadFolder)/stories" }

  /// Texts in a photo file.
  func reading(_ bytes: [UInt8]) throws -> PhotoReading {
    let path = folder.appending(path: "read-\(UUID())")
    try Data(bytes).write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    return try PhotoFile.read(path.path)
  }
}

@Suite("Stories without an account")
struct StoriesTests {
  private static let family = "👨‍👩‍👧‍👦"

  @Test("A photo and a story are answered with the finished file, and nothing stays")
  func atOnce() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let answer = browser.upload(
      "/stories", [("story", "那年夏天")], files: [("file", SmallPicture.png)])
    #expect(answer.status == 200)
    #expect(answer.headers[.contentType] == "image/png")
    #expect(answer.headers[.cacheControl] == "no-store")
    #expect(
      answer.headers[.contentDisposition]?.hasPrefix("attachment; filename=\"a.png\"") == true)
    #expect(try instance.reading(answer.body).story == "那年夏天")
    #expect(try instance.waitingPhotos() == [])
    #expect(browser.get("/stories").shows("Saved. Look in your downloads."))
  }

  @Test("A photo alone waits in the form, gets its story, and is gone")
  func twoSteps() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let page = browser.leaveAtStories()
    let ticket = try #require(page.value(of: "kept"))
    #expect(page.status == 200 && page.shows("This photo has no story yet."))
    #expect(try instance.waitingPhotos().count == 1)
    let mode = try FileManager.default.attributesOfItem(atPath: instance.storiesFolder)
    #expect(mode[.posixPermissions] as? Int == 0o700)
    let file = browser.finish(ticket, "Ours")
    #expect(file.headers[.contentDisposition]?.contains("filename=\"sea.png\"") == true)
    #expect(try instance.reading(file.body).story == "Ours")
    #expect(try instance.waitingPhotos() == [])
    let again = browser.finish(ticket, "Ours once more")
    #expect(again.status == 422 && again.shows("Your photo was deleted after a few minutes"))
    #expect(again.shows(">Ours once more</textarea>"))
  }

  @Test("The story of a photo is shown in the form, and can be removed from the file")
  func readAndDeleted() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let file = browser.upload(
      "/stories", [("story", "Line one\nline <two>")], files: [("file", SmallPicture.png)])
    let page = browser.leaveAtStories(file.body)
    #expect(page.shows(">Line one\nline &lt;two&gt;</textarea>"))
    #expect(page.shows("<b data-story-count>19</b> / 300"))
    let ticket = try #require(page.value(of: "kept"))
    let bare = browser.post("/stories", ["kept": ticket, "story": "x", "delete": "1"])
    #expect(try instance.reading(bare.body).story == nil)
    #expect(try instance.waitingPhotos() == [])
  }

  @Test("A browser's kept photo is inaccessible to others")
  func others() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let ticket = try #require(browser.leaveAtStories().value(of: "kept"))
    let other = instance.browser()
    other.get("/stories")
    #expect(other.finish(ticket, "Mine").status == 422)
    #expect(other.get("/stories/\(ticket)").status == 404)
    let picture = browser.get("/stories/\(ticket)")
    #expect(picture.body == SmallPicture.png)
    #expect(picture.headers[.contentType] == "image/png")
    #expect(picture.headers[.cacheControl] == "no-store")
    #expect(picture.headers[.contentSecurityPolicy] == "sandbox; default-src 'none'")
    // File names on disk do not contain the ticket of the form.
    let name = try #require(try instance.waitingPhotos().first)
    for guess in [name, ticket + "x", String(ticket.dropLast()), "../\(name)", "-", "1-", ""] {
      #expect(browser.finish(guess, "Mine").status == 422, "\(guess)")
    }
    #expect(browser.finish(ticket, "Mine").headers[.contentType] == "image/png")
  }

  @Test("An abandoned photo is deleted after ten minutes")
  func forgotten() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let ticket = try #require(browser.leaveAtStories().value(of: "kept"))
    try instance.work()
    instance.clock.advance(seconds: 8 * 60)
    try instance.work()
    #expect(try instance.waitingPhotos().count == 1)
    instance.clock.advance(seconds: 61)
    #expect(browser.finish(ticket, "Late").status == 422)
    let second = try #require(browser.leaveAtStories().value(of: "kept"))
    #expect(try instance.waitingPhotos().count == 1)
    instance.clock.advance(seconds: 10 * 60)
    try instance.work()
    #expect(try instance.waitingPhotos() == [])
    #expect(browser.get("/stories/\(second)").status == 404)
  }

  @Test("A starting worker removes expired photos, and partial saves too")
  func atStart() throws {
    let instance = try TestInstance()
    instance.browser().leaveAtStories()
    let old = instance.clock.now().milliseconds - 601_000
    for name in [".\(old)-x.tmp.saving", "\(old)-y", "stray"] {
      try Data().write(to: URL(filePath: "\(instance.storiesFolder)/\(name)"))
    }
    try instance.work(in: try instance.reopened())
    #expect(try instance.waitingPhotos().count == 1)
  }

  @Test(
    "A story has 1 to 300 characters as people count them",
    arguments: [
      ("字", 1, true), ("字", 300, true), ("字", 301, false), (family, 1, true),
      (family, 300, true), (family, 301, false), ("e\u{301}", 300, true), (" ", 5, false),
    ])
  func limits(character: String, count: Int, isGood: Bool) throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let ticket = try #require(browser.leaveAtStories().value(of: "kept"))
    let story = String(repeating: character, count: count)
    let answer = browser.finish(ticket, story)
    if isGood {
      let found = try #require(try instance.reading(answer.body).story)
      // NFC, byte for byte.
      #expect(Array(found.utf8) == Array(story.precomposedStringWithCanonicalMapping.utf8))
    } else {
      #expect(answer.status == 422)
      #expect(answer.shows(">\(story)</textarea>"))
      #expect(answer.shows(count == 301 ? "This story has 301" : "Write a story first."))
      #expect(answer.value(of: "kept") == ticket)
    }
  }

  @Test(
    "A story that can't be stored is refused with a reason, and stays in the field",
    arguments: [
      ("a" + String(repeating: "\u{302}", count: 4001), "too much space"),
      ("bell \u{7}", "invisible character"), ("one\u{85}two", "invisible character"),
    ])
  func refused(story: String, words: String) throws {
    let instance = try TestInstance()
    let answer = instance.browser().upload(
      "/stories", [("story", story)], files: [("file", SmallPicture.png)])
    #expect(answer.status == 422 && answer.shows(words))
    #expect(answer.shows("aria-invalid"))
    #expect(answer.value(of: "kept") != nil)
  }

  @Test(
    "HEIC is refused by its name in every language, a file that is no photo too",
    arguments: [
      ("en", "This format isn’t supported yet: HEIC"), ("zh-Hant", "格式暫不支援：HEIC"),
      ("zh-Hans", "格式暂不支持：HEIC"),
    ])
  func formats(language: String, words: String) throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    browser.get("/stories")
    browser.post("/language", ["language": language])
    let heic = Array("\0\0\0\u{18}ftypheic\0\0\0\0mif1heic".utf8)
    let answer = browser.upload("/stories", [("story", "Typed")], files: [("file", heic)])
    #expect(answer.status == 422 && answer.shows(words))
    #expect(answer.shows(">Typed</textarea>"))
    #expect(try instance.waitingPhotos() == [])
    let nothing = browser.upload("/stories", [("story", "")], files: [("file", [1, 2, 3])])
    #expect(nothing.status == 422)
    #expect(browser.post("/stories", ["story": "x"]).status == 422)
  }

  @Test("A photo over 30 MB, a cut one and one of too many pixels are refused in words")
  func tooMuch() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    func words(_ bytes: [UInt8]) -> TestResponse {
      browser.upload("/stories", [("story", "Typed")], files: [("file", bytes)])
    }
    let large = words(SmallPicture.png + [UInt8](repeating: 7, count: 30 << 20))
    #expect(large.status == 422 && large.shows("over 30 MB"))
    #expect(large.shows(">Typed</textarea>"))
    #expect(words(Array(SmallPicture.png.dropLast(20))).shows("damaged or incomplete"))
    var wide = SmallPicture.png
    wide.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
    let answer = words(wide)
    #expect(answer.status == 422)
    #expect(answer.shows("100 megapixels. Choose") || answer.shows("damaged"))
    #expect(try instance.waitingPhotos() == [])
  }

  @Test("With too many kept photos, the next one is refused with a retry, keeping the story")
  func full() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let now = instance.clock.now().milliseconds
    for number in 0..<TemporaryPhotos.maximumFiles {
      try Data().write(to: URL(filePath: "\(instance.storiesFolder)/\(now)-\(number)"))
    }
    let answer = browser.leaveAtStories()
    #expect(answer.status == 503 && answer.headers[.retryAfter] == "60")
    #expect(answer.shows("Too many photos are being edited"))
    // A request with both needs no temporary storage.
    let both = browser.upload("/stories", [("story", "x")], files: [("file", SmallPicture.png)])
    #expect(both.headers[.contentType] == "image/png")
    instance.clock.advance(seconds: 601)
    #expect(browser.leaveAtStories().status == 200)
  }

  @Test("Photos that are too large together are refused in the same way")
  func bytes() throws {
    let instance = try TestInstance()
    let path = "\(instance.storiesFolder)/\(instance.clock.now().milliseconds)-large"
    try Data().write(to: URL(filePath: path))
    // A sparse file of the maximum total size.
    try #require(truncate(path, Int(TemporaryPhotos.maximumBytes)) == 0)
    #expect(instance.browser().leaveAtStories().status == 503)
  }

  @Test("A disk that is nearly full keeps no photo, and its own stays where it was")
  func nearlyFull() throws {
    let instance = try TestInstance()
    let file = instance.folder.appending(path: "sent.png")
    try Data(SmallPicture.png).write(to: file)
    var kept = TemporaryPhotos(folder: instance.storiesFolder, keys: instance.instance.keys)
    kept.disk = .nearlyFull
    let full = kept
    #expect(throws: TemporaryPhotoError.disk(ENOSPC)) {
      try full.keep(file.path, for: Token.random(), now: instance.clock.now())
    }
    #expect(FileManager.default.fileExists(atPath: file.path))
    #expect(try instance.waitingPhotos() == [])
  }

  @Test("A name of a million flags is cut between two flags, without looking at all of them")
  func longName() throws {
    // Reading the whole text again for each of them would take days.
    let flags = String(repeating: "🇹🇼", count: 1_000_000)
    let name = DownloadName(flags + ".png", .png).name
    #expect(name == String(repeating: "🇹🇼", count: 25) + ".png")
    // The form that comes back has a short ticket.
    let instance = try TestInstance()
    defer { withExtendedLifetime(instance) {} }
    let browser = instance.browser()
    let ticket = try #require(browser.leaveAtStories().value(of: "kept"))
    let long = String(flags.prefix(300))
    let page = browser.post("/stories", ["kept": ticket, "file_name": long, "story": ""])
    #expect(page.status == 422)
    #expect(page.value(of: "file_name") == String(flags.prefix(125)))
  }

  @Test("While a photo is being saved, a second attempt is refused and keeps the story")
  func locked() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let ticket = try #require(browser.leaveAtStories().value(of: "kept"))
    let name = try #require(try instance.waitingPhotos().first)
    let file = open("\(instance.storiesFolder)/\(name)", O_RDONLY)
    try #require(flock(file, LOCK_EX) == 0)
    let answer = browser.finish(ticket, "Twice")
    #expect(answer.status == 409 && answer.shows("being saved right now"))
    #expect(answer.shows(">Twice</textarea>") && answer.value(of: "kept") == ticket)
    close(file)
    #expect(browser.finish(ticket, "Twice").headers[.contentType] == "image/png")
  }

  @Test("Too many requests from one client are refused with a retry")
  func tooOften() throws {
    let instance = try TestInstance(limits: true)
    let browser = instance.browser()
    let statuses = (0..<61).map { _ in browser.post("/stories", ["story": "x"]).status }
    #expect(statuses.dropLast().allSatisfy { $0 == 422 } && statuses.last == 429)
  }

  @Test("A text that is offered goes into the field, and nothing is saved")
  func offers() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    let ticket = try #require(browser.leaveAtStories().value(of: "kept"))
    let answer = browser.post(
      "/stories", ["kept": ticket, "story": "typed", "draft": "The \"caption\""])
    #expect(answer.status == 200 && answer.shows(">The &quot;caption&quot;</textarea>"))
    #expect(answer.value(of: "kept") == ticket)
  }
}
