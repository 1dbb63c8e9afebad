import Core
import Database
import Foundation
import HTTPTypes
import Testing

@testable import App

@Suite("Moments are seen for a day by those who may")
struct MomentTests {
  private let scenario: MessageScenario
  private var instance: TestInstance { scenario.instance }
  private var ann: TestClient { scenario.ann }
  private var ben: TestClient { scenario.ben }
  private var cy: TestClient { scenario.cy }

  init() throws {
    scenario = try MessageScenario()
  }

  private func follow() throws {
    try #require(cy.post("/couples/\(ann.coupleID())/follow").status == 303)
  }

  private func momentFiles() throws -> Set<String> {
    try instance.mediaFiles().filter { $0.hasPrefix("moments/") }
  }

  /// The addresses of a moment: its pages, files and calls.
  private func addresses(of moment: String, by browser: TestClient) throws -> [String] {
    let couple = try ann.coupleID()
    let files = browser.get(moment).pictures.filter { $0.contains("/moments/") }
    try #require(!files.isEmpty)
    return [moment, "/moments/\(couple)", "/api/v1/moments/\(moment.suffix(36))"] + files
  }

  @Test("A moment for followers is seen by them and its couple, and by no one else")
  func followers() throws {
    let moment = try ann.share("Snow")
    let addresses = try addresses(of: moment, by: ann)
    for address in addresses {
      for (browser, status) in [(ann, 200), (ben, 200), (cy, 404), (scenario.sam, 404)] {
        #expect(browser.get(address).status == status, "\(address)")
      }
    }
    try follow()
    for address in addresses { #expect(cy.get(address).status == 200, "\(address)") }
    #expect(try cy.circles() == [ann.coupleID()])
    #expect(scenario.sam.circles().isEmpty && scenario.sam.get("/").shows("moment-circle") == false)
    #expect(cy.get("/").shows("data-testid=\"moment-circle\""))
    #expect(cy.get(moment).shows("Snow"))
  }

  @Test("A member who has no couple yet finds the form on the feed, and shares a moment")
  func alone() throws {
    #expect(scenario.sam.get("/").links.contains("/moments/new"))
    let moment = try scenario.sam.share("Alone")
    #expect(scenario.sam.get(moment).shows("Alone") && ann.get(moment).status == 404)
    #expect(try scenario.sam.circles() == [scenario.sam.coupleID()])
  }

  @Test("A moment for the two is seen by the two only")
  func couple() throws {
    try follow()
    let moment = try ann.share("Ours", audience: "couple")
    for address in try addresses(of: moment, by: ann) {
      #expect(ben.get(address).status == 200 && cy.get(address).status == 404, "\(address)")
    }
    #expect(cy.circles().isEmpty)
  }

  @Test("A block, a deleted account and parting hide moments at once")
  func apart() throws {
    try follow()
    let moment = try ann.share("Snow")
    try ann.post("/couples/\(cy.coupleID())/block")
    #expect(cy.get(moment).status == 404 && cy.circles().isEmpty)
    try ann.post("/settings/blocks", ["couple_id": cy.coupleID()])
    try follow()
    #expect(cy.get(moment).status == 200)
    let id = try instance.person("Ann")
    func set(deleted: Instant?) throws {
      try instance.database.write {
        try $0.execute("UPDATE users SET deleted_at = \(deleted) WHERE id = \(id)")
      }
    }
    try set(deleted: instance.clock.now())
    #expect(cy.get(moment).status == 404 && ben.get(moment).status == 404)
    try set(deleted: nil)
    #expect(ben.part().status == 303)
    #expect(cy.get(moment).status == 404 && ben.get(moment).status == 200)
  }

  @Test("Moments of a couple that is hidden, or not followed any more, are seen by it alone")
  func unfollowed() throws {
    try follow()
    let addresses = try addresses(of: ann.share("Snow"), by: cy)
    func set(hidden: Instant?) throws {
      try instance.database.write {
        try $0.execute(
          "UPDATE couples SET hidden_at = \(hidden) WHERE id = (SELECT couple_id FROM moments)")
      }
    }
    func isSeenByCouple() -> Bool {
      addresses.allSatisfy { ben.get($0).status == 200 && cy.get($0).status == 404 }
    }
    try set(hidden: instance.clock.now())
    #expect(isSeenByCouple() && cy.circles().isEmpty)
    try set(hidden: nil)
    #expect(cy.get(addresses[0]).status == 200)
    try #require(cy.post("/couples/\(ann.coupleID())/unfollow").status == 303)
    #expect(isSeenByCouple() && cy.circles().isEmpty)
  }

  @Test("After exactly 24 hours no page, call, file or export shows it, and the job removes it")
  func expiry() throws {
    try follow()
    let moment = try ann.share("Snow")
    let addresses = try addresses(of: moment, by: cy)
    func exported() throws -> String {
      let id = try instance.person("Ann")
      let participant = instance.instance.features.moments.participant
      return try instance.database.read { reader in
        let media = try participant.exportedMedia(of: id, from: reader).map(\.path)
        let files = try participant.export(id, from: reader).map {
          String(decoding: $0.json, as: UTF8.self)
        }
        return (media + files).joined()
      }
    }
    instance.clock.advance(seconds: 86_399)
    for address in addresses { #expect(cy.get(address).status == 200, "\(address)") }
    #expect(try exported().contains("Snow") && exported().contains("original_"))
    instance.clock.advance(seconds: 1)
    for address in addresses {
      #expect(cy.get(address).status == 404 && ann.get(address).status == 404, "\(address)")
    }
    #expect(cy.circles().isEmpty && ann.circles().isEmpty)
    #expect(try !exported().contains("Snow") && !exported().contains("original_"))
    #expect(try !momentFiles().isEmpty)
    try instance.work()
    #expect(try momentFiles().isEmpty)
    #expect(try instance.count("SELECT count(*) FROM moments") == 0)
    #expect(try instance.count("SELECT count(*) FROM moment_views") == 0)
  }

  @Test("A moment counts as seen once it was shown; its couple sees its viewers")
  func seen() throws {
    try follow()
    let moment = try ann.share("Snow")
    #expect(try cy.circles(unseen: true) == [ann.coupleID()])
    #expect(ann.viewers(of: moment).isEmpty)
    #expect(try cy.get("/moments/\(ann.coupleID())").status == 200)
    #expect(cy.circles(unseen: true).isEmpty && cy.circles().count == 1)
    instance.clock.advance(seconds: 60)
    cy.get(moment)
    #expect(scenario.di.call(.put, "/moments/\(moment.suffix(36))/seen").status == 204)
    instance.clock.advance(seconds: 1)
    ben.get(moment)
    ann.get(moment)
    #expect(ann.viewers(of: moment) == ["Ben", "Di", "Cy"])
    let page = ben.get("\(moment)/viewers")
    #expect(page.shows("Cy") && page.shows("Di") && !page.shows("testid=\"older\""))
    #expect(cy.get("\(moment)/viewers").status == 404)
  }

  @Test("The first moment that the viewer has not seen is shown, with links to the others")
  func order() throws {
    try follow()
    let moments = try ["Alder", "Birch", "Cedar"].map { words in
      instance.clock.advance(seconds: 1)
      return try ann.share(words)
    }
    let couple = "/moments/\(try ann.coupleID())"
    cy.get(moments[0])
    let page = cy.get(couple)
    #expect(page.shows("Birch"))
    #expect(page.links.contains(moments[0]) && page.links.contains(moments[2]))
    cy.get(moments[2])
    #expect(cy.get(couple).shows("Alder"))
  }

  @Test("A form that is sent twice makes one moment")
  func once() throws {
    for _ in 0..<2 { try ann.share("Snow", nonce: "n") }
    #expect(try ann.moments(of: ann.coupleID()).count == 1)
    #expect(Set(try momentFiles().map { $0.prefix(44) }).count == 1)
  }

  @Test("Bad input is refused with its words kept, and leaves no file")
  func badInput() throws {
    func send(_ words: String, _ files: [[UInt8]]) -> TestResponse {
      ann.upload("/moments", [("words", words)], files: files.map { ("file", $0) })
    }
    let none = send("Kept words", [])
    #expect(none.status == 422 && none.shows("Kept words") && none.shows("error-summary"))
    let long = send(String(repeating: "a", count: 151), [SmallPicture.png])
    #expect(long.status == 422)
    let other = send("Kept words", [Array(String(repeating: "no picture ", count: 9).utf8)])
    #expect(other.status == 415 && other.shows("Kept words"))
    #expect(send("", [Array(SmallPicture.png.prefix(60))]).status == 422)
    #expect(try momentFiles().isEmpty)
    #expect(try ann.moments(of: ann.coupleID()).isEmpty)
  }

  @Test("Either of the two deletes a moment, with its files; others can't")
  func delete() throws {
    try follow()
    let moment = try ann.share("Snow")
    #expect(cy.post("\(moment)/delete").status == 404)
    #expect(cy.call(.delete, "/moments/\(moment.suffix(36))").status == 403)
    #expect(ben.get("\(moment)/delete").status == 200)
    #expect(ben.post("\(moment)/delete").status == 303)
    #expect(cy.get(moment).status == 404)
    #expect(try momentFiles().isEmpty)
    #expect(try instance.count("SELECT count(*) FROM moments") == 0)
  }

  @Test("A purge of the account removes moments and views, and names their folders for removal")
  func purge() throws {
    try follow()
    let moment = try ann.share("Snow")
    cy.get(moment)
    let files = try instance.purge(instance.person("Ann"))
    #expect(files.contains("moments/\(moment.suffix(36))"))
    #expect(try instance.count("SELECT count(*) FROM moments") == 0)
    #expect(try instance.count("SELECT count(*) FROM moment_views") == 0)
  }

  @Test("A folder that an interrupted upload has left is removed after a day")
  func orphans() throws {
    let moment = try ann.share("Snow")
    let media = instance.instance.configuration.mediaFolder
    let orphan = "\(media)/moments/\(UUID().uuidString.lowercased())"
    let own = "\(media)/moments/\(moment.suffix(36))"
    try FileManager.default.createDirectory(atPath: orphan, withIntermediateDirectories: true)
    func work() throws {
      instance.clock.advance(seconds: 7 * 3600)
      try instance.work()
    }
    try work()
    #expect(FileManager.default.fileExists(atPath: orphan))
    for folder in [orphan, own] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -100_000)], ofItemAtPath: folder)
    }
    try work()
    #expect(!FileManager.default.fileExists(atPath: orphan))
    #expect(FileManager.default.fileExists(atPath: own))
  }

  @Test("The row of circles takes two statements at most, however many there are")
  func cost() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.couple()
    let ann = try instance.signedIn("ann")
    func statements() -> Int {
      _ = ann.get("/")
      let before = log.count
      #expect(ann.get("/").status == 200)
      return log.count - before
    }
    let none = statements()
    try ann.share("Snow")
    #expect(statements() == none)
    var counts: [Int] = []
    for number in 0..<3 {
      try instance.couple("Couple \(number)", "a\(number)", "b\(number)")
      instance.clock.advance(seconds: 61)
      let other = try instance.signedIn("a\(number)")
      ann.post("/couples/\(try other.coupleID())/follow")
      try other.share("Snow")
      counts.append(statements())
    }
    #expect(ann.circles().count == 4)
    #expect(counts == [none + 1, none + 1, none + 1])
  }
}
