import Core
import Foundation
import Testing

@testable import App
@testable import CheckIn

@Suite("What concerns the user today, on top of the feed")
struct HomeTests {
  @Test("A post of the same day in an earlier year is offered to the two, and to no one else")
  func memory() throws {
    let instance = try TestInstance()
    try instance.goTo("2026-03-05", "09:15")
    try instance.couple()
    try instance.alone("sam")
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let sam = try instance.signedIn("sam")
    let post = try ann.write("Snow on the terrace", visibility: "couple")
    #expect(!ann.get("/").shows("Snow on the terrace</span>"))
    try instance.goTo("2028-03-05", "09:15")
    for name in ["ann", "ben"] {
      let page = try instance.signedIn(name).get("/")
      #expect(page.shows("2 years ago: Snow on the terrace") && page.shows("href=\"\(post)\""))
    }
    #expect(!(try instance.signedIn("sam").get("/").shows("Snow on")))
    _ = (ben, sam)
    try instance.goTo("2028-03-06", "09:15")
    #expect(!(try instance.signedIn("ann").get("/").shows("2 years ago")))
  }

  @Test("A deleted post is no memory")
  func deleted() throws {
    let instance = try TestInstance()
    try instance.goTo("2026-03-05", "09:15")
    try instance.couple()
    let ann = try instance.signedIn("ann")
    ann.post("\(try ann.write("Snow on the terrace"))/delete")
    try instance.goTo("2027-03-05", "09:15")
    #expect(!(try instance.signedIn("ann").get("/").shows("Snow on")))
  }

  @Test("Open groups, today's check-in, and inviting a partner are one tap away")
  func links() throws {
    let instance = try TestInstance()
    let sam = try instance.checkedInMember()
    #expect(sam.get("/").shows("Checked in</a>") && sam.get("/").shows("Invite your partner"))
    let group = try sam.makeGroup("Harvest Walk")
    #expect(sam.get("/").shows("<span>Harvest Walk</span>"))
    sam.post("\(group.page)/close")
    #expect(!sam.get("/").shows("<span>Harvest Walk</span>"))
    instance.clock.advance(seconds: 86_400)
    #expect(!sam.get("/").shows("Checked in</a>"))
    #expect(!sam.get("/?scope=following").shows("Invite your partner"))
    try instance.couple()
    #expect(!(try instance.signedIn("ann").get("/").shows("Invite your partner")))
  }

  @Test("An anniversary is announced 30 days ahead")
  func anniversary() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.database.write {
      let day = LocalDay(instance.clock.now(), in: .gmt).adding(days: 31 - 365)
      try $0.execute("UPDATE couples SET anniversary = \(day)")
    }
    let ann = try instance.signedIn("ann")
    func isAnnounced() -> Bool {
      ann.get("/").text.contains(/home-today[\s\S]*anniversary in \d+ days<\/a>/)
    }
    #expect(!isAnnounced())
    instance.clock.advance(seconds: 2 * 86_400)
    #expect(isAnnounced())
  }
}
