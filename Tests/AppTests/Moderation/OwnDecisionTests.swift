import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("Moderators don't decide their own cases")
struct OwnDecisionTests {
  private static let form = "name=\"decision\""

  /// Expects no form, and a refusal in the transaction for a handmade request; another moderator
  /// decides.
  private func expectRefusal(
    of own: TestClient, _ path: String, _ decision: String = "dismiss", other: TestClient,
    instance: TestInstance
  ) throws {
    let version = other.get(path).value(of: "version")
    let page = own.get(path)
    #expect(page.status == 200 && !page.shows(Self.form))
    #expect(page.shows("another moderator decides"))
    let before = try instance.count("SELECT count(*) FROM decisions")
    let answer = own.decide(path, decision, note: "Mine", version: version)
    #expect(answer.status == 403 && answer.shows("Another moderator decides this"))
    #expect(try instance.count("SELECT count(*) FROM decisions") == before)
    #expect(other.get(path).shows(Self.form))
    #expect(other.decide(path, decision, version: version).status == 303)
  }

  private func reported(
    _ instance: TestInstance, _ change: () throws -> Void = {}
  ) throws -> (mo: TestClient, path: String) {
    try instance.couple()
    let post = try instance.signedIn("ann").write("Win coins today")
    try instance.members("sam")[0].report(post, note: "I am Sam")
    try change()
    let mo = try instance.moderator()
    return (mo, try instance.onlyCase(mo))
  }

  @Test("Neither the author of a post decides about it nor the partner")
  func couple() throws {
    for name in ["ann", "ben"] {
      let instance = try TestInstance()
      let (mo, path) = try reported(instance)
      let own = try instance.promoted(name)
      #expect(!own.get(path).shows("I am Sam"))
      try expectRefusal(of: own, path, other: mo, instance: instance)
    }
  }

  @Test("Former members of the couple can't decide about it either")
  func former() throws {
    let instance = try TestInstance()
    let (mo, path) = try reported(instance) {
      try instance.signedIn("ben").part()
      instance.clock.advance(seconds: 31 * 86_400)
      try instance.work()
    }
    try expectRefusal(of: instance.promoted("ben"), path, other: mo, instance: instance)
  }

  @Test("An own appeal is decided by another one")
  func appeal() throws {
    let instance = try TestInstance()
    let (mo, path) = try reported(instance)
    mo.decide(path, "hide")
    let ann = try instance.promoted("ann")
    let appeal = try #require(
      ann.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/).map { String($0.output.1) })
    #expect(ann.post(appeal, ["words": "It is a joke"]).status == 303)
    try expectRefusal(of: ann, path, other: mo, instance: instance)
  }

  @Test("An admin lifts neither their own suspension nor that of their partner")
  func suspension() throws {
    let instance = try TestInstance()
    let people = try instance.couple()
    let ann = try instance.promoted("ann", as: .admin)
    let other = try instance.moderator("ada", as: .admin)
    for person in people {
      try expectRefusal(
        of: ann, "/admin/users/\(person.id)", "dismiss", other: other, instance: instance)
    }
    let couple = try #require(people[0].couple).id
    try expectRefusal(
      of: ann, "/admin/couples/\(couple)", "hide", other: other, instance: instance)
  }
}
