import Database
import Foundation
import Testing

@testable import Album
@testable import App
@testable import CheckIn
@testable import Workouts

/// Instances with data of all modules.
enum DoctorScenario: Sendable {
  case home, photos, workouts, exercise, reports, silence, shop

  func make() throws -> TestInstance {
    let instance: TestInstance
    switch self {
    case .home:
      instance = try TestInstance()
      try Self.live(in: instance)
    case .photos:
      instance = try TestInstance()
      try instance.alone("sam")
      try instance.signedIn("sam").add(try SmallPhoto.png(story: "First"))
    case .workouts:
      instance = try TestInstance()
      try instance.alone("sam")
      let answer = try instance.signedIn("sam").importFiles(SmallWorkout.tcx(hours: 7, 9))
      try #require([200, 303].contains(answer.status), "\(answer.text)")
    case .exercise:
      instance = try TestInstance()
      let (_, fay, group) = try instance.exercise()
      fay.share(25.033, 121.5654, with: group)
    case .reports:
      instance = try TestInstance()
      _ = try instance.moderator()
      let people = try instance.members("ann", "sam")
      let post = try people[0].write("Words")
      people[1].report(post)
    case .silence:
      instance = try TestInstance()
      try instance.watched()
      try instance.goQuiet()
    case .shop: instance = try Self.shop()
    }
    try instance.work()
    return instance
  }

  /// A couple with a post and a follower's like, an app, a push subscription, queued mail.
  private static func live(in instance: TestInstance) throws {
    let ann = try #require(try instance.couple().first)
    try instance.couple("Cy & Di", "cy", "di")
    try instance.alone("sam")
    let (browser, sam) = (try instance.signedIn("ann"), try instance.signedIn("sam"))
    let post = try browser.writeWithPicture("Words to be found")
    try browser.write("More of them")
    browser.subscribe()
    let sent = browser.message(
      "Between us", to: try browser.coupleID(), pictures: [SmallPicture.png])
    try #require(sent.status == 201, "\(sent.text)")
    try browser.share("Snow")
    sam.post("\(post)/like")
    _ = try instance.app(ann.id)
  }

  private static func shop() throws -> TestInstance {
    let shop = try FakeShop()
    try shop.instance.couple()
    let admin = try shop.instance.moderator("ada", as: .admin)
    let ann = try shop.instance.signedIn("ann")
    try shop.buy("1", as: ann)
    for code in try shop.instance.codes(3, by: admin).prefix(2) {
      try #require(ann.post("/wallet/redeem", ["code": code]).status == 303)
    }
    return shop.instance
  }
}

/// A corruption from outside the application, and the check that must find it.
struct DoctorCorruption: Sendable, CustomTestStringConvertible {
  let check: String
  let scenario: DoctorScenario
  let corruption: @Sendable (TestInstance) throws -> Void
  /// Checks of the instance with another time or disk.
  var others: @Sendable (TestInstance) -> [DoctorCheck] = { _ in [] }

  var testDescription: String { check }

  init(_ check: String, in scenario: DoctorScenario, _ statements: Query...) {
    self.init(check, in: scenario) { instance in
      try instance.database.write { writer in
        for statement in statements { try writer.execute(statement) }
      }
    }
  }

  init(
    _ check: String, in scenario: DoctorScenario,
    others: @escaping @Sendable (TestInstance) -> [DoctorCheck] = { _ in [] },
    _ corruption: @escaping @Sendable (TestInstance) throws -> Void
  ) {
    self.check = check
    self.scenario = scenario
    self.corruption = corruption
    self.others = others
  }
}
