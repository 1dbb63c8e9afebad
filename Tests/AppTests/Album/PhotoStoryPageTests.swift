import Core
import Database
import Foundation
import PhotoMetadata
import Testing
import Web

@testable import Album
@testable import App

extension TestClient {
  /// Adds a photo to the album; returns the path of its story.
  func photoToTell() throws -> String { "\(try addPhoto())/story" }

  /// Saves a story into the photo's file, as a user who has confirmed.
  @discardableResult
  func notify(_ path: String, _ story: String, version: String = "") -> TestResponse {
    let version = version.isEmpty ? get(path).value(of: "version") ?? "" : version
    return post(path, ["story": story, "version": version, "confirm": "1"])
  }
}

extension TestInstance {
  /// The photo files, without the pictures shown on pages.
  func filesOfPhotos() throws -> [String] {
    try mediaFiles().filter { $0.contains("/photo_") }.sorted()
      .map { "\(instance.configuration.mediaFolder)/\($0)" }
  }

  func onlyPhotoFile() throws -> String {
    let files = try filesOfPhotos()
    try #require(files.count == 1, "\(files)")
    return files[0]
  }
}

@Suite("The story of a photo in the album")
struct PhotoStoryPageTests {
  private func ann() throws -> (TestInstance, TestClient, String) {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    return (instance, ann, try ann.photoToTell())
  }

  @Test("Before overwriting the file the user is asked, and the input is kept")
  func asked() throws {
    let (instance, ann, path) = try ann()
    let before = try instance.onlyPhotoFile()
    let question = ann.post(path, ["story": "那年\n夏天", "version": "1"])
    #expect(question.status == 200 && question.shows("data-dialog-content"))
    #expect(question.shows("Saving overwrites the original photo file. Continue?"))
    #expect(question.value(of: "story") == "那年\n夏天" && question.value(of: "version") == "1")
    #expect(try instance.onlyPhotoFile() == before)
    // "Not now" leads back to the text.
    let back = ann.post(path, ["version": "1", "draft": "那年\n夏天", "story": "那年\n夏天"])
    #expect(back.shows(">那年\n夏天</textarea>"))
    let saved = ann.post(path, ["story": "那年\n夏天", "version": "1", "confirm": "1"])
    #expect(saved.status == 303 && saved.location == String(path.dropLast("/story".count)))
    let file = try instance.onlyPhotoFile()
    #expect(file != before)
    #expect(try PhotoFile.read(file).story == "那年\n夏天")
    #expect(ann.get("/album").shows("Story saved"))
    #expect(ann.get(path).shows(">那年\n夏天</textarea>"))
  }

  @Test("A copy leaves the photo as it is and has the new story")
  func copy() throws {
    let (instance, ann, path) = try ann()
    ann.notify(path, "First")
    let answer = ann.post(path, ["story": "Second", "version": "2", "as_copy": "1"])
    let copy = try #require(answer.location)
    #expect(answer.status == 303 && !path.hasPrefix(copy))
    let stories = try instance.filesOfPhotos().compactMap { try PhotoFile.read($0).story }
    #expect(Set(stories) == ["First", "Second"])
    #expect(ann.get("\(copy)/story").shows(">Second</textarea>"))
    #expect(ann.get(path).shows(">First</textarea>"))
  }

  @Test("Saving over another user's change shows both versions and loses nothing")
  func conflict() throws {
    let (instance, ann, path) = try ann()
    let other = try instance.signedIn("ann")
    let (mine, theirs) = (ann.get(path), other.get(path))
    other.notify(path, "Theirs", version: try #require(theirs.value(of: "version")))
    let version = try #require(mine.value(of: "version"))
    let answer = ann.notify(path, "Mine", version: version)
    #expect(answer.status == 409)
    #expect(
      answer.shows(">Mine</textarea>") && answer.shows("<blockquote class=\"post-text\">Theirs"))
    #expect(try PhotoFile.read(try instance.onlyPhotoFile()).story == "Theirs")
    // From here on the page has the other version.
    #expect(ann.notify(path, "Mine", version: answer.value(of: "version") ?? "").status == 303)
    #expect(try PhotoFile.read(try instance.onlyPhotoFile()).story == "Mine")
  }

  @Test("Eight concurrent saves: one is saved, the others are refused")
  func atOnce() throws {
    let (instance, ann, path) = try ann()
    ann.get(path)
    let taps = (0..<8).map { _ in ParallelClient(ann.copy()) }
    DispatchQueue.concurrentPerform(iterations: taps.count) {
      taps[$0].post(path, ["story": "Story \($0)", "version": "1", "confirm": "1"])
    }
    let statuses = taps.map(\.status)
    #expect(statuses.filter { $0 == 303 }.count == 1)
    #expect(statuses.allSatisfy { [303, 409, 503].contains($0) }, "\(statuses)")
    let file = try instance.onlyPhotoFile()
    let row = try instance.database.read {
      try $0.value("SELECT story FROM photos", as: String.self)
    }
    #expect(try PhotoFile.read(file).story == row)
  }

  @Test("Deleting asks, shows what is lost, and rewrites the file")
  func deleted() throws {
    let (instance, ann, path) = try ann()
    #expect(!ann.get(path).shows("name=\"delete\""))
    ann.notify(path, "To be gone")
    let question = ann.post(path, ["story": "", "version": "2", "delete": "1"])
    #expect(question.status == 200 && question.shows("Delete story?"))
    #expect(question.shows("To be gone"))
    #expect(try PhotoFile.read(try instance.onlyPhotoFile()).story == "To be gone")
    let answer = ann.post(path, ["version": "2", "delete": "1", "confirm": "1", "story": ""])
    #expect(answer.status == 303)
    #expect(try PhotoFile.read(try instance.onlyPhotoFile()).story == nil)
    #expect(try instance.count("SELECT count(*) FROM photos WHERE story IS NOT NULL") == 0)
  }

  @Test(
    "A story that can't be is refused beside its field", arguments: ["", " \n ", "x\u{7}"])
  func refused(story: String) throws {
    let (instance, ann, path) = try ann()
    let before = try instance.onlyPhotoFile()
    for button in ["confirm", "as_copy", "preview", "save"] {
      let answer = ann.post(path, ["story": story, "version": "1", button: "1"])
      #expect(answer.status == 422 && answer.shows("aria-invalid"))
    }
    #expect(try instance.onlyPhotoFile() == before)
  }

  @Test("301 characters are one too many, 300 are not, of any kind")
  func limits() throws {
    let (instance, ann, path) = try ann()
    for character in ["字", "👨‍👩‍👧‍👦", "e\u{301}"] {
      let story = String(repeating: character, count: 300)
      #expect(ann.notify(path, story + "x").status == 422)
      #expect(ann.notify(path, story).status == 303)
      let found = try #require(try PhotoFile.read(try instance.onlyPhotoFile()).story)
      #expect(
        Array(found.utf8) == Array(story.precomposedStringWithCanonicalMapping.utf8))
    }
  }

  @Test("The preview shows the words under the photo and saves nothing")
  func preview() throws {
    let (instance, ann, path) = try ann()
    let answer = ann.post(path, ["story": "Soon <b>", "version": "1", "preview": "1"])
    #expect(answer.status == 200 && answer.shows("data-testid=\"story-preview\">Soon &lt;b&gt;<"))
    #expect(try PhotoFile.read(try instance.onlyPhotoFile()).story == nil)
  }

  @Test("A photo that was edited elsewhere offers both, and saving ends it")
  func editedElsewhere() throws {
    let (instance, ann, path) = try ann()
    ann.notify(path, "Ours")
    try instance.database.write { try $0.execute("UPDATE photos SET other_story = 'Another'") }
    let page = ann.get(path)
    #expect(page.shows("edited in another app"))
    #expect(page.values(of: "draft") == ["Ours", "Another"])
    let chosen = ann.post(path, ["version": "2", "story": "Ours", "draft": "Another"])
    #expect(chosen.shows(">Another</textarea>"))
    #expect(ann.notify(path, "Another").status == 303)
    #expect(!ann.get(path).shows("edited in another app"))
  }

  @Test("Only the owner writes a story, not even the partner who sees the photo")
  func others() throws {
    let (instance, ann, path) = try ann()
    let ben = try instance.signedIn("ben")
    #expect(ben.get(path).status == 404)
    try instance.database.write {
      try $0.execute(
        "UPDATE photos SET couple_id = (SELECT couple_id FROM users WHERE id = user_id)")
    }
    #expect(ben.get(path).status == 403)
    #expect(ben.notify(path, "Ben's", version: "1").status == 403)
    #expect(try PhotoFile.read(try instance.onlyPhotoFile()).story == nil)
    #expect(ann.get(path).status == 200)
  }

  // MARK: Errors

  /// The story page of an instance in which saving fails with this error.
  private func failing(
    _ instance: TestInstance, _ error: any Error, like browser: TestClient
  ) throws -> TestClient {
    let services = instance.instance.features.album.services
    var saving = StorySaveService(services: services)
    saving.beforeCommit = { throw error }
    let pages = try StoryPages(
      services, saving: saving, concurrency: PhotoConcurrencyLimit(atOnce: 1, maximumWaiting: 1))
    let application = try Application(
      site: instance.instance.site,
      routes: [
        Route(.get, "/album/:id/story", .atLeast(.guest), handler: pages.show),
        Route(.post, "/album/:id/story", .atLeast(.guest), handler: pages.send),
      ],
      log: RequestLog(descriptor: -1, keys: instance.instance.keys))
    let other = TestClient(application)
    other.take(cookiesOf: browser)
    return other
  }

  @Test("Too many requests and a full database keep the text too, and offer a copy")
  func busy() throws {
    let (instance, ann, path) = try ann()
    let before = try instance.onlyPhotoFile()
    let errors: [(any Error, Int, String)] = [
      (Problem.busy(), 503, "Your text is still here"),
      (AlbumPhotoError.busy, 503, "Your text is still here"),
      (StorageError.busy, 503, "Your text is still here"),
      (StorageError.full, 507, "The server is out of storage"),
    ]
    for (error, status, words) in errors {
      let browser = try failing(instance, error, like: ann)
      browser.get(path)
      for button in ["confirm", "as_copy"] {
        let answer = browser.post(path, ["story": "Kept", "version": "1", button: "1"])
        #expect(answer.status == status && answer.shows(words), "\(error)")
        #expect(answer.shows(">Kept</textarea>") && answer.value(of: "version") == "1")
        #expect(answer.shows("name=\"as_copy\"") == (button == "confirm"))
        #expect(answer.headers[.retryAfter] == (status == 503 ? "5" : nil))
      }
    }
    #expect(try instance.onlyPhotoFile() == before)
  }

  @Test(
    "Every kind of failure is explained in three languages, keeps the text and offers a copy",
    arguments: [
      (PhotoError.permission, "permission", 500), (.read(.missing), "read_missing", 422),
      (.read(.damaged), "read_damaged", 422), (.read(.tooManyBytes), "read_too_many_bytes", 422),
      (.read(.tooManyPixels), "read_too_many_pixels", 422),
      (.read(.failed("x")), "read_failed", 500),
      (.write(.diskFull), "write_disk_full", 507), (.write(.locked), "write_locked", 409),
      (.write(.verificationFailed), "write_verification", 500),
      (.write(.nameTaken), "write_failed", 500), (.write(.failed("x")), "write_failed", 500),
      (.format(.tiff), "format", 422), (.format(.heic), "heic", 422),
      (.format(.unknown), "format_unknown", 422),
      (.unknown("x"), "unknown", 500),
    ])
  func failures(problem: PhotoError, key: String, status: Int) throws {
    let (instance, ann, path) = try ann()
    let before = try instance.onlyPhotoFile()
    let content = try Data(contentsOf: URL(filePath: before))
    for language in Language.allCases {
      ann.post("/language", ["language": language.rawValue])
      let browser = try failing(instance, AlbumPhotoError.photo(problem), like: ann)
      browser.get(path)
      let answer = browser.notify(path, "Kept", version: "1")
      let words = instance.instance.site.catalogues.text(
        "album.error_\(key)", in: language, key == "format" ? ["format": "TIFF"] : [:])
      #expect(answer.status == status && answer.shows(words), "\(language) \(answer.status)")
      #expect(answer.shows(">Kept</textarea>") && answer.shows("name=\"as_copy\""))
    }
    #expect(try instance.onlyPhotoFile() == before)
    #expect(try Data(contentsOf: URL(filePath: before)) == content)
    // The copy is offered because it may succeed.
    #expect(ann.post(path, ["story": "Kept", "version": "1", "as_copy": "1"]).status == 303)
  }
}
