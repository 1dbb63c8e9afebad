import Accounts
import Database
import Foundation
import Testing

@testable import Album
@testable import App
@testable import CheckIn
@testable import Workouts

/// Houses in which people lived, with something of each module in one of them.
enum DoctorScene: Sendable {
  case home, photos, workouts, walk, reports, silence, shop

  func make() throws -> TestHouse {
    let house: TestHouse
    switch self {
    case .home:
      house = try TestHouse()
      try Self.live(in: house)
    case .photos:
      house = try TestHouse()
      try house.alone("sam")
      try house.signedIn("sam").add(try SmallPhoto.png(story: "First"))
    case .workouts:
      house = try TestHouse()
      try house.alone("sam")
      let answer = try house.signedIn("sam").importFiles(SmallWorkout.tcx(hours: 7, 9))
      try #require([200, 303].contains(answer.status), "\(answer.text)")
    case .walk:
      house = try TestHouse()
      let (_, fay, group) = try house.walk()
      fay.share(25.033, 121.5654, with: group)
    case .reports:
      house = try TestHouse()
      _ = try house.moderator()
      let people = try house.members("ann", "sam")
      let post = try people[0].write("Words")
      people[1].report(post)
    case .silence:
      house = try TestHouse()
      try house.watched()
      try house.goQuiet()
    case .shop: house = try Self.shop()
    }
    try house.work()
    return house
  }

  /// A couple with a post and a follower's like, an app, a phone that is told, mail on its way.
  private static func live(in house: TestHouse) throws {
    let ann = try #require(try house.couple().first)
    try house.couple("Cy & Di", "cy", "di")
    try house.alone("sam")
    let (browser, sam) = (try house.signedIn("ann"), try house.signedIn("sam"))
    let post = try browser.writeWithPicture("Words to be found")
    try browser.write("More of them")
    browser.subscribe()
    sam.post("\(post)/like")
    _ = try house.app(ann.id)
  }

  private static func shop() throws -> TestHouse {
    let shop = try Shop()
    try shop.house.couple()
    let admin = try shop.house.moderator("ada", as: .admin)
    let ann = try shop.house.signedIn("ann")
    try shop.buy("1", as: ann)
    for code in try shop.house.codes(3, by: admin).prefix(2) {
      try #require(ann.post("/wallet/redeem", ["code": code]).status == 303)
    }
    return shop.house
  }
}

/// What somebody does behind our back, and which check has to say so.
struct DoctorHarm: Sendable, CustomTestStringConvertible {
  let check: String
  let scene: DoctorScene
  let harm: @Sendable (TestHouse) throws -> Void
  /// The checks of a house that only look right at another moment, or on another disk.
  var others: @Sendable (TestHouse) -> [DoctorCheck] = { _ in [] }

  var testDescription: String { check }

  init(_ check: String, in scene: DoctorScene, _ statements: String...) {
    self.init(check, in: scene) { house in
      try house.database.write { writer in
        for statement in statements { try writer.execute(statement) }
      }
    }
  }

  init(
    _ check: String, in scene: DoctorScene,
    others: @escaping @Sendable (TestHouse) -> [DoctorCheck] = { _ in [] },
    _ harm: @escaping @Sendable (TestHouse) throws -> Void
  ) {
    self.check = check
    self.scene = scene
    self.harm = harm
    self.others = others
  }
}
