import Database
import Foundation
import Testing

@testable import App

@Suite("The doctor")
struct DoctorTests {
  private func found(_ house: TestHouse) throws -> [String] {
    try house.database.read { reader in
      try house.house.doctorChecks.flatMap { try $0.find(reader) }
    }
  }

  private func repair(_ house: TestHouse) throws {
    try house.database.write { writer in
      for check in house.house.doctorChecks { try check.repair?(writer) }
    }
  }

  @Test("Finds nothing in a house where people lived")
  func well() throws {
    let house = try TestHouse()
    try house.couple()
    try house.alone("sam")
    let (ann, sam) = (try house.signedIn("ann"), try house.signedIn("sam"))
    let post = try ann.writeWithPicture("Words")
    try sam.write("First")
    sam.post("\(post)/like")
    #expect(try found(house) == [])
  }

  @Test(
    "Finds a wrong count and mends it",
    arguments: ["like_count = 7", "like_count = 0", "image_count = 3"])
  func counts(wrong: String) throws {
    let house = try TestHouse()
    try house.couple()
    let ann = try house.signedIn("ann")
    let post = try ann.writeWithPicture("Words")
    ann.post("\(post)/like")
    try house.database.write { try $0.execute("UPDATE posts SET \(wrong)") }
    #expect(try found(house).count == 1)
    try repair(house)
    #expect(try found(house) == [])
    #expect(try house.count("SELECT like_count + image_count FROM posts") == 2)
  }

  @Test("Finds a couple that lacks a member, and leaves it to a person")
  func members() throws {
    let house = try TestHouse()
    try house.couple()
    try house.database.write {
      try $0.execute(
        "UPDATE users SET couple_id = NULL, couple_side = NULL WHERE couple_side = 2")
    }
    #expect(try found(house).count == 1)
    try repair(house)
    #expect(try found(house).count == 1)
  }

  @Test("Finds somebody whom the history has in two couples")
  func twoCouples() throws {
    let house = try TestHouse()
    try house.couple()
    try house.couple("Cy & Di", "cy", "di")
    try house.database.write {
      try $0.execute(
        """
        UPDATE couple_members SET user_id = (SELECT id FROM users WHERE display_name = 'Ann')
        WHERE user_id = (SELECT id FROM users WHERE display_name = 'Cy')
        """)
    }
    // Ann is in two, and Cy is somewhere without a record of it.
    #expect(try found(house).count == 2)
  }
}

@Suite("Opening a house")
struct OpeningTests {
  @Test("Migrations run once, however often it is opened, and nothing is lost")
  func twice() throws {
    let house = try TestHouse()
    try house.couple()
    let ran = try house.count("SELECT count(*) FROM grdb_migrations")
    let again = try House(house.house.configuration)
    #expect(try again.database.missing(of: Migrations.all) == [])
    try again.database.migrate(Migrations.all)
    #expect(try house.count("SELECT count(*) FROM grdb_migrations") == ran)
    #expect(ran == Migrations.all.count)
    #expect(try house.count("SELECT count(*) FROM users") == 2)
  }

  @Test("Each migration has a name of its own")
  func names() {
    let names = Migrations.all.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test("The data folder is for its owner alone")
  func modes() throws {
    let house = try TestHouse()
    let configuration = house.house.configuration
    for path in [configuration.data, configuration.secretsFolder, configuration.mailFolder] {
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o700, "\(path)")
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: configuration.secretsFolder) {
      let path = "\(configuration.secretsFolder)/\(name)"
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
  }

  @Test("Every job of the timetable has a name of its own, and a first run leaves none in error")
  func timetable() throws {
    let house = try TestHouse()
    try house.work()
    #expect(Set(house.house.jobs.map(\.name)).count == house.house.jobs.count)
    #expect(try house.count("SELECT count(*) FROM jobs WHERE last_error IS NOT NULL") == 0)
  }
}
