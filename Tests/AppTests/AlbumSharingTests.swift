import Basics
import Foundation
import Testing

@testable import Album
@testable import App

@Suite("Who sees the photos of an album")
struct AlbumSharingTests {
  /// A couple, a photo of Ann's that she shares, and its picture.
  private final class World {
    let house: TestHouse
    let ann: Browser
    let ben: Browser
    let photo: String
    let picture: String

    init(isShared: Bool = true) throws {
      house = try TestHouse()
      try house.couple()
      (ann, ben) = (try house.signedIn("ann"), try house.signedIn("ben"))
      photo = try ann.addPhoto(isShared: isShared)
      picture = try #require(ann.get(photo).pictures.first)
    }

    /// What a browser gets of the photo: its page, its picture, the file, and whether it is in the
    /// album.
    func seen(by browser: Browser) -> [Int] {
      [photo, picture, "\(photo)/file"].map { browser.get($0).status }
        + [browser.album().contains(photo) ? 1 : 0]
    }
  }

  @Test("Without a tick only the owner sees it")
  func off() throws {
    let world = try World(isShared: false)
    #expect(world.seen(by: world.ann) == [200, 200, 200, 1])
    #expect(world.seen(by: world.ben) == [404, 404, 404, 0])
  }

  @Test("Shared, the partner sees it with its owner's name, and may change nothing")
  func shared() throws {
    let world = try World()
    #expect(world.seen(by: world.ben) == [200, 200, 200, 1])
    #expect(world.ben.get("/album").shows("From Ann"))
    let page = world.ben.get(world.photo)
    #expect(!page.shows("/delete") && !page.shows("/story") && !page.shows("/post\""))
    #expect(world.ben.post(world.photo, ["shared": "0"]).status == 403)
    #expect(world.ben.post("\(world.photo)/delete").status == 403)
    #expect(world.ben.post("\(world.photo)/post", ["content": "Mine"]).status == 403)
    #expect(world.seen(by: world.ann) == [200, 200, 200, 1])
  }

  @Test("Sharing is taken back and given on the photo's page")
  func toggle() throws {
    let world = try World()
    #expect(world.ann.get(world.photo).shows("Ben sees this photo too."))
    #expect(world.ann.post(world.photo, ["shared": "0"]).location == world.photo)
    #expect(world.seen(by: world.ben) == [404, 404, 404, 0])
    world.ann.post(world.photo, ["shared": "1"])
    #expect(world.seen(by: world.ben) == [200, 200, 200, 1])
  }

  @Test("Parting ends the partner's view at once; undoing it gives it back")
  func parting() throws {
    let world = try World()
    world.ann.part()
    #expect(world.seen(by: world.ben) == [404, 404, 404, 0])
    #expect(world.seen(by: world.ann) == [200, 200, 200, 1])
    #expect(world.ann.post(world.photo, ["shared": "1"]).status == 403)
    for browser in [world.ann, world.ben] { browser.post("/settings/part", ["undo": "1"]) }
    #expect(world.seen(by: world.ben) == [200, 200, 200, 1])
  }

  @Test("A new partner sees nothing of what was shared with the one before")
  func newPartner() throws {
    let world = try World()
    let house = world.house
    world.ann.part()
    house.clock.advance(seconds: .days(31))
    try house.work()
    try house.alone("cat")
    let cat = try house.signedIn("cat")
    let ann = try house.signedIn("ann")
    #expect(ann.invite("cat@example.test").status == 303)
    let token = cat.get(try house.invitation(to: "cat")).value(of: "token") ?? ""
    #expect(cat.post("/pair/accept", ["token": token]).status == 303)
    #expect(world.seen(by: cat) == [404, 404, 404, 0])
    #expect(!ann.get("/album").shows("Shared"))
    ann.post(world.photo, ["shared": "1"])
    #expect(world.seen(by: cat) == [200, 200, 200, 1])
    #expect(world.seen(by: try house.signedIn("ben")) == [404, 404, 404, 0])
  }

  @Test("A deleted owner's photos are nobody's to see, until they come back")
  func deleted() throws {
    let world = try World()
    world.ann.leave()
    #expect(world.seen(by: world.ben) == [404, 404, 404, 0])
    world.ann.comeBack("ann@example.test")
    #expect(world.seen(by: world.ben) == [200, 200, 200, 1])
  }

  @Test("Staff, strangers and guests never see it, shared or not")
  func others() throws {
    let world = try World()
    try world.house.alone("mod")
    try world.house.database.write {
      try $0.execute("UPDATE users SET role = 4 WHERE display_name = 'Mod'")
    }
    let others = [try world.house.signedIn("mod"), try world.house.guest("Gia")]
    for browser in others { #expect(world.seen(by: browser) == [404, 404, 404, 0]) }
    #expect(world.house.browser().get(world.picture).status == 404)
  }

  // MARK: A person's account

  @Test("A guest's photos go along when they become a member, and go when that one goes for good")
  func merging() throws {
    let house = try TestHouse()
    let ann = try house.alone("ann")
    let guest = try house.guest("Gia")
    guest.add(try SmallPhoto.png(story: "From before"))
    let photo = try #require(guest.album().first)
    guest.get("/sign-in")
    guest.signIn("ann@example.test", TestHouse.password)
    #expect(guest.get(photo).status == 404)
    guest.post("/merge", ["take": "1"])
    #expect(guest.get(photo).shows("From before"))
    _ = try guest.addPhoto()
    #expect(guest.album().count == 2)
    // The guest is nobody any more; the files stay where they are.
    house.clock.advance(seconds: .days(400))
    try house.work()
    #expect(try house.photoFiles().count == 6)
    try house.signedIn("ann").leave()
    house.clock.advance(seconds: .days(31))
    try house.work()
    #expect(try house.photoFiles() == [])
    #expect(
      try house.database.read {
        try !$0.exists("SELECT 1 FROM photos WHERE user_id = ?", ann.id)
      })
  }

  @Test("An export holds the photos as they are, with their stories inside")
  func export() throws {
    let world = try World()
    world.ann.add(try SmallPhoto.png(story: "Mine alone"))
    let (files, media) = try world.house.database.read { reader in
      let ann = try reader.first("SELECT id FROM users WHERE display_name = 'Ann'") {
        try $0.id(0, Person.self)
      }
      let participant = world.house.house.features.album.participant
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
      let path = "\(world.house.house.configuration.mediaFolder)/\(file.path)"
      #expect(FileManager.default.fileExists(atPath: path))
    }
  }

  @Test("The partner's purge takes none of one's own photos")
  func partnersPurge() throws {
    let world = try World()
    world.ben.leave()
    world.house.clock.advance(seconds: .days(31))
    try world.house.work()
    #expect(world.seen(by: try world.house.signedIn("ann")) == [200, 200, 200, 1])
  }
}
