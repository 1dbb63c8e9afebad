import Core
import Testing

@testable import Album
@testable import App

@Suite("Deleted photos can be restored for 30 days")
struct DeletedPhotoTests {
  /// Ann and Ben, and a photo that Ann shares.
  private func scenario() throws -> (TestInstance, ann: TestClient, ben: TestClient, String) {
    let instance = try TestInstance()
    try instance.couple()
    let ann = try instance.signedIn("ann")
    return (instance, ann, try instance.signedIn("ben"), try ann.addPhoto(isShared: true))
  }

  @Test("A deleted photo is gone for both, and comes back as it was")
  func restored() throws {
    let (instance, ann, ben, photo) = try scenario()
    let files = try instance.photoFiles()
    let thumb = try #require(ann.get(photo).pictures.first { $0.contains("/photos/") })
    #expect(ann.post("\(photo)/delete").toastLink == "/album/deleted")
    for browser in [ann, ben] {
      #expect(browser.get(photo).status == 404 && browser.album() == [])
      #expect(browser.get("\(photo)/file").status == 404)
      #expect(browser.call(.get, "/photos").list("photos").isEmpty)
    }
    #expect(ben.get(thumb).status == 404 && ann.get(thumb).status == 200)
    let page = ann.get("/album/deleted")
    #expect(page.shows("\(photo)/restore") && page.shows("30 days left"))
    #expect(!ben.get("/album/deleted").shows("\(photo)/restore"))
    #expect(ben.post("\(photo)/restore").status == 404)
    #expect(ann.post("\(photo)/restore").location == photo)
    #expect(ann.album() == [photo] && ben.album() == [photo])
    #expect(try instance.photoFiles() == files)
    #expect(ann.post("\(photo)/restore").status == 404)
  }

  @Test("After 30 days row and files are gone")
  func purged() throws {
    let (instance, ann, _, photo) = try scenario()
    let stays = try ann.addPhoto()
    let files = try instance.photoFiles()
    ann.post("\(photo)/delete")
    instance.clock.advance(seconds: 29 * 86_400)
    try instance.work()
    #expect(try instance.photoFiles() == files)
    instance.clock.advance(seconds: 86_400 + 6 * 3600 + 1)
    let later = try instance.signedIn("ann")
    #expect(later.post("\(photo)/restore").status == 404)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM photos") == 1)
    #expect(try instance.photoFiles().count == files.count / 2)
    #expect(later.album() == [stays])
  }

  @Test("Its owner can remove a deleted photo for good, after a question")
  func erased() throws {
    let (instance, ann, ben, photo) = try scenario()
    #expect(ann.get("\(photo)/erase").status == 404 && ann.post("\(photo)/erase").status == 404)
    ann.post("\(photo)/delete")
    #expect(ben.get("\(photo)/erase").status == 404 && ben.post("\(photo)/erase").status == 404)
    let question = ann.get("\(photo)/erase")
    #expect(question.shows("action=\"\(photo)/erase\"") && question.shows("deleted for good"))
    #expect(try !instance.photoFiles().isEmpty)
    #expect(ann.post("\(photo)/erase").location == "/album/deleted")
    #expect(try instance.photoFiles().isEmpty)
    #expect(ann.get("/album/deleted").shows("No deleted photos"))
  }

  @Test("Nothing changes a deleted photo, and it still counts for the storage")
  func unchanged() throws {
    let instance = try TestInstance()
    let viewer = try #require(try instance.couple().first)
    let ann = try instance.signedIn("ann")
    let photo = try ann.addPhoto(isShared: true)
    let path = photo.replacing("/album/", with: "/photos/")
    #expect(ann.call(.delete, path).status == 204)
    #expect(ann.post(photo, ["shared": "0"]).status == 404)
    #expect(ann.call(.put, "\(path)/story", #"{"story":"Words"}"#).status == 404)
    #expect(try instance.count("SELECT count(*) FROM photos WHERE couple_id IS NOT NULL") == 1)
    #expect(
      try instance.database.read {
        try PhotoStore(database: instance.database).bytes(of: viewer, in: $0)
      } > 0)
  }
}
