import Core
import Database
import Foundation
import Secrets
import Testing
import Web

@testable import Accounts
@testable import App
@testable import CheckIn

@Suite("Every decision about a check-in is recorded")
struct RecordTests {
  /// Gia, a guest with Kai as contact, who has checked in on the first day.
  private func gia() throws -> (TestInstance, TestClient, ID<Person>) {
    let instance = try TestInstance()
    let browser = instance.browser()
    browser.begin("Gia", contact: "kai@example.test")
    try instance.work()
    return (instance, browser, try instance.person("Gia"))
  }

  private func lines(_ instance: TestInstance, _ person: ID<Person>) throws -> [RecordLine] {
    try instance.database.read { try instance.checkIn.record.all(of: person, in: $0) }
  }

  private func events(_ instance: TestInstance, _ person: ID<Person>) throws -> [String] {
    try lines(instance, person).map { line in
      line.detail.isEmpty ? line.event.rawValue : "\(line.event.rawValue) \(line.detail)"
    }
  }

  /// The file that nginx sends as an answer.
  private func sentFile(_ answer: TestResponse, _ instance: TestInstance) throws -> [UInt8] {
    let path = try #require(answer.headers[.accelRedirect]?.dropFirst("/protected-media/".count))
    let folder = instance.instance.configuration.mediaFolder
    return Array(try Data(contentsOf: URL(filePath: "\(folder)/\(path)")))
  }

  private func faults(_ instance: TestInstance) throws -> [String] {
    let name = "records of check-ins are whole"
    let check = try #require(instance.instance.doctorChecks.first { $0.name == name })
    return try check.find(instance.database)
  }

  @Test("A silence, from the tap before it to the all-clear")
  func silence() throws {
    let (instance, browser, gia) = try gia()
    #expect(try events(instance, gia) == ["tapped", "sent introduction"])
    browser.tap()
    #expect(try events(instance, gia).count == 2)
    try instance.goTo("2026-03-05", "09:05")
    #expect(try events(instance, gia).dropFirst(2) == ["due 2", "sent alert"])
    browser.tap()
    try instance.work()
    #expect(try events(instance, gia).dropFirst(4) == ["tapped", "ended", "sent all-clear"])
    let found = try lines(instance, gia)
    #expect(found.map(\.number) == Array(1...7))
    #expect(try faults(instance) == [])
  }

  @Test("An alert that waits for a contact is recorded once for a silence")
  func noContact() throws {
    let (instance, browser, gia) = try gia()
    try instance.database.write {
      try $0.execute("UPDATE emergency_contacts SET state = 'refused'")
      try $0.execute("UPDATE checkin_settings SET next_at = 0")
    }
    for day in ["2026-03-05", "2026-03-06", "2026-03-07"] { try instance.goTo(day, "09:05") }
    #expect(try events(instance, gia).dropFirst(2) == ["held no-contact"])
    #expect(browser.get("/checkin/record").shows("none of your contacts can be reached"))
    #expect(try faults(instance) == [])
  }

  @Test("A contact who has reached the user is recorded once")
  func reached() throws {
    let instance = try TestInstance()
    let mei = try instance.watched(by: ["ming", "tao"])
    try instance.goQuiet()
    for name in ["ming", "tao", "ming"] {
      let page = try instance.contactPage(name)
      instance.browser().post(page, ["button": "reached"])
    }
    let reached = try lines(instance, mei).filter { $0.event == .reached }
    #expect(try reached.map(\.contact) == [instance.contact("ming").id])
  }

  @Test("A warning is recorded with the day from which days are counted")
  func warning() throws {
    let instance = try TestInstance()
    let mei = try instance.watched()
    try instance.goTo("2026-03-04", "20:05")
    let last = try #require(try lines(instance, mei).last { $0.event == .warned })
    #expect(last.day == LocalDay("2026-03-02"))
  }

  @Test("A pause is recorded with its end, and so is its early end")
  func pause() throws {
    let instance = try TestInstance()
    let person = try instance.alone("sam").id
    let sam = try instance.signedIn("sam")
    let form = [
      ("alert_time", "09:00"), ("threshold_days", "2"), ("reminder_time", ""),
      ("paused_until", "2026-03-20"), ("contact_language", "en"), ("note", ""),
    ]
    for _ in 0..<2 { #expect(sam.post("/checkin/settings", all: form).status == 303) }
    sam.post("/checkin/settings", ["end_pause": "1"])
    let found = try lines(instance, person).suffix(2)
    #expect(found.map(\.event) == [.paused, .resumed])
    #expect(found.first?.day == LocalDay("2026-03-20"))
  }

  @Test("Pauses and extensions of a timer cannot lengthen it without end")
  func limits() throws {
    let instance = try TestInstance(limits: true)
    let person = try instance.watched()
    let mei = try instance.signedIn("mei")
    let statuses = (0...20).map { number in
      mei.post("/checkin/settings", ["pause": "date", "paused_until": "2026-03-\(10 + number)"])
        .status
    }
    #expect(statuses == Array(repeating: 303, count: 20) + [429])
    #expect(try lines(instance, person).count { $0.event == .paused } == 20)
    mei.post(
      "/checkin/timer", ["button": "start", "minutes": "60", "grace": "15", "note": ""])
    let extensions = (0...100).map { _ in
      mei.post("/checkin/timer", ["button": "extend"]).status
    }
    #expect(extensions == Array(repeating: 303, count: 100) + [429])
  }

  @Test("A line can't be changed or removed, and the doctor finds one that was")
  func tampering() throws {
    let (instance, browser, gia) = try gia()
    try instance.goTo("2026-03-05", "09:05")
    browser.tap()
    for statement: Query in [
      "UPDATE checkin_record SET detail = 'x' WHERE number = 2",
      "DELETE FROM checkin_record WHERE number = 2",
    ] {
      #expect(throws: (any Error).self) {
        try instance.database.write { _ = try $0.execute(statement) }
      }
    }
    #expect(try faults(instance) == [])
    try instance.database.write {
      try $0.execute(.dropTrigger("checkin_record_never_changes"))
      try $0.execute("UPDATE checkin_record SET at = at + 1 WHERE number = 3")
    }
    let line = "of the record does not follow the one before"
    #expect(try faults(instance) == ["user \(gia): line 3 \(line)"])
    try instance.database.write {
      try $0.execute("UPDATE checkin_record SET at = at - 1 WHERE number = 3")
      try $0.execute(.dropTrigger("checkin_record_stays"))
      try $0.execute("DELETE FROM checkin_record WHERE number = 2")
    }
    #expect(try faults(instance) == ["user \(gia): line 3 \(line)"])
  }

  @Test("The page shows a user's own lines as sentences, newest first, fifty at a time")
  func page() throws {
    let (instance, browser, gia) = try gia()
    try instance.goTo("2026-03-05", "09:05")
    let page = browser.get("/checkin/record")
    #expect(page.shows("You checked in for 2 March 2026."))
    #expect(page.shows("2 days without a check-in: your contacts are told."))
    let (due, tapped) = (page.text.range(of: "2 days"), page.text.range(of: "You checked in"))
    #expect(try #require(due).lowerBound < #require(tapped).lowerBound)
    #expect(!page.shows("rel=\"next\""))
    try instance.database.write { writer in
      for _ in 0..<50 {
        try instance.checkIn.record.add(
          .reminded, of: gia, now: instance.clock.now(), in: writer)
      }
    }
    #expect(browser.get("/checkin/record").shows("href=\"/checkin/record?before=5\" rel=\"next\""))
    let older = browser.get("/checkin/record?before=5")
    #expect(older.shows("You checked in for 2 March 2026.") && !older.shows("rel=\"next\""))
    for wrong in ["0", "-1", "x", "99999999999999999999"] {
      #expect(browser.get("/checkin/record?before=\(wrong)").status == 404)
    }
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(sam.get("/checkin/record").shows("Nothing yet"))
    let empty = try sentFile(sam.get("/checkin/record.json"), instance)
    #expect(empty == Array("[\n\n]".utf8))
    for path in ["/checkin/record", "/checkin/record.json"] {
      #expect(instance.browser().get(path).status != 200)
    }
  }

  @Test("The file has all lines with what their hashes are made of")
  func file() throws {
    let (instance, browser, gia) = try gia()
    try instance.goTo("2026-03-05", "09:05")
    // More than two pages, and more bytes than are written at once.
    try instance.database.write { writer in
      for _ in 0..<450 {
        try instance.checkIn.record.add(.reminded, of: gia, now: instance.clock.now(), in: writer)
      }
    }
    let answer = browser.get("/checkin/record.json")
    #expect(answer.headers[.contentType] == "application/json")
    #expect(answer.headers[.cacheControl] == "no-store")
    #expect(
      answer.headers[.contentDisposition]
        == "attachment; filename=\"pairspot-check-in-record-2026-03-05.json\"")
    let bytes = try sentFile(answer, instance)
    let lines = try #require(
      JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]])
    var previous = ""
    for line in lines {
      func text(_ name: String) -> String { line[name].map { "\($0)" } ?? "" }
      let content = [
        previous, text("number"), text("atMilliseconds"), text("event"), text("day"),
        text("contact"), text("detail"),
      ].joined(separator: "\n")
      previous = Hex.text(Digests.sha256(Array(content.utf8)))
      #expect(text("hash") == previous)
    }
    #expect(lines.count == (try self.lines(instance, gia).count))
    var (exported, longest): ([UInt8], Int) = ([], 0)
    try instance.database.read { reader in
      let files = try CheckInParticipant(services: instance.checkIn).export(gia, from: reader)
      let pieces = try #require(files.first { $0.name == "check-in-record.json" }?.pieces)
      try pieces(reader) {
        exported += $0
        longest = max(longest, $0.count)
      }
    }
    #expect(exported == bytes && longest < 1_000)
  }

  @Test("The file is made twenty times an hour at most, and removed later")
  func files() throws {
    let instance = try TestInstance(limits: true)
    try instance.watched()
    let mei = try instance.signedIn("mei")
    let statuses = (0...20).map { _ in mei.get("/checkin/record.json").status }
    #expect(statuses == Array(repeating: 200, count: 20) + [429])
    func count() throws -> Int {
      try instance.mediaFiles().count { $0.hasPrefix("record-exports/") }
    }
    #expect(try count() == 20)
    instance.checkIn.recordFiles.removeOld(at: Date(timeIntervalSinceNow: 7200))
    #expect(try count() == 0)
  }

  @Test("The lines of a guest become those of the member, with their moments")
  func merge() throws {
    let (instance, _, gia) = try gia()
    let sam = try instance.alone("sam").id
    try instance.database.write { writer in
      try instance.checkIn.record.add(.reminded, of: sam, now: instance.clock.now(), in: writer)
      try CheckInMerge(services: instance.checkIn).merge(
        guest: gia, into: sam, now: instance.clock.now(), in: writer)
    }
    #expect(try events(instance, sam).prefix(3) == ["reminded", "tapped", "sent introduction"])
    let moments = Array(try lines(instance, sam).dropFirst().prefix(2).map(\.at))
    #expect(try moments == lines(instance, gia).map(\.at))
    #expect(try faults(instance) == [])
  }
}
