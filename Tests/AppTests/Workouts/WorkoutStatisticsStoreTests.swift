import Accounts
import Core
import Database
import Foundation
import Testing
import Workouts

@testable import App

@Suite("Statistics of workouts, as they are kept")
struct WorkoutStatisticsStoreTests {
  @Test("Any order and any split into batches give the same figures: 200 splits")
  func splits() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    var drafts: [WorkoutDraft] = []
    for place in 0..<40 {
      var draft = instance.workout(Int64.random(in: 2000...(20 * 86_400)))
      draft.energy = Double(place) * 1.117
      draft.distance = Double(place) * 13.013
      draft.duration = 1000 + Double(place) / 7
      draft.samples = [:]
      drafts.append(draft)
    }
    var expected: EffectiveStatistics?
    for _ in 0..<200 {
      try instance.database.write {
        try $0.execute("DELETE FROM workouts")
        try $0.execute("DELETE FROM user_stats")
      }
      var rest = drafts.shuffled()[...]
      while !rest.isEmpty {
        let batch = rest.prefix(Int.random(in: 1...20))
        rest = rest.dropFirst(batch.count)
        // Some are sent again, as after a lost answer.
        let again = Bool.random() ? Array(batch.prefix(20 - batch.count)) : []
        try instance.upload(Array(batch) + again, sam)
      }
      let figures = try instance.figures(sam)
      #expect(figures == expected ?? figures)
      expected = figures
    }
    #expect(expected?.totals.count == 40)
    #expect(try instance.problems() == [])
  }

  @Test("A workout of less than a minute makes no streak, though it counts otherwise")
  func tooShort() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    func upload(seconds: Double) throws {
      var draft = instance.workout(3600)
      draft.duration = seconds
      draft.samples = [:]
      try instance.upload([draft], sam)
    }
    try upload(seconds: 59.9)
    let short = try instance.figures(sam)
    #expect(short.totals.count == 1 && short.streak == 0 && short.lastDay == nil)
    #expect(try instance.problems() == [])
    try upload(seconds: 60)
    #expect(try instance.figures(sam).streak == 1)
    // After its removal, the remaining short one makes no streak.
    let long = try #require(
      try instance.workouts(of: sam).first { $0.content.duration.value == 60 })
    try instance.service.remove(long.id, of: sam.id, now: instance.clock.now())
    let left = try instance.figures(sam)
    #expect(left.totals.count == 1 && left.streak == 0)
    #expect(try instance.problems() == [])
  }

  @Test("Uploads and deletions by chance leave nothing for the doctor to find")
  func deletions() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    for _ in 0..<80 {
      switch Int.random(in: 0..<5) {
      case 0...2:
        try instance.upload([instance.workout(Int64.random(in: 2000...(9 * 86_400)))], sam)
      case 3:
        if let workout = try instance.workouts(of: sam).randomElement() {
          #expect(try instance.service.remove(workout.id, of: sam.id, now: instance.clock.now()))
        }
      default:
        _ = try instance.service.claim(
          StatisticsClaim(count: 50), of: sam.id, now: instance.clock.now())
      }
      #expect(try instance.problems() == [])
    }
    for workout in try instance.workouts(of: sam) {
      try instance.service.remove(workout.id, of: sam.id, now: instance.clock.now())
    }
    #expect(try instance.count("SELECT count(*) FROM workout_samples") == 0)
    #expect(try instance.problems() == [])
    #expect(try instance.count("SELECT count + run_days + later_count FROM user_stats") == 0)
  }

  @Test("A claim wins until the next one; both are kept")
  func claim() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let outcome = try instance.upload([instance.workout(), instance.workout(90_000)], sam)
    let claimed = try instance.service.claim(
      StatisticsClaim(count: 150, streak: 7, lastDay: LocalDay(instance.clock.now(), in: .gmt)),
      of: sam.id, now: instance.clock.now())
    #expect(claimed.totals.count == 150 && claimed.streak == 7)
    #expect(claimed.totals.energy.value == 543)
    #expect(try instance.upload([instance.workout()], sam).statistics.totals.count == 151)
    try instance.service.remove(outcome.stored[0], of: sam.id, now: instance.clock.now())
    #expect(try instance.figures(sam).totals.count == 150)
    #expect(try instance.count("SELECT count FROM user_stats") == 2)
    #expect(try instance.problems() == [])
  }

  @Test("The streak is counted in the user's zone, and again after a move")
  func zones() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    func move(_ zone: String) {
      browser.post("/settings/language", ["language": "en", "theme": "auto", "time_zone": zone])
    }
    move("Asia/Taipei")
    // 23:30 and 00:30 in Taipei: two days there, one in London.
    instance.clock.set(try #require(Instant(rfc3339: "2026-03-02T16:40:00Z")))
    try instance.upload(
      [instance.workout(4200), instance.workout(600)].map {
        var draft = $0
        draft.endedAt = draft.startedAt?.adding(seconds: 300)
        draft.duration = 300
        return draft
      }, sam)
    #expect(try instance.figures(sam).streak == 2)
    #expect(try instance.figures(sam).lastDay == LocalDay("2026-03-03"))
    move("Europe/London")
    #expect(try instance.figures(sam).streak == 1)
    #expect(try instance.figures(sam).lastDay == LocalDay("2026-03-02"))
    #expect(try instance.problems() == [])
    instance.clock.advance(seconds: 86_400)
    #expect(try instance.figures(sam).streak == 1)
    instance.clock.advance(seconds: 86_400)
    #expect(try instance.figures(sam).streak == 0)
  }

  @Test("A move confirmed on a page applies here too")
  func movedElsewhere() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    browser.begin("Sam", contact: "kai@example.test", "save")
    // 23:30 and 00:30 in Taipei: two days there, one in London.
    instance.clock.set(try #require(Instant(rfc3339: "2026-03-02T16:40:00Z")))
    try instance.upload(
      [instance.workout(4200), instance.workout(600)].map {
        var draft = $0
        draft.endedAt = draft.startedAt?.adding(seconds: 300)
        draft.duration = 300
        return draft
      }, sam)
    func days() throws -> Int {
      try instance.count("SELECT count(DISTINCT day) FROM workouts")
    }
    #expect(try days() == 2)
    let answer = browser.post(
      "/settings/zone", ["button": "move", "time_zone": "Europe/London"])
    #expect(answer.status == 303)
    #expect(try days() == 1)
    #expect(try instance.problems() == [])
  }

  @Test("The doctor finds wrong figures, says both, and mends them")
  func doctor() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    try instance.upload([instance.workout(), instance.workout(90_000)], sam)
    let right = try instance.figures(sam)
    for wrong in [
      "UPDATE user_stats SET count = 7", "UPDATE user_stats SET run_days = 9",
      "UPDATE user_stats SET later_energy_cal = 1", "UPDATE workouts SET day = day + 1",
      "DELETE FROM user_stats",
    ] as [Query] {
      try instance.database.write { try $0.execute(wrong) }
      let found = try instance.problems()
      #expect(!found.isEmpty, "\(wrong)")
      if wrong.sql.hasSuffix("count = 7") {
        #expect(found.count == 1 && found[0].contains("7 workouts"), "\(found)")
        #expect(found[0].contains("counted 2 workouts, 543.0 kcal"), "\(found)")
      }
      for check in instance.instance.doctorChecks { try check.repair?(instance.database) }
      #expect(try instance.problems() == [], "\(wrong)")
      #expect(try instance.figures(sam) == right, "\(wrong)")
    }
    try instance.database.write {
      try $0.execute("UPDATE workout_samples SET samples = \([9] as [UInt8])")
    }
    #expect(try instance.problems().count == 2)
  }
}

@Suite("Workouts and a person's account")
struct WorkoutAccountTests {
  @Test("A merged guest's workouts are the member's, those that both have once")
  func merge() throws {
    let instance = try TestInstance()
    let (sam, kim) = (try instance.alone("sam"), try instance.alone("kim"))
    let both = instance.workout()
    var other = both
    other.energy = 1
    try instance.upload([both, instance.workout(90_000)], sam)
    try instance.upload([other, instance.workout(180_000), instance.workout(5000)], kim)
    _ = try instance.service.claim(
      StatisticsClaim(count: 100), of: sam.id, now: instance.clock.now())
    _ = try instance.service.claim(
      StatisticsClaim(count: 900), of: kim.id, now: instance.clock.now())
    try instance.database.write {
      try instance.instance.features.workouts.participant.merge(
        guest: kim.id, into: sam.id, now: instance.clock.now(), in: $0)
    }
    #expect(try instance.workouts(of: sam).count == 4)
    #expect(try instance.workouts(of: kim).isEmpty)
    let figures = try instance.figures(sam)
    // The member's claim, and the workouts since.
    #expect(figures.totals.count == 102 && figures.streak == 3)
    #expect(figures.totals.energy.value == 4 * 271.5)
    #expect(try instance.count("SELECT count(*) FROM user_stats") == 1)
    #expect(try instance.count("SELECT count(*) FROM workout_samples") == 4)
    #expect(try instance.problems() == [])
  }

  @Test("An export holds all workouts, with their samples as files that can be imported")
  func export() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    var draft = instance.workout()
    draft.raw = "AQID"
    try instance.upload([draft, instance.workout(90_000)], sam)
    let files = try instance.database.read {
      try instance.instance.features.workouts.participant.export(sam.id, from: $0)
    }
    #expect(files.count == 6 && files[0].name == "workouts.json")
    let bytes = try instance.database.read { reader in
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
    // Workouts deleted concurrently are skipped.
    for workout in try instance.workouts(of: sam) {
      try instance.service.remove(workout.id, of: sam.id, now: instance.clock.now())
    }
    #expect(try instance.database.read { try files[1].bytes(in: $0) } == nil)
    let nobody = try instance.alone("kim")
    let none = try instance.database.read {
      try instance.instance.features.workouts.participant.export(nobody.id, from: $0)
    }
    #expect(none.isEmpty)
  }

  @Test("A purge leaves nothing")
  func purge() throws {
    let instance = try TestInstance()
    let (sam, kim) = (try instance.alone("sam"), try instance.alone("kim"))
    for person in [sam, kim] { try instance.upload([instance.workout()], person) }
    try instance.purge(sam.id)
    for table in ["workouts", "workout_samples", "user_stats"] {
      #expect(try instance.count("SELECT count(*) FROM \(name: table)") == 1, "\(table)")
    }
  }
}
