import Foundation
import Testing

@testable import App

@Suite("The rail of wide screens links pages below the modules")
struct RailTests {
  /// The part of a page below the modules; nil without it.
  private func rail(_ page: TestResponse) -> String? {
    page.text.components(separatedBy: "<ul class=\"tabs-more\">").dropFirst().first?
      .components(separatedBy: "</ul>").first
  }

  private func links(_ page: TestResponse) -> [String] {
    (rail(page) ?? "").matches(of: /<li><a href="([^"]+)"/).map { String($0.output.1) }
  }

  private func current(_ page: TestResponse) -> [String] {
    (rail(page) ?? "").matches(of: /<a href="([^"]+)" aria-current="page"/)
      .map { String($0.output.1) }
  }

  @Test("Members have the wallet in it, guests and instances without coins do not")
  func wallet() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(
      links(sam.get("/"))
        == ["/search", "/notifications", "/messages", "/wallet", "/settings"])
    let guest = try instance.guest("Gia")
    #expect(links(guest.get("/")) == ["/search", "/notifications", "/settings"])
    let withoutCoins = try TestInstance(variables: ["PAIRSPOT_COINS": "off"])
    try withoutCoins.alone("sam")
    let without = try withoutCoins.signedIn("sam")
    #expect(links(without.get("/")) == ["/search", "/notifications", "/messages", "/settings"])
    #expect(rail(instance.browser().get("/")) == nil)
  }

  @Test("It marks the page that is shown, and pages below it")
  func marks() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    for path in ["/search", "/notifications", "/messages", "/wallet", "/settings"] {
      #expect(current(sam.get(path)) == [path])
    }
    #expect(current(sam.get("/settings/profile")) == ["/settings"])
    #expect(current(sam.get("/")) == [] && current(sam.get("/checkin/settings")) == [])
  }

  @Test("It has the number of unread notices")
  func unread() throws {
    let instance = try TestInstance()
    try instance.couple()
    try instance.alone("sam")
    let ann = try instance.signedIn("ann")
    #expect(rail(ann.get("/"))?.contains("class=\"days\"") == false)
    try instance.signedIn("sam").post("\(try ann.write("Words"))/like")
    #expect(rail(ann.get("/"))?.contains("<span class=\"days\">1</span>") == true)
  }
}
