import Core
import Foundation
import Testing

@testable import Album
@testable import App

@Suite("Visibility of an album's photos")
struct AlbumSharingTests {
  /// A couple, a photo shared by Ann, and its picture.
  private final class Fixture {
    let instance: TestInstance
    let ann: TestClient
    let ben: TestClient
    let photo: String
    let picture: String

    init(isShared: Bool = true) throws {
      instance = try TestInstance()
      try instance.couple()
      (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
      photo = try ann.addPhoto(isShared: isShared)
      picture = try #require(ann.get(photo).pictures.first)
    }

    /// A browser's answers about the photo: statuses of its page, picture and file, and whether it
    /// is in the album.
    func seen(by browser: TestClient) -> [Int] {
      [photo, picture, "\(photo)/file"].map { browser.get($0).status }
        + [browser.album().contains(photo) ? 1 : 0]
    }
  }

  @Test("Without a tick only the owner sees it")
  func off() throws {
    let fixture = try Fixture(isShared: false)
    #expect(fixture.seen(by: fixture.ann) == [200, 200, 200, 1])
    #expect(fixture.seen(by: fixture.ben) == [404, 404, 404, 0])
  }

  @Test("Shared, the partner sees it with its owner's name, and may change nothing")
  func shared() throws {
    let fixture = try Fixture()
    #expect(fixture.seen(by: fixture.ben) == [200, 200, 200, 1])
    #expect(fixture.ben.get("/album").shows("From Ann"))
    let page = fixture.ben.get(fixture.photo)
    #expect(!page.shows("/delete") && !page.shows("/story") && !page.shows("/post\""))
    #expect(fixture.ben.post(fixture.photo, ["shared": "0"]).status == 403)
    #expect(fixture.ben.post("\(fixture.photo)/delete").status == 403)
    #expect(fixture.ben.post("\(fixture.photo)/post", ["content": "Mine"]).status == 403)
    #expect(fixture.seen(by: fixture.ann) == [200, 200, 200, 1])
  }

  @Test("Sharing is taken back and given on the photo's page")
  func toggle() throws {
    let fixture = try Fixture()
    #expect(fixture.ann.get(fixture.photo).shows("Ben can see this photo."))
    #expect(fixture.ann.post(fixture.photo, ["shared": "0"]).location == fixture.photo)
    #expect(fixture.seen(by: fixture.ben) == [404, 404, 404, 0])
    fixture.ann.post(fixture.photo, ["shared": "1"])
    #expect(fixture.seen(by: fixture.ben) == [200, 200, 200, 1])
  }

  @Test("Parting ends the partner's view at once; undoing it gives it back")
  func parting() throws {
    let fixture = try Fixture()
    fixture.ann.part()
    #expect(fixture.seen(by: fixture.ben) == [404, 404, 404, 0])
    #expect(fixture.seen(by: fixture.ann) == [200, 200, 200, 1])
    #expect(fixture.ann.post(fixture.photo, ["shared": "1"]).status == 403)
    for browser in [fixture.ann, fixture.ben] { browser.post("/settings/part", ["undo": "1"]) }
    #expect(fixture.seen(by: fixture.ben) == [200, 200, 200, 1])
  }

  @Test("A new partner sees none of the photos shared with the former one")
  func newPartner() throws {
    let fixture = try Fixture()
    let instance = fixture.instance
    fixture.ann.part()
    instance.clock.advance(seconds: .days(31))
    try instance.work()
    try instance.alone("cat")
    let cat = try instance.signedIn("cat")
    let ann = try instance.signedIn("ann")
    #expect(ann.invite("cat@example.test").status == 303)
    let token = cat.get(try instance.invitation(to: "cat")).value(of: "token") ?? ""
    #expect(cat.post("/pair/accept", ["token": token]).status == 303)
    #expect(fixture.seen(by: cat) == [404, 404, 404, 0])
    #expect(!ann.get("/album").shows("Shared"))
    ann.post(fixture.photo, ["shared": "1"])
    #expect(fixture.seen(by: cat) == [200, 200, 200, 1])
    #expect(fixture.seen(by: try instance.signedIn("ben")) == [404, 404, 404, 0])
  }

  @Test("A deleted owner's photos are visible to no one until the account is restored")
  func deleted() throws {
    let fixture = try Fixture()
    fixture.ann.leave()
    #expect(fixture.seen(by: fixture.ben) == [404, 404, 404, 0])
    fixture.ann.comeBack("ann@example.test")
    #expect(fixture.seen(by: fixture.ben) == [200, 200, 200, 1])
  }

  @Test("Staff, strangers and guests never see it, shared or not")
  func others() throws {
    let fixture = try Fixture()
    try fixture.instance.alone("mod")
    try fixture.instance.database.write {
      try $0.execute("UPDATE users SET role = 4 WHERE display_name = 'Mod'")
    }
    let others = [try fixture.instance.signedIn("mod"), try fixture.instance.guest("Gia")]
    for browser in others { #expect(fixture.seen(by: browser) == [404, 404, 404, 0]) }
    #expect(fixture.instance.browser().get(fixture.picture).status == 404)
  }

  // MARK: Accounts

  @Test("A guest's photos go along when they become a member, and go when that one goes for good")
  func merging() throws {
    let instance = try TestInstance()
    let ann = try instance.alone("ann")
    let guest = try instance.guest("Gia")
    guest.add(try SmallPhoto.png(story: "From before"))
    let photo = try #require(guest.album().first)
    guest.get("/sign-in")
    guest.signIn("ann@example.test", TestInstance.password)
    #expect(guest.get(photo).status == 404)
    guest.post("/merge", ["take": "1"])
    #expect(guest.get(photo).shows("From before"))
    _ = try guest.addPhoto()
    #expect(guest.album().count == 2)
    // The guest no longer exists; the files stay where they are.
    instance.clock.advance(seconds: .days(400))
    try instance.work()
    #expect(try instance.photoFiles().count == 6)
    try instance.signedIn("ann").leave()
    instance.clock.advance(seconds: .days(31))
    try instance.work()
    #expect(try instance.photoFiles() == [])
    #expect(
      try instance.database.read {
        try !$0.exists("SELECT 1 FROM photos WHERE user_id = \(ann.id)")
      })
  }

  @Test("An export holds the photos as they are, with their stories inside")
  func export() throws {
    let fixture = try Fixture()
    fixture.ann.add(try SmallPhoto.png(story: "Mine alone"))
    let (files, media) = try fixture.instance.database.read { reader in
      let ann = try reader.value(
        "SELECT id FROM users WHERE display_name = 'Ann'", as: ID<Person>.self)
      let participant = fixture.instance.instance.features.album.participant
      let person = try #require(ann)
      return (
        try participant.export(person, from: reader),
        try participant.exportedMedia(of: person, from: reader)
      )
    }
    let json = String(decoding: try #require(files.first).json, as: UTF8.self)
    #expect(json.contains("Mine alone"))
    #expect(media.count == 2)
    for file in media {
      #expect(json.replacing("\\/", with: "/").contains(file.name))
      let path = "\(fixture.instance.instance.configuration.mediaFolder)/\(file.path)"
      #expect(FileManager.default.fileExists(atPath: path))
    }
  }

  @Test("The partner's purge takes none of one's own photos")
  func partnersPurge() throws {
    let fixture = try Fixture()
    fixture.ben.leave()
    fixture.instance.clock.advance(seconds: .days(31))
    try fixture.instance.work()
    #expect(fixture.seen(by: try fixture.instance.signedIn("ann")) == [200, 200, 200, 1])
  }
}
