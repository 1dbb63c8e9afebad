import Core
import Foundation
import Testing

@testable import App

@Suite("The names of couples that one has left for good")
struct CoupleNamePurgeTests {
  @Test(
    "With the person goes their name in the couple's; one without it is kept",
    .onSQLite("it reads the file"))
  func purged() throws {
    let instance = try TestInstance()
    // A name too long to occur in random bytes by chance.
    let ann = try #require(try instance.couple("Annabella & Ben", "annabella").first)
    let cat = try #require(try instance.couple("The Two", "cat", "dan").first)
    let ben = try instance.signedIn("ben")
    try ben.write("His")
    for person in [ann, cat] { try instance.purge(person.id) }
    #expect(try instance.couples() == ["Ben": "single", "The Two": "single"])
    #expect(ben.get("/").shows("Ben") && !ben.get("/").shows("Annabella"))
    #expect(try instance.databaseBytes().range(of: Data("Annabella".utf8)) == nil)
  }

  @Test("Of a parted couple too, even when the other one has left it")
  func parted() throws {
    let instance = try TestInstance()
    let ann = try #require(try instance.couple().first)
    try instance.signedIn("ann").part()
    instance.clock.advance(seconds: 31 * 86_400)
    try instance.work()
    try instance.purge(ann.id)
    #expect(try instance.couples() == ["Ben": "frozen"])
    #expect(!(try instance.signedIn("ben").get("/settings/part").names("Ann")))
  }
}
