import Accounts
import Basics
import Database
import Foundation
import Testing
import Workouts

@testable import App

@Suite("Statistics of workouts, as they are kept")
struct WorkoutStatisticsStoreTests {
  @Test("Any order and any split into batches give the same figures: 200 splits")
  func splits() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    var drafts: [WorkoutDraft] = []
    for place in 0..<40 {
      var draft = house.workout(Int64.random(in: 2000...(20 * 86_400)))
      draft.energy = Double(place) * 1.117
      draft.distance = Double(place) * 13.013
      draft.duration = 1000 + Double(place) / 7
      draft.samples = [:]
      drafts.append(draft)
    }
    var expected: EffectiveStatistics?
    for _ in 0..<200 {
      try house.database.write {
        try $0.execute("DELETE FROM workouts")
        try $0.execute("DELETE FROM user_stats")
      }
      var rest = drafts.shuffled()[...]
      while !rest.isEmpty {
        let batch = rest.prefix(Int.random(in: 1...20))
        rest = rest.dropFirst(batch.count)
        // Some are sent again, as after a lost answer.
        let again = Bool.random() ? Array(batch.prefix(20 - batch.count)) : []
        try house.upload(Array(batch) + again, sam)
      }
      let figures = try house.figures(sam)
      #expect(figures == expected ?? figures)
      expected = figures
    }
    #expect(expected?.totals.count == 40)
    #expect(try house.problems() == [])
  }

  @Test("A workout of less than a minute makes no streak, whatever else it counts for")
  func tooShort() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    func upload(seconds: Double) throws {
      var draft = house.workout(3600)
      draft.duration = seconds
      draft.samples = [:]
      try house.upload([draft], sam)
    }
    try upload(seconds: 59.9)
    let short = try house.figures(sam)
    #expect(short.totals.count == 1 && short.streak == 0 && short.lastDay == nil)
    #expect(try house.problems() == [])
    try upload(seconds: 60)
    #expect(try house.figures(sam).streak == 1)
    // Taken out again, the short one that is left makes no streak.
    let long = try #require(
      try house.workouts(of: sam).first { $0.content.duration.value == 60 })
    try house.desk.remove(long.id, of: sam.id)
    let left = try house.figures(sam)
    #expect(left.totals.count == 1 && left.streak == 0)
    #expect(try house.problems() == [])
  }

  @Test("Uploads and deletions by chance leave nothing for the doctor to find")
  func deletions() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    for _ in 0..<80 {
      switch Int.random(in: 0..<5) {
      case 0...2:
        try house.upload([house.workout(Int64.random(in: 2000...(9 * 86_400)))], sam)
      case 3:
        if let workout = try house.workouts(of: sam).randomElement() {
          #expect(try house.desk.remove(workout.id, of: sam.id))
        }
      default:
        _ = try house.desk.claim(
          StatisticsClaim(count: 50), of: sam.id, now: house.clock.now())
      }
      #expect(try house.problems() == [])
    }
    for workout in try house.workouts(of: sam) { try house.desk.remove(workout.id, of: sam.id) }
    #expect(try house.count("SELECT count(*) FROM workout_samples") == 0)
    #expect(try house.problems() == [])
    #expect(try house.count("SELECT count + run_days + later_count FROM user_stats") == 0)
  }

  @Test("A claim wins until the next one; both are kept")
  func claim() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let outcome = try house.upload([house.workout(), house.workout(90_000)], sam)
    let claimed = try house.desk.claim(
      StatisticsClaim(count: 150, streak: 7, lastDay: LocalDay(house.clock.now(), in: .gmt)),
      of: sam.id, now: house.clock.now())
    #expect(claimed.totals.count == 150 && claimed.streak == 7)
    #expect(claimed.totals.energy.value == 543)
    #expect(try house.upload([house.workout()], sam).statistics.totals.count == 151)
    try house.desk.remove(outcome.stored[0], of: sam.id)
    #expect(try house.figures(sam).totals.count == 150)
    #expect(try house.count("SELECT count FROM user_stats") == 2)
    #expect(try house.problems() == [])
  }

  @Test("The streak is counted in the person's zone, and anew when they move")
  func zones() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let browser = try house.signedIn("sam")
    func move(_ zone: String) {
      browser.post("/settings/language", ["language": "en", "theme": "auto", "time_zone": zone])
    }
    move("Asia/Taipei")
    // 23:30 and 00:30 in Taipei: two days there, one in London.
    house.clock.set(try #require(Instant(rfc3339: "2026-03-02T16:40:00Z")))
    try house.upload(
      [house.workout(4200), house.workout(600)].map {
        var draft = $0
        draft.endedAt = draft.startedAt?.adding(seconds: 300)
        draft.duration = 300
        return draft
      }, sam)
    #expect(try house.figures(sam).streak == 2)
    #expect(try house.figures(sam).lastDay == LocalDay("2026-03-03"))
    move("Europe/London")
    #expect(try house.figures(sam).streak == 1)
    #expect(try house.figures(sam).lastDay == LocalDay("2026-03-02"))
    #expect(try house.problems() == [])
    house.clock.advance(seconds: 86_400)
    #expect(try house.figures(sam).streak == 1)
    house.clock.advance(seconds: 86_400)
    #expect(try house.figures(sam).streak == 0)
  }

  @Test("Whoever moves by the note of a page has moved here too")
  func movedElsewhere() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let browser = try house.signedIn("sam")
    browser.begin("Sam", contact: "kai@example.test", "save")
    // 23:30 and 00:30 in Taipei: two days there, one in London.
    house.clock.set(try #require(Instant(rfc3339: "2026-03-02T16:40:00Z")))
    try house.upload(
      [house.workout(4200), house.workout(600)].map {
        var draft = $0
        draft.endedAt = draft.startedAt?.adding(seconds: 300)
        draft.duration = 300
        return draft
      }, sam)
    func days() throws -> Int {
      try house.count("SELECT count(DISTINCT day) FROM workouts")
    }
    #expect(try days() == 2)
    let answer = browser.post(
      "/settings/zone", ["button": "move", "time_zone": "Europe/London"])
    #expect(answer.status == 303)
    #expect(try days() == 1)
    #expect(try house.problems() == [])
  }

  @Test("The doctor finds wrong figures, says both, and mends them")
  func doctor() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    try house.upload([house.workout(), house.workout(90_000)], sam)
    let right = try house.figures(sam)
    for wrong in [
      "UPDATE user_stats SET count = 7", "UPDATE user_stats SET run_days = 9",
      "UPDATE user_stats SET later_energy_cal = 1", "UPDATE workouts SET day = day + 1",
      "DELETE FROM user_stats",
    ] {
      try house.database.write { try $0.execute(wrong) }
      let found = try house.problems()
      #expect(!found.isEmpty, "\(wrong)")
      if wrong.hasSuffix("count = 7") {
        #expect(found.count == 1 && found[0].contains("7 workouts"), "\(found)")
        #expect(found[0].contains("counted 2 workouts, 543.0 kcal"), "\(found)")
      }
      for check in house.house.doctorChecks { try check.repair?(house.database) }
      #expect(try house.problems() == [], "\(wrong)")
      #expect(try house.figures(sam) == right, "\(wrong)")
    }
    try house.database.write { try $0.execute("UPDATE workout_samples SET samples = x'09'") }
    #expect(try house.problems().count == 2)
  }
}

@Suite("Workouts and a person's account")
struct WorkoutAccountTests {
  @Test("A merged guest's workouts are the member's, those that both have once")
  func merge() throws {
    let house = try TestHouse()
    let (sam, kim) = (try house.alone("sam"), try house.alone("kim"))
    let both = house.workout()
    var other = both
    other.energy = 1
    try house.upload([both, house.workout(90_000)], sam)
    try house.upload([other, house.workout(180_000), house.workout(5000)], kim)
    _ = try house.desk.claim(StatisticsClaim(count: 100), of: sam.id, now: house.clock.now())
    _ = try house.desk.claim(StatisticsClaim(count: 900), of: kim.id, now: house.clock.now())
    try house.database.write {
      try house.house.features.workouts.participant.merge(
        guest: kim.id, into: sam.id, now: house.clock.now(), in: $0)
    }
    #expect(try house.workouts(of: sam).count == 4)
    #expect(try house.workouts(of: kim).isEmpty)
    let figures = try house.figures(sam)
    // The member's claim, and what has come in after it.
    #expect(figures.totals.count == 102 && figures.streak == 3)
    #expect(figures.totals.energy.value == 4 * 271.5)
    #expect(try house.count("SELECT count(*) FROM user_stats") == 1)
    #expect(try house.count("SELECT count(*) FROM workout_samples") == 4)
    #expect(try house.problems() == [])
  }

  @Test("An export holds all workouts, with their samples as files that can be imported")
  func export() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    var draft = house.workout()
    draft.raw = "AQID"
    try house.upload([draft, house.workout(90_000)], sam)
    let files = try house.database.read {
      try house.house.features.workouts.participant.export(sam.id, from: $0)
    }
    #expect(files.count == 6 && files[0].name == "workouts.json")
    let bytes = try house.database.read { reader in
      try files.map { try #require(try $0.bytes(in: reader)) }
    }
    let text = String(decoding: bytes[0], as: UTF8.self)
    #expect(text.contains("271.5") && text.contains(files[1].name))
    let csv = try WorkoutImport.drafts(bytes[1], zone: .gmt)
    #expect(csv[0].energy == 271.5 && csv[0].samples[.power] == [100, nil, 150.5])
    #expect(files[2].name.hasSuffix(".tcx"))
    let tcx = try WorkoutImport.drafts(bytes[2], zone: .gmt)
    #expect(tcx[0].startedAt == csv[0].startedAt && tcx[0].samples[.power]?.count == 3)
    let raw = try #require(files.firstIndex { $0.name.hasSuffix(".raw") })
    #expect(bytes[raw] == [1, 2, 3] && text.contains(files[raw].name))
    // What is gone when its turn comes is left out.
    for workout in try house.workouts(of: sam) { try house.desk.remove(workout.id, of: sam.id) }
    #expect(try house.database.read { try files[1].bytes(in: $0) } == nil)
    let nobody = try house.alone("kim")
    let none = try house.database.read {
      try house.house.features.workouts.participant.export(nobody.id, from: $0)
    }
    #expect(none.isEmpty)
  }

  @Test("A purge leaves nothing")
  func purge() throws {
    let house = try TestHouse()
    let (sam, kim) = (try house.alone("sam"), try house.alone("kim"))
    for person in [sam, kim] { try house.upload([house.workout()], person) }
    try house.purge(sam.id)
    for table in ["workouts", "workout_samples", "user_stats"] {
      #expect(try house.count("SELECT count(*) FROM \(table)") == 1, "\(table)")
    }
  }
}
