import Core
import Database
import Foundation
import Testing
import Web

@testable import App
@testable import Groups

@Suite("Places that members of a group share")
struct GroupPlacesTests {
  @Test("Nothing is shared at first; then it is, for 8 hours")
  func sharing() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    let refused = fay.put(25, 121, in: group)
    #expect(refused.status == 409 && refused.code == "sharing_off")
    let answer = fay.call(.put, "\(group.call)/sharing", #"{"on":true}"#)
    #expect(answer.json["until"] as? String == "2026-03-02T08:00:00.000Z")
    #expect(fay.put(25.033, 121.5654, in: group).status == 204)
    let place = lea.group(group).place(of: "Fay")
    #expect(place?["latitude"] as? Double == 25.033 && place?["accuracy"] as? Double == 12)
    instance.clock.advance(seconds: 8 * 3600)
    #expect(lea.group(group).place(of: "Fay") == nil)
    #expect(fay.put(25, 121, in: group).status == 409)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM member_locations") == 0)
    #expect(lea.group(group).kinds.last == "not_sharing")
  }

  @Test(
    "A place is forgotten when sharing stops, the member leaves or is removed, or the group closes",
    arguments: ["stop", "leave", "remove", "close"])
  func forgetting(way: String) throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.share(25, 121, with: group)
    let places: Query = "SELECT count(*) FROM member_locations"
    #expect(try instance.count(places) == 1)
    switch way {
    case "stop": #expect(fay.post("\(group.page)/sharing", ["on": "0"]).status == 303)
    case "leave": #expect(fay.post("\(group.page)/leave").status == 303)
    case "remove":
      let person = lea.group(group).id(of: "Fay")
      #expect(lea.call(.delete, "\(group.call)/members/\(person)").status == 204)
    default: #expect(lea.post("\(group.page)/close").status == 303)
    }
    #expect(try instance.count(places) == 0)
    #expect(
      try instance.count(
        "SELECT count(*) FROM group_members WHERE sharing_until IS NOT NULL") == 0)
  }

  @Test("The radar has its place from the start for who shares, and takes none for others")
  func radar() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.share(25, 121, with: group)
    #expect(fay.get(group.page).shows("class=\"radar\""))
    #expect(lea.get(group.page).shows("class=\"radar is-blind\""))
  }

  @Test("Guests without a connection keep sharing, all alike, until the 8 hours end")
  func closedPages() throws {
    let instance = try TestInstance()
    let (lea, _, group) = try instance.exercise()
    let code = try lea.code(of: group)
    let names = ["Ida", "Karl"]
    for name in names {
      let guest = instance.browser()
      guest.join(code, as: name)
      #expect(guest.share(25, 121, with: group).status == 204)
    }
    func sharing() -> [Bool?] {
      let answer = lea.group(group)
      return names.map { answer.member($0)?["sharing"] as? Bool }
    }
    instance.clock.advance(seconds: 8 * 3600 - 1)
    try instance.work()
    #expect(sharing() == [true, true])
    #expect(lea.group(group).kinds.last == "sharing")
    instance.clock.advance(seconds: 1)
    #expect(sharing() == [false, false])
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM member_locations") == 0)
    let ends = lea.group(group).events.filter { $0["kind"] as? String == "not_sharing" }
    #expect(ends.count == 2)
  }

  @Test("A place is forgotten after a day, however long it is shared")
  func day() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.share(25, 121, with: group)
    for _ in 0..<4 {
      instance.clock.advance(seconds: 6 * 3600)
      fay.call(.put, "\(group.call)/sharing", #"{"on":true}"#)
    }
    let version = lea.group(group).version
    #expect(lea.group(group).place(of: "Fay") == nil)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM member_locations") == 0)
    #expect(lea.group(group).version == version + 1)
  }

  @Test("Only the last place is kept, none too soon after another, and none older than it")
  func pace() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.share(25, 121, with: group)
    func latitude() -> Double? { lea.group(group).place(of: "Fay")?["latitude"] as? Double }
    let version = lea.group(group).version
    instance.clock.advance(seconds: 4)
    #expect(fay.put(26, 121, in: group).status == 204)
    #expect(latitude() == 25 && lea.group(group).version == version)
    instance.clock.advance(seconds: 1)
    fay.put(26, 121, in: group)
    #expect(latitude() == 26 && lea.group(group).version == version + 1)
    instance.clock.advance(seconds: 60)
    // A location stored while offline, older than the known one.
    #expect(fay.put(27, 121, in: group, at: "2026-03-02T00:00:04Z").status == 204)
    #expect(latitude() == 26)
    fay.put(28, 121, in: group, at: "2026-03-02T00:00:30Z")
    #expect(latitude() == 28)
    #expect(
      lea.group(group).member("Fay")?["last_location_update"] as? String
        == "2026-03-02T00:00:30.000Z")
    instance.clock.advance(seconds: 60)
    // A clock that runs ahead.
    fay.put(29, 121, in: group, at: "2027-01-01T00:00:00Z")
    #expect(
      lea.group(group).member("Fay")?["last_location_update"] as? String
        == instance.clock.now().milliseconds.moment)
    #expect(try instance.count("SELECT count(*) FROM member_locations") == 1)
  }

  @Test(
    "An invalid location is refused",
    arguments: [
      #"{"latitude":90.01,"longitude":0}"#, #"{"latitude":0,"longitude":-180.5}"#,
      #"{"latitude":1e999,"longitude":0}"#, #"{"latitude":"25","longitude":121}"#,
      #"{"longitude":121}"#, #"{"latitude":25,"longitude":121,"accuracy":-1}"#,
    ])
  func nowhere(body: String) throws {
    let instance = try TestInstance()
    let (_, fay, group) = try instance.exercise()
    fay.call(.put, "\(group.call)/sharing", #"{"on":true}"#)
    #expect([400, 422].contains(fay.call(.put, "\(group.call)/location", body).status))
    #expect(try instance.count("SELECT count(*) FROM member_locations") == 0)
  }

  @Test("No outsider sees a location, and the tables themselves refuse an unshared one")
  func outside() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    fay.share(25.0331234, 121, with: group)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(sam.group(group).status == 404)
    let page = sam.get("/join?code=\(TestClient.encoded(try lea.code(of: group)))")
    #expect(page.status == 200 && !page.shows("25.03"))
    let id = try #require(ID<Groups.Group>(group.id))
    let person = try #require(ID<Person>(lea.group(group).id(of: "Lea")))
    for (latitude, longitude) in [(25.0, 121.0), (91, 0), (0, -181), (.infinity, 0), (.nan, 0)] {
      #expect(throws: StorageError.self) {
        try instance.database.write { writer in
          try writer.execute(
            """
            INSERT INTO member_locations (group_id, user_id, latitude, longitude, at, received_at)
            VALUES (\(id), \(person), \(latitude), \(longitude), 0, 0)
            """)
        }
      }
    }
  }

  @Test("The page has distance, direction, member and age")
  func distances() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    try instance.alone("kim")
    let kim = try instance.signedIn("kim")
    kim.join(try lea.code(of: group))
    lea.share(25.034, 121.565, with: group)
    kim.share(25.033, 121.565, with: group)
    instance.clock.advance(seconds: 180)
    fay.share(25.033, 121.566, with: group)
    lea.call(
      .post, "\(group.call)/waypoints",
      #"{"name":"Tea house","latitude":25.043,"longitude":121.566}"#)
    let page = fay.get(group.page)
    #expect(page.shows("100 m</b>"))
    #expect(page.shows("west of you") && page.shows("north-west of you"))
    #expect(page.shows("110 m from the leader") && page.shows("3 min ago"))
    #expect(page.shows("1.1 km</b>") && page.shows("north of you"))
  }
}

extension Int64 {
  /// A time in the API's format.
  fileprivate var moment: String {
    Instant(milliseconds: self).date.formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
