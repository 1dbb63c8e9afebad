import Accounts
import Core
import Feed
import Foundation
import Groups
import Moderation
import PhotoMetadata
import Secrets

/// The demonstration data: Mei and Jun, a couple, and Sam, alone. Invented people with drawn
/// pictures; one random password, kept in `secrets/demo` (docs/operator/start.md#try-it-out).
public struct DemoData {
  private let instance: Instance

  public init(_ instance: Instance) {
    self.instance = instance
  }

  /// Fills an empty database, and prints the names and the password at every start.
  public func fill(printLine: (String) -> Void) throws {
    if try instance.features.accounts.seeder.isEmpty() {
      try populate(password: try makePassword())
    }
    guard let password = try? String(contentsOfFile: passwordPath, encoding: .utf8) else { return }
    printLine("Sign in as mei@example.test or jun@example.test (a couple) or sam@example.test,")
    printLine("with the password \(password)")
  }

  private var passwordPath: String { "\(instance.configuration.secretsFolder)/demo" }

  private func makePassword() throws -> String {
    let password = Base64URL.text(RandomBytes.make(9))
    let made = FileManager.default.createFile(
      atPath: passwordPath, contents: Data(password.utf8), attributes: [.posixPermissions: 0o600])
    guard made else { throw Serve.Failure("cannot write \(passwordPath)") }
    return password
  }

  private func populate(password: String) throws {
    let now = instance.site.clock.now()
    let seeder = instance.features.accounts.seeder
    let couple = try seeder.found(
      [("Mei", "mei@example.test"), ("Jun", "jun@example.test")], couple: "Mei & Jun",
      anniversary: LocalDay(now, in: .gmt).adding(days: -1204), password: password,
      now: now.adding(seconds: -.days(40)))
    let alone = try seeder.found(
      [("Sam", "sam@example.test")], password: password, now: now.adding(seconds: -.days(20)))
    guard let mei = couple.first, let jun = couple.last, let sam = alone.first else { return }
    try DemoTrainings(instance: instance).fill(now: now.adding(seconds: -.days(30)))
    try post("Slow morning. The kettle sang and nobody got up.", [], mei, now, .days(9))
    try post(
      "Found the old bench by the lake again.", [(.lake, "A lake below blue hills")], jun, now,
      .days(4))
    let walk = try post(
      "First long walk in the new city. 路上的小店都还开着。",
      [(.dunes, "Sand-coloured dunes under a pale sun")],
      sam, now, .hours(29))
    let trains = try post(
      "Two trains, one bus, and the last three kilometres on foot. Worth every blister.",
      [
        (.dawn, "Hills at dawn"), (.forest, "Green hills and a low sun"),
        (.night, "Dark hills under a moon"),
      ], mei, now, .hours(3))
    if let trains {
      let publishing = instance.features.feed.publishing
      try publishing.comment(
        "Where do the trains go?", on: trains, by: sam, at: now.adding(seconds: -.minutes(50)))
      try publishing.comment(
        "Down the east coast. Take the slow one.", on: trains, by: jun,
        at: now.adding(seconds: -.minutes(20)))
    }
    try instance.features.wallet.grant(115, to: mei.id, at: now.adding(seconds: -.days(2)))
    try report(walk, "false_information", mei, now, .hours(5))
    try report(walk, "other", jun, now, .hours(4), "The shops were closed.")
    try report(trains, "spam", sam, now, .hours(2))
    try photo("The ferryman let us row the last stretch ourselves.", .lake, mei, now, .days(12))
    try photo("山裡的霧散得比咖啡涼得還慢。", .forest, mei, now, .days(6))
    try photo("Last light. You were right about the scarf.", .night, mei, now, .hours(20), false)
    try moment("Waiting for the ferry, with cake.", .dawn, mei, now, .hours(2))
    try moment("雨停了。", .lake, jun, now, .minutes(40))
    try train(mei, jun, now)
    try group(mei, jun, sam, now)
  }

  private func train(_ mei: Viewer, _ jun: Viewer, _ now: Instant) throws {
    let zone = TimeZone(named: instance.site.defaultTimeZone) ?? .gmt
    let workouts = DemoWorkouts.all(now: now, zone: zone)
    let service = instance.features.workouts.service
    for (person, drafts) in [(mei, workouts.mei), (jun, workouts.jun)] {
      _ = try service.upload(drafts, of: person.id, now: now)
    }
  }

  /// A group of three people on the way to a mountain tea shop.
  private func group(_ mei: Viewer, _ jun: Viewer, _ sam: Viewer, _ now: Instant) throws {
    guard let teaHouse = Position(latitude: 24.9683, longitude: 121.5881) else { return }
    try instance.features.groups.found(
      "Harvest Walk",
      [
        .init(mei, at: Position(latitude: 24.9664, longitude: 121.5866)),
        .init(jun, at: Position(latitude: 24.9669, longitude: 121.5872)), .init(sam, at: nil),
      ], goingTo: ("Tea house", teaHouse), saying: "By the stone steps",
      at: now.adding(seconds: -.minutes(2)))
  }

  private func photo(
    _ story: String, _ scene: DemoImage, _ viewer: Viewer, _ now: Instant, _ secondsAgo: Int64,
    _ isShared: Bool = true
  ) throws {
    let file = try scene.draw(into: instance.configuration.uploadFolder)
    defer { try? FileManager.default.removeItem(atPath: file) }
    try instance.features.album.add(
      file, story: PhotoStory(story), isShared: isShared, by: viewer,
      at: now.adding(seconds: -secondsAgo))
  }

  /// A moment, which is over a day after it was made.
  private func moment(
    _ words: String, _ scene: DemoImage, _ viewer: Viewer, _ now: Instant, _ secondsAgo: Int64
  ) throws {
    let file = try scene.draw(into: instance.configuration.uploadFolder)
    defer { try? FileManager.default.removeItem(atPath: file) }
    try instance.features.moments.add(
      file, words: words, by: viewer, at: now.adding(seconds: -secondsAgo))
  }

  /// A report for moderators.
  private func report(
    _ post: ID<Post>?, _ reason: String, _ viewer: Viewer, _ now: Instant, _ secondsAgo: Int64,
    _ note: String = ""
  ) throws {
    guard let post else { return }
    try instance.features.moderation.report(
      post.cast(to: ReportedPost.self), reason: reason, note: note, by: viewer,
      at: now.adding(seconds: -secondsAgo))
  }

  @discardableResult
  private func post(
    _ words: String, _ scenes: [(scene: DemoImage, description: String)], _ viewer: Viewer,
    _ now: Instant, _ secondsAgo: Int64
  ) throws -> ID<Post>? {
    let files = try scenes.map { scene, description in
      (path: try scene.draw(into: instance.configuration.uploadFolder), description: description)
    }
    defer { for file in files { try? FileManager.default.removeItem(atPath: file.path) } }
    return try instance.features.feed.publishing.post(
      words, pictures: files, by: viewer, at: now.adding(seconds: -secondsAgo))
  }
}
