import Core
import Foundation
import Testing
import WorkoutFiles
import Workouts

@testable import App

@Suite("Importing workouts, and taking them along as files")
struct ImportWorkoutsTests {
  @Test("A file with one workout leads to it")
  func one() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let answer = try instance.signedIn("sam").importFiles(SmallWorkout.tcx(hours: 8))
    let workout = try #require(try instance.workouts(of: sam).first)
    #expect(answer.status == 303 && answer.location == "/workouts/\(workout.id)")
    #expect(workout.content.source == .file && workout.content.duration.value == 600)
    #expect(workout.content.distance.value == 4200.5 && workout.content.energy.value == 99)
  }

  @Test("A file imported twice is a duplicate, by its content and never by its start alone")
  func twice() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let file = SmallWorkout.tcx(hours: 8)
    let page = browser.importFiles(file).location
    let again = browser.importFiles(file)
    #expect(again.status == 200 && again.shows("data-state=\"duplicate\""))
    #expect(again.shows("href=\"\(page ?? "-")\"") && again.shows("1 duplicate skipped"))
    #expect(browser.importFiles(file.replacing("4200.5", with: "4300.5")).status == 303)
    #expect(try instance.workouts(of: sam).count == 2)
  }

  @Test("Of many files each is imported by itself, and the page has all results")
  func many() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let good = SmallWorkout.tcx(hours: 5, 6, 7)
    let future = SmallWorkout.tcx(hours: 9).replacing("2026-03-01", with: "2031-03-01")
    let answer = browser.importFiles(good, "no workouts here", future, good)
    #expect(answer.status == 422)
    for words in [
      "3 workouts imported", "3 duplicates skipped", "2 not imported",
      "Not a TCX, FIT, GPX or CSV file", "starts in the future",
    ] { #expect(answer.shows(words), "\(words): \(answer.text)") }
    #expect(try instance.workouts(of: sam).count == 3)
    for workout in try instance.workouts(of: sam) {
      #expect(answer.shows("href=\"/workouts/\(workout.id)\""))
    }
    #expect(try instance.figures(sam).totals.count == 3)
  }

  private static let bad: [(bytes: [UInt8], words: String)] = [
    (Array(SmallWorkout.bomb.utf8), "damaged or incomplete"),
    (Array(SmallWorkout.tcx(hours: 8).utf8.prefix(700)), "damaged or incomplete"),
    ([14, 0x20, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F] + Array(".FIT".utf8) + [0, 0], "damaged or"),
    (Array("<kml></kml>".utf8), "Not a TCX"),
    ([UInt8](repeating: 0, count: 5000), "Not a TCX"),
    (Array("time,power\r\n0,100\r\n".utf8), "no start time"),
    (Array(String(repeating: "<a>", count: 100_000).utf8), "Not a TCX"),
    (
      Array("<TrainingCenterDatabase>\(String(repeating: "<a>", count: 100_000))".utf8),
      "damaged or"
    ),
  ]

  @Test(
    "A hostile or broken file is refused with a reason", arguments: ImportWorkoutsTests.bad.indices)
  func hostile(index: Int) throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let answer = try instance.signedIn("sam").importFiles([Self.bad[index].bytes])
    #expect(answer.status == 422 && answer.shows("data-state=\"refused\""), "\(answer.text)")
    #expect(answer.shows(Self.bad[index].words), "\(answer.text)")
    #expect(try instance.workouts(of: sam).isEmpty)
    let left = try FileManager.default.contentsOfDirectory(
      atPath: instance.instance.configuration.uploadFolder)
    // The album has a folder of its own there.
    #expect(left.filter { $0 != "stories" } == [])
  }

  @Test("A form without a file, and one with too many, say so")
  func none() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let none = browser.importFiles([])
    #expect(none.status == 422 && none.shows("at least one file"))
    let many = browser.importFiles([[UInt8]](repeating: [1], count: 41))
    #expect(many.status == 422 && many.shows("more than 40 files"))
  }

  @Test("TCX and CSV go out as files that come in again as the same workout")
  func roundTrip() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let others = [try instance.alone("kim"), try instance.alone("lee")]
    let mine = try instance.signedIn("sam")
    let page = try #require(mine.importFiles(SmallWorkout.tcx(hours: 8)).location)
    for (name, ending, type) in [
      ("kim", "tcx", "application/vnd.garmin.tcx+xml"), ("lee", "csv", "text/csv"),
    ] {
      let other = try instance.signedIn(name)
      let file = mine.get("\(page).\(ending)")
      #expect(file.status == 200 && file.headers[.contentType]?.hasPrefix(type) == true)
      let disposition = file.headers[.contentDisposition] ?? ""
      #expect(disposition.hasPrefix("attachment; filename=\"pairspot-2026-03-01-"))
      #expect(disposition.hasSuffix(".\(ending)\""))
      #expect(other.get("\(page).\(ending)").status == 404)
      #expect(instance.browser().get("\(page).\(ending)").status == 303)
      #expect(other.importFiles([file.body]).status == 303)
    }
    let kept = try #require(try instance.workouts(of: sam).first)
    let before = kept.content
    let samples = try instance.database.read {
      try instance.service.workouts.samples(of: kept.id, sam.id, in: $0)
    }
    for person in others {
      let workout = try #require(try instance.workouts(of: person).first)
      #expect(workout.content.startedAt == before.startedAt)
      #expect(workout.content.endedAt == before.endedAt)
      #expect(workout.content.duration == before.duration)
      #expect(workout.content.distance == before.distance)
      #expect(workout.content.energy == before.energy && workout.content.machine == .bike)
      #expect(workout.content.figures == before.figures)
      let again = try instance.database.read {
        try instance.service.workouts.samples(of: workout.id, person.id, in: $0)
      }
      #expect(again == samples)
    }
  }

  @Test(
    "A person's own export imported again changes nothing, whether the file names the workout or not",
    arguments: ["tcx", "csv"], [true, false])
  func ownExport(ending: String, isNamed: Bool) throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    try instance.upload([instance.workout(7200), instance.workout(90_000)], sam)
    let before = try instance.figures(sam)
    for workout in try instance.workouts(of: sam) {
      let name = workout.content.clientSessionID.description
      let file = browser.get("/workouts/\(workout.id).\(ending)").text
      #expect(file.contains(name))
      let sent = isNamed ? file : file.replacing(name, with: "")
      let answer = browser.importFiles(sent)
      #expect(answer.status == 200 && answer.shows("data-state=\"duplicate\""), "\(answer.text)")
      #expect(answer.shows("href=\"/workouts/\(workout.id)\""))
    }
    #expect(try instance.workouts(of: sam).count == 2)
    #expect(try instance.figures(sam) == before)
  }

  @Test("A workout that was deleted comes back from its file under the name it had")
  func deletedComesBack() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    try instance.upload([instance.workout(7200)], sam)
    let workout = try #require(try instance.workouts(of: sam).first)
    let file = browser.get("/workouts/\(workout.id).csv").body
    try instance.service.remove(workout.id, of: sam.id, now: instance.clock.now())
    #expect(browser.importFiles([file]).status == 303)
    let again = try #require(try instance.workouts(of: sam).first)
    #expect(again.content.clientSessionID == workout.content.clientSessionID)
  }

  @Test("All workouts go out as one archive, two that began together under two names")
  func archive() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    try instance.upload(
      [instance.workout(7200), instance.workout(7200), instance.workout(90_000)], sam)
    let answer = try instance.signedIn("sam").get("/workouts/export.zip")
    #expect(answer.status == 200 && answer.headers[.contentType] == "application/zip")
    #expect(answer.headers[.contentDisposition]?.contains("pairspot-workouts-") == true)
    let path = try #require(answer.headers[.accelRedirect]?.dropFirst("/protected-media/".count))
    let full = "\(instance.instance.configuration.mediaFolder)/\(path)"
    let names = String(decoding: try Data(contentsOf: URL(filePath: full)), as: UTF8.self)
      .matches(of: /2026[0-9-]+\.(tcx|csv)/).map { String($0.output.0) }
    #expect(Set(names).count == 6, "\(names)")
    #expect(names.contains { $0.hasSuffix("-2.tcx") })
    // It is removed an hour later.
    let old = Date(timeIntervalSinceNow: -7200)
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: full)
    instance.clock.advance(seconds: 3700)
    try instance.work()
    #expect(!FileManager.default.fileExists(atPath: full))
  }

  @Test("With very many workouts the user is sent to the background export")
  func tooMany() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    try instance.upload([instance.workout()], sam)
    try instance.database.write {
      try $0.execute(
        """
        UPDATE workout_samples SET samples = \([UInt8](repeating: 0, count: 5_000_000))
        """)
    }
    let answer = try instance.signedIn("sam").get("/workouts/export.zip")
    #expect(answer.status == 303 && answer.location == "/settings/export")
  }
}
