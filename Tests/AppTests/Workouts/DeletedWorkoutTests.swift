import Core
import Database
import Testing

@testable import App
@testable import Workouts

@Suite("Deleted workouts can be restored for 30 days")
struct DeletedWorkoutTests {
  private static let bin = "/workouts/deleted"

  private func path(_ id: ID<Workout>) -> String { "/workouts/\(id)" }

  private func rows(_ instance: TestInstance) throws -> Int {
    try instance.count("SELECT count(*) FROM deleted_workouts")
  }

  @Test("A deleted workout counts and shows nowhere, and comes back with all that it had")
  func restored() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let stored = try instance.upload([instance.workout(90_000), instance.workout()], sam).stored
    let id = try #require(stored.last)
    let page = path(id)
    #expect(browser.call(.patch, "/sessions/\(id)", #"{"title":"Hills"}"#).status == 200)
    let before = try instance.figures(sam)
    #expect(browser.get(Self.bin).shows("No deleted workouts"))
    #expect(browser.post("\(page)/delete").toastLink == "\(page)/undo")
    for address in [page, "\(page).csv", "\(page)/edit", "\(page)/delete"] {
      #expect(browser.get(address).status == 404, "\(address)")
    }
    #expect(browser.call(.get, "/sessions").list("sessions").count == 1)
    #expect(browser.call(.get, "/sessions/\(id)").status == 404)
    #expect(try instance.figures(sam).totals.count == 1)
    #expect(try instance.count("SELECT count(*) FROM workout_samples") == 1)
    let bin = browser.get(Self.bin)
    #expect(bin.shows("Hills") && bin.shows("30 days left"))
    #expect(bin.shows("action=\"\(page)/undo\""))
    instance.clock.advance(seconds: 60)
    let since = instance.clock.now()
    #expect(browser.post("\(page)/undo").location == page)
    #expect(browser.get(page).shows("Hills"))
    #expect(try instance.figures(sam) == before)
    #expect(try instance.count("SELECT count(*) FROM workout_samples") == 2)
    // Apps that ask for what is new get it.
    #expect(try instance.workouts(of: sam, since: since).map(\.id) == [id])
    #expect(browser.post("\(page)/undo").status == 404)
    #expect(try rows(instance) == 0 && instance.problems() == [])
  }

  @Test("Apps list and restore it too; the export has it until it is removed for good")
  func appsAndExport() throws {
    let instance = try TestInstance()
    let (sam, eve) = (try instance.alone("sam"), try instance.alone("eve"))
    let (browser, other) = (try instance.signedIn("sam"), try instance.signedIn("eve"))
    let id = try #require(try instance.upload([instance.workout()], sam).stored.first)
    browser.call(.delete, "/sessions/\(id)")
    let listed = browser.call(.get, "/sessions/deleted")
    #expect(listed.status == 200 && listed.text.contains("\"id\":\"\(id)\""))
    let end = instance.clock.now().adding(seconds: 30 * 86_400)
    #expect(listed.text.contains("\"restore_until\":\"\(end.rfc3339.dropLast()).000Z\""))
    #expect(!other.call(.get, "/sessions/deleted").text.contains("\(id)"))
    #expect(other.call(.post, "/sessions/\(id)/restore").status == 404)
    func exported(_ viewer: Viewer) throws -> [String: String] {
      let participant = instance.instance.features.workouts.participant
      return try instance.database.read { reader in
        let files = try participant.export(viewer.id, from: reader)
        return Dictionary(
          try files.map { file in
            (file.name, String(decoding: try file.bytes(in: reader) ?? [], as: UTF8.self))
          }, uniquingKeysWith: { first, _ in first })
      }
    }
    let files = try exported(sam)
    #expect(files["workouts.json"]?.contains("\"deletedAt\"") == true)
    let csv = files.first { $0.key.hasPrefix("workouts/deleted/") && $0.key.hasSuffix("\(id).csv") }
    #expect(csv?.value.contains("second,") == true)
    #expect(try exported(eve).isEmpty)
    let answer = browser.call(.post, "/sessions/\(id)/restore")
    #expect(answer.status == 200 && answer.text.contains("\(id)"))
    #expect(browser.call(.get, "/sessions").list("sessions").count == 1)
    #expect(browser.call(.post, "/sessions/\(id)/restore").status == 404)
    #expect(try exported(sam)["workouts.json"]?.contains("\"deletedAt\"") == false)
  }

  @Test("What a client claims counts without it, and with it again")
  func claimed() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let id = try #require(try instance.upload([instance.workout()], sam).stored.first)
    let now = instance.clock.now()
    _ = try instance.service.claim(StatisticsClaim(count: 9), of: sam.id, now: now)
    #expect(try instance.service.remove(id, of: sam.id, now: now))
    #expect(try instance.figures(sam).totals.count == 8)
    #expect(try instance.service.restore(id, of: sam.id, now: now) == id)
    #expect(try instance.figures(sam).totals.count == 9)
    #expect(try instance.problems() == [])
  }

  @Test("One that is uploaded again is a new one; undoing the deletion leads to it")
  func uploadedAgain() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    let browser = try instance.signedIn("sam")
    let draft = instance.workout()
    let first = try #require(try instance.upload([draft], sam).stored.first)
    #expect(browser.post("\(path(first))/delete").status == 303)
    let again = try instance.upload([draft], sam)
    let second = try #require(again.stored.first)
    #expect(again.duplicates == 0 && second != first)
    #expect(browser.get(Self.bin).shows("No deleted workouts"))
    #expect(browser.post("\(path(first))/undo").location == path(second))
    #expect(try instance.workouts(of: sam).count == 1 && rows(instance) == 0)
    #expect(try instance.problems() == [])
  }

  @Test("Only its owner restores it, until it is removed for good after 30 days")
  func purged() throws {
    let instance = try TestInstance()
    let sam = try instance.alone("sam")
    try instance.alone("eve")
    let browser = try instance.signedIn("sam")
    let id = try #require(try instance.upload([instance.workout()], sam).stored.first)
    browser.call(.delete, "/sessions/\(id)")
    let eve = try instance.signedIn("eve")
    #expect(eve.post("\(path(id))/undo").status == 404 && !eve.get(Self.bin).shows("\(id)"))
    instance.clock.advance(seconds: 29 * 86_400)
    try instance.work()
    #expect(try rows(instance) == 1)
    instance.clock.advance(seconds: 86_400 + 6 * 3600 + 1)
    let later = try instance.signedIn("sam")
    #expect(later.post("\(path(id))/undo").status == 404 && !later.get(Self.bin).shows("\(id)"))
    try instance.work()
    #expect(try rows(instance) == 0)
  }

  @Test("The partner sees it again, and a purge of the account leaves none")
  func partner() throws {
    let instance = try TestInstance()
    let owner = try #require(try instance.couple().first)
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let id = try #require(try instance.upload([instance.workout()], owner).stored.first)
    ann.post("/workouts/sharing", ["shared": "1"])
    let shown = "/workouts/partner/\(id)"
    #expect(ben.get(shown).status == 200)
    ann.post("\(path(id))/delete")
    #expect(ben.get(shown).status == 404 && ben.post("\(path(id))/undo").status == 404)
    #expect(ann.post("\(path(id))/undo").status == 303)
    #expect(ben.get(shown).status == 200)
    ann.post("\(path(id))/delete")
    ann.post("/settings/delete", ["current_password": TestInstance.password])
    instance.clock.advance(seconds: 31 * 86_400)
    try instance.work()
    #expect(try rows(instance) == 0)
  }

  @Test("A guest's deleted workouts go along to the account that the guest signs in to")
  func merged() throws {
    let instance = try TestInstance()
    let (guest, member) = (try instance.alone("gia"), try instance.alone("sam"))
    let id = try #require(try instance.upload([instance.workout()], guest).stored.first)
    let now = instance.clock.now()
    #expect(try instance.service.remove(id, of: guest.id, now: now))
    try instance.database.write {
      try instance.instance.features.workouts.participant.merge(
        guest: guest.id, into: member.id, now: now, in: $0)
    }
    #expect(try instance.service.restore(id, of: guest.id, now: now) == nil)
    #expect(try instance.service.restore(id, of: member.id, now: now) == id)
    #expect(try instance.figures(member).totals.count == 1)
    #expect(try instance.problems() == [])
  }
}
