import Accounts
import Basics
import Database
import Foundation
import Testing
import WorkoutFiles
import Workouts

@testable import App

extension TestHouse {
  var desk: WorkoutDesk { house.features.workouts.desk }

  /// A workout of half an hour that began so many seconds before now.
  func workout(_ secondsAgo: Int64 = 3600) -> WorkoutDraft {
    var draft = WorkoutDraft()
    draft.clientSessionID = .random()
    draft.startedAt = clock.now().adding(seconds: -secondsAgo)
    draft.endedAt = clock.now().adding(seconds: 1800 - secondsAgo)
    draft.duration = 1800
    draft.energy = 271.5
    draft.distance = 14_200
    draft.machine = .bike
    draft.samples[.power] = [100, nil, 150.5]
    return draft
  }

  @discardableResult
  func upload(_ drafts: [WorkoutDraft], _ person: Viewer) throws -> UploadOutcome {
    try desk.upload(drafts, of: person.id, now: clock.now())
  }

  func figures(_ person: Viewer) throws -> EffectiveStatistics {
    try desk.statistics(of: person.id, now: clock.now())
  }

  func workouts(
    of person: Viewer, after cursor: WorkoutCursor? = nil, since: Instant? = nil, limit: Int = 200
  ) throws -> [Workout] {
    try database.read {
      try desk.workouts.list(of: person.id, after: cursor, since: since, limit: limit, in: $0)
    }
  }
}

@Suite("Uploading workouts")
struct WorkoutUploadTests {
  @Test("The batch of the source document: 17 stored, 2 duplicates, 1 failed with its reason")
  func example() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let known = [house.workout(90_000), house.workout(80_000)]
    try house.upload(known, sam)
    var bad = house.workout()
    bad.duration = -5
    var batch = (1...17).map { house.workout(Int64($0) * 3000) }
    batch.insert(contentsOf: known, at: 4)
    batch.insert(bad, at: 9)
    let outcome = try house.upload(batch, sam)
    #expect(outcome.successes == 17 && outcome.duplicates == 2)
    let failed = try #require(outcome.failed.first)
    #expect(outcome.failed.count == 1 && failed.index == 9)
    #expect(failed.session == bad.clientSessionID)
    #expect(failed.failures == [WorkoutFailure(.duration, .tooSmall)])
    #expect(outcome.statistics.totals.count == 19)
    #expect(outcome.statistics.totals.energy.value == 19 * 271.5)
    #expect(outcome.statistics.totals.distance.value == 19 * 14_200)
    #expect(outcome.statistics.totals.duration.value == 19 * 1800)
    #expect(try house.figures(sam) == outcome.statistics)
    // Sent once more, all but the failed one are there.
    let again = try house.upload(batch, sam)
    #expect(again.successes == 0 && again.duplicates == 19 && again.failed.count == 1)
    #expect(again.statistics == outcome.statistics)
    #expect(try house.problems() == [])
  }

  @Test("At most twenty, at least one")
  func size() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    #expect(throws: WorkoutDesk.Refusal.empty) { try house.upload([], sam) }
    let many = (0...20).map { _ in house.workout() }
    #expect(throws: WorkoutDesk.Refusal.tooLarge) { try house.upload(many, sam) }
    #expect(try house.count("SELECT count(*) FROM workouts") == 0)
    #expect(try house.upload(Array(many.dropLast()), sam).successes == 20)
  }

  @Test("The first upload wins: a changed second one is a duplicate, even a wrong one")
  func first() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    var draft = house.workout()
    try house.upload([draft], sam)
    draft.energy = 900
    #expect(try house.upload([draft], sam).duplicates == 1)
    draft.energy = -1
    #expect(try house.upload([draft, draft], sam).duplicates == 2)
    #expect(try house.figures(sam).totals.energy.value == 271.5)
  }

  @Test("Within a batch too; a failed first leaves the place to a good second")
  func within() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    let good = house.workout()
    var bad = good
    bad.energy = -1
    let outcome = try house.upload([bad, good, good], sam)
    #expect(outcome.successes == 1 && outcome.duplicates == 1 && outcome.failed.count == 1)
  }

  @Test("Two people may use the same name for a workout, and see only their own")
  func people() throws {
    let house = try TestHouse()
    let (sam, kim) = (try house.alone("sam"), try house.alone("kim"))
    let draft = house.workout()
    #expect(try house.upload([draft], sam).successes == 1)
    #expect(try house.upload([draft], kim).successes == 1)
    let id = try #require(try house.workouts(of: sam).first).id
    try house.database.read { reader throws in
      let store = house.desk.workouts
      #expect(try store.find(id, of: sam.id, in: reader)?.id == id)
      #expect(try store.find(id, of: kim.id, in: reader) == nil)
      #expect(try store.samples(of: id, kim.id, in: reader) == nil)
      #expect(try store.raw(of: id, kim.id, in: reader) == nil)
    }
    #expect(try house.desk.remove(id, of: kim.id) == false)
    #expect(try house.figures(sam).totals.count == 1)
    #expect(try house.figures(kim).totals.count == 1)
  }

  @Test("What was sent comes back: figures, samples and the machine's own bytes")
  func contents() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    var draft = house.workout()
    draft.paused = 0.5
    draft.figures.averageHeartRate = 127.5
    draft.training = .random()
    draft.raw = "AQID"
    let bare = {
      var bare = house.workout(9000)
      bare.samples = [:]
      return bare
    }()
    let outcome = try house.upload([draft, bare], sam)
    try house.database.read { reader throws in
      let store = house.desk.workouts
      let kept = try #require(try store.find(outcome.stored[0], of: sam.id, in: reader))
      let content = try WorkoutChecks.check(draft, now: house.clock.now()).content
      #expect(kept.content == content && kept.receivedAt == house.clock.now())
      let samples = try #require(try store.samples(of: kept.id, sam.id, in: reader))
      #expect(samples[.power] == [100, nil, 150.5])
      #expect(try store.raw(of: kept.id, sam.id, in: reader) == [1, 2, 3])
      #expect(
        try store.samples(of: outcome.stored[1], sam.id, in: reader) == RecordedSamples())
      #expect(try store.raw(of: outcome.stored[1], sam.id, in: reader) == nil)
    }
  }

  @Test("A batch is kept whole or not at all")
  func whole() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    try house.database.write {
      try $0.execute(
        """
        CREATE TRIGGER no_rower BEFORE INSERT ON workouts WHEN NEW.device_type = 'rower' BEGIN
          SELECT RAISE(ABORT, 'no');
        END
        """)
    }
    var rower = house.workout()
    rower.machine = .rower
    let drafts = [house.workout(), rower]
    #expect(throws: DatabaseFailure.self) { try house.upload(drafts, sam) }
    #expect(try house.count("SELECT count(*) FROM workouts") == 0)
    #expect(try house.figures(sam).totals == .zero)
  }

  @Test("Lists go page by page, newest first; `since` asks when it came in")
  func paging() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    // Some began at the same moment.
    let drafts = (0..<30).map { house.workout(3600 * Int64(1 + $0 / 3)) }.shuffled()
    try house.upload(Array(drafts.prefix(20)), sam)
    house.clock.advance(seconds: 60)
    let since = house.clock.now()
    try house.upload(Array(drafts.suffix(10)), sam)
    var (seen, cursor): ([Workout], WorkoutCursor?) = ([], nil)
    repeat {
      let page = try house.workouts(of: sam, after: cursor, limit: 7)
      seen += page
      cursor = page.last.map { WorkoutCursor(startedAt: $0.content.startedAt, id: $0.id) }
    } while cursor != nil
    #expect(seen.count == 30 && Set(seen.map(\.id)).count == 30)
    let starts = seen.map(\.content.startedAt)
    #expect(starts == starts.sorted().reversed())
    let late = try house.workouts(of: sam, since: since)
    #expect(
      Set(late.map(\.content.clientSessionID))
        == Set(drafts.suffix(10).compactMap(\.clientSessionID)))
    #expect(try house.workouts(of: sam, since: since.adding(seconds: 1)).isEmpty)
    #expect(try house.workouts(of: sam, limit: -1).isEmpty)
  }

  @Test("A file imported twice is a duplicate, by its content alone")
  func imported() throws {
    let house = try TestHouse()
    let sam = try house.alone("sam")
    var recording = WorkoutRecording(
      startedAt: house.clock.now().adding(seconds: -3600), endedAt: house.clock.now(),
      duration: 3600, energy: 300, distance: 1000, machine: .rower)
    let file = TCXWriter.bytes(recording)
    let drafts = try WorkoutImport.drafts(file, zone: .gmt)
    #expect(try house.upload(drafts, sam).successes == 1)
    let again = try WorkoutImport.drafts(file, zone: .gmt)
    #expect(try house.upload(again, sam).duplicates == 1)
    recording.energy = 301
    let other = try WorkoutImport.drafts(TCXWriter.bytes(recording), zone: .gmt)
    #expect(try house.upload(other, sam).successes == 1)
    let kept = try #require(try house.workouts(of: sam).first)
    #expect(kept.content.machine == .rower && kept.content.source == .file)
  }
}
