import Core
import Database
import Foundation
import Testing
import WorkoutFiles
import Workouts

@testable import App

extension TestInstance {
  var service: WorkoutService { instance.features.workouts.service }

  /// A workout of half an hour that began this number of seconds before now.
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
    try service.upload(drafts, of: person.id, now: clock.now())
  }

  func figures(_ person: Viewer) throws -> EffectiveStatistics {
    try service.statistics(of: person.id, now: clock.now())
  }

  func workouts(
    of person: Viewer, after cursor: PageCursor<Workout>? = nil, since: Instant? = nil,
    limit: Int = 200
  ) throws -> [Workout] {
    try database.read {
      try service.workouts.list(of: person.id, after: cursor, since: since, limit: limit, in: $0)
    }
  }
}

@Suite("Uploading workouts")
struct WorkoutUploadTests {
  @Test("The batch of the source document: 17 stored, 2 duplicates, 1 failed with its reason")
  func example() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let known = [instance.workout(90_000), instance.workout(80_000)]
    try instance.upload(known, sam)
    var bad = instance.workout()
    bad.duration = -5
    var batch = (1...17).map { instance.workout(Int64($0) * 3000) }
    batch.insert(contentsOf: known, at: 4)
    batch.insert(bad, at: 9)
    let outcome = try instance.upload(batch, sam)
    #expect(outcome.successes == 17 && outcome.duplicates == 2)
    let failed = try #require(outcome.failed.first)
    #expect(outcome.failed.count == 1 && failed.index == 9)
    #expect(failed.session == bad.clientSessionID)
    #expect(failed.failures == [WorkoutIssue(.duration, .tooSmall)])
    #expect(outcome.statistics.totals.count == 19)
    #expect(outcome.statistics.totals.energy.value == 19 * 271.5)
    #expect(outcome.statistics.totals.distance.value == 19 * 14_200)
    #expect(outcome.statistics.totals.duration.value == 19 * 1800)
    #expect(try instance.figures(sam) == outcome.statistics)
    // Sent again, all but the failed one are duplicates.
    let again = try instance.upload(batch, sam)
    #expect(again.successes == 0 && again.duplicates == 19 && again.failed.count == 1)
    #expect(again.statistics == outcome.statistics)
    #expect(try instance.problems() == [])
  }

  @Test("At most twenty, at least one")
  func size() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    #expect(throws: WorkoutService.Rejection.empty) { try instance.upload([], sam) }
    let many = (0...20).map { _ in instance.workout() }
    #expect(throws: WorkoutService.Rejection.tooLarge) { try instance.upload(many, sam) }
    #expect(try instance.count("SELECT count(*) FROM workouts") == 0)
    #expect(try instance.upload(Array(many.dropLast()), sam).successes == 20)
  }

  @Test("The first upload wins: a changed second one is a duplicate, even a wrong one")
  func first() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    var draft = instance.workout()
    try instance.upload([draft], sam)
    draft.energy = 900
    #expect(try instance.upload([draft], sam).duplicates == 1)
    draft.energy = -1
    #expect(try instance.upload([draft, draft], sam).duplicates == 2)
    #expect(try instance.figures(sam).totals.energy.value == 271.5)
  }

  @Test("Within a batch too; a failed first leaves the place to a good second")
  func within() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let good = instance.workout()
    var bad = good
    bad.energy = -1
    let outcome = try instance.upload([bad, good, good], sam)
    #expect(outcome.successes == 1 && outcome.duplicates == 1 && outcome.failed.count == 1)
  }

  @Test("Two people may use the same name for a workout, and see only their own")
  func people() throws {
    let instance = try TestInstance()
    let (sam, kim) = (try instance.alone("sam"), try instance.alone("kim"))
    let draft = instance.workout()
    #expect(try instance.upload([draft], sam).successes == 1)
    #expect(try instance.upload([draft], kim).successes == 1)
    let id = try #require(try instance.workouts(of: sam).first).id
    try instance.database.read { reader throws in
      let store = instance.service.workouts
      #expect(try store.find(id, of: sam.id, in: reader)?.id == id)
      #expect(try store.find(id, of: kim.id, in: reader) == nil)
      #expect(try store.samples(of: id, kim.id, in: reader) == nil)
      #expect(try store.raw(of: id, kim.id, in: reader) == nil)
    }
    #expect(try instance.service.remove(id, of: kim.id, now: instance.clock.now()) == false)
    #expect(try instance.figures(sam).totals.count == 1)
    #expect(try instance.figures(kim).totals.count == 1)
  }

  @Test("The stored workout is the one sent: figures, samples and the machine's own bytes")
  func contents() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    var draft = instance.workout()
    draft.paused = 0.5
    draft.figures.averageHeartRate = 127.5
    draft.training = .random()
    draft.raw = "AQID"
    let bare = {
      var bare = instance.workout(9000)
      bare.samples = [:]
      return bare
    }()
    let outcome = try instance.upload([draft, bare], sam)
    try instance.database.read { reader throws in
      let store = instance.service.workouts
      let kept = try #require(try store.find(outcome.stored[0], of: sam.id, in: reader))
      let content = try WorkoutValidation.check(draft, now: instance.clock.now()).content
      #expect(kept.content == content && kept.receivedAt == instance.clock.now())
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
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    try instance.migrate(
      """
      CREATE TRIGGER no_rower BEFORE INSERT ON workouts WHEN NEW.device_type = 'rower' BEGIN
        SELECT RAISE(ABORT, 'no');
      END
      """)
    var rower = instance.workout()
    rower.machine = .rower
    let drafts = [instance.workout(), rower]
    #expect(throws: StorageError.self) { try instance.upload(drafts, sam) }
    #expect(try instance.count("SELECT count(*) FROM workouts") == 0)
    #expect(try instance.figures(sam).totals == .zero)
  }

  @Test("Lists go page by page, newest first; `since` asks when it came in")
  func paging() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    // Some began at the same time.
    let drafts = (0..<30).map { instance.workout(3600 * Int64(1 + $0 / 3)) }.shuffled()
    try instance.upload(Array(drafts.prefix(20)), sam)
    instance.clock.advance(seconds: 60)
    let since = instance.clock.now()
    try instance.upload(Array(drafts.suffix(10)), sam)
    var (seen, cursor): ([Workout], PageCursor<Workout>?) = ([], nil)
    repeat {
      let page = try instance.workouts(of: sam, after: cursor, limit: 7)
      seen += page
      cursor = page.last.map { PageCursor($0) }
    } while cursor != nil
    #expect(seen.count == 30 && Set(seen.map(\.id)).count == 30)
    let starts = seen.map(\.content.startedAt)
    #expect(starts == starts.sorted().reversed())
    let late = try instance.workouts(of: sam, since: since)
    #expect(
      Set(late.map(\.content.clientSessionID))
        == Set(drafts.suffix(10).compactMap(\.clientSessionID)))
    #expect(try instance.workouts(of: sam, since: since.adding(seconds: 1)).isEmpty)
    #expect(try instance.workouts(of: sam, limit: -1).isEmpty)
  }

  @Test("A file imported twice is a duplicate, by its content alone")
  func imported() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    var recording = WorkoutRecording(
      startedAt: instance.clock.now().adding(seconds: -3600), endedAt: instance.clock.now(),
      duration: 3600, energy: 300, distance: 1000, machine: .rower)
    let file = TCXWriter.bytes(recording)
    let drafts = try WorkoutImport.drafts(file, zone: .gmt)
    #expect(try instance.upload(drafts, sam).successes == 1)
    let again = try WorkoutImport.drafts(file, zone: .gmt)
    #expect(try instance.upload(again, sam).duplicates == 1)
    recording.energy = 301
    let other = try WorkoutImport.drafts(TCXWriter.bytes(recording), zone: .gmt)
    #expect(try instance.upload(other, sam).successes == 1)
    let kept = try #require(try instance.workouts(of: sam).first)
    #expect(kept.content.machine == .rower && kept.content.source == .file)
  }
}
