import Accounts
import Basics
import Foundation
import Testing
import Web

@testable import App

@Suite("Moderators don't decide their own cases")
struct OwnCaseTests {
  private static let form = "name=\"decision\""

  /// Sees no form, and is refused in the transaction with a form made by hand; another one decides.
  private func expectRefusal(
    of own: Browser, _ path: String, _ decision: String = "dismiss", other: Browser,
    house: TestHouse
  ) throws {
    let version = other.get(path).value(of: "version")
    let page = own.get(path)
    #expect(page.status == 200 && !page.shows(Self.form))
    #expect(page.shows("another moderator decides"))
    let before = try house.count("SELECT count(*) FROM decisions")
    let answer = own.decide(path, decision, note: "Mine", version: version)
    #expect(answer.status == 403 && answer.shows("Another moderator decides this"))
    #expect(try house.count("SELECT count(*) FROM decisions") == before)
    #expect(other.get(path).shows(Self.form))
    #expect(other.decide(path, decision, version: version).status == 303)
  }

  private func reported(
    _ house: TestHouse, _ change: () throws -> Void = {}
  ) throws -> (mo: Browser, path: String) {
    try house.couple()
    let post = try house.signedIn("ann").write("Win coins today")
    try house.members("sam")[0].report(post, note: "I am Sam")
    try change()
    let mo = try house.moderator()
    return (mo, try house.onlyCase(mo))
  }

  @Test("Neither the author of a post decides about it nor the partner")
  func couple() throws {
    for name in ["ann", "ben"] {
      let house = try TestHouse()
      let (mo, path) = try reported(house)
      let own = try house.promoted(name)
      #expect(!own.get(path).shows("I am Sam"))
      try expectRefusal(of: own, path, other: mo, house: house)
    }
  }

  @Test("Who was in the couple once doesn't decide about it either")
  func former() throws {
    let house = try TestHouse()
    let (mo, path) = try reported(house) {
      try house.signedIn("ben").part()
      house.clock.advance(seconds: 31 * 86_400)
      try house.work()
    }
    try expectRefusal(of: house.promoted("ben"), path, other: mo, house: house)
  }

  @Test("An own appeal is decided by another one")
  func appeal() throws {
    let house = try TestHouse()
    let (mo, path) = try reported(house)
    mo.decide(path, "hide")
    let ann = try house.promoted("ann")
    let appeal = try #require(
      ann.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/).map { String($0.output.1) })
    #expect(ann.post(appeal, ["words": "It is a joke"]).status == 303)
    try expectRefusal(of: ann, path, other: mo, house: house)
  }

  @Test("An admin lifts neither their own suspension nor that of their partner")
  func suspension() throws {
    let house = try TestHouse()
    let people = try house.couple()
    let ann = try house.promoted("ann", as: .admin)
    let other = try house.moderator("ada", as: .admin)
    for person in people {
      try expectRefusal(
        of: ann, "/admin/users/\(person.id)", "dismiss", other: other, house: house)
    }
    let couple = try #require(people[0].couple).id
    try expectRefusal(
      of: ann, "/admin/couples/\(couple)", "hide", other: other, house: house)
  }
}
