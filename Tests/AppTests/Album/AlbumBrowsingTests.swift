import Core
import Database
import Testing

@testable import Album
@testable import App

@Suite("Tabs, months and search of the album, and the way from photo to photo")
struct AlbumBrowsingTests {
  /// Ann and Ben with five photos: two of Ann's alone, one of Ben's alone, one shared by each.
  private struct Scenario {
    let instance: TestInstance
    let ann, ben: TestClient
    var photos: [String: String] = [:]

    init() throws {
      instance = try TestInstance()
      try instance.couple()
      ann = try instance.signedIn("ann")
      ben = try instance.signedIn("ben")
      for (name, browser, isShared) in [
        ("old", ann, false), ("ours", ann, true), ("his", ben, false), ("theirs", ben, true),
        ("new", ann, false),
      ] {
        photos[name] = try browser.addPhoto(isShared: isShared)
        instance.clock.advance(seconds: 60)
      }
    }

    /// The names of photos that a page shows, in order.
    func names(_ browser: TestClient, _ page: String = "/album") -> [String] {
      let names = Dictionary(uniqueKeysWithValues: photos.map { ($1, $0) })
      return browser.album(page).map { names[$0] ?? "?" }
    }

    func set(_ assignment: Query, of name: String) throws {
      let id = try #require(photos[name].flatMap { ID<Photo>($0.suffix(36)) })
      try instance.database.write {
        try $0.execute("UPDATE photos SET \(assignment) WHERE id = \(id)")
      }
    }
  }

  @Test("Tabs show what the two share, or what only the viewer sees")
  func tabs() throws {
    let scenario = try Scenario()
    let ann = scenario.ann
    #expect(scenario.names(ann) == ["new", "theirs", "ours", "old"])
    #expect(scenario.names(ann, "/album?tab=ours") == ["theirs", "ours"])
    #expect(scenario.names(ann, "/album?tab=mine") == ["new", "old"])
    #expect(scenario.names(scenario.ben, "/album?tab=mine") == ["his"])
    #expect(scenario.names(ann, "/album?tab=none") == ["new", "theirs", "ours", "old"])
    #expect(ann.get("/album?tab=ours").shows("name=\"shared\" value=\"1\" checked"))
    #expect(!ann.get("/album?tab=mine").shows("name=\"shared\" value=\"1\" checked"))
    #expect(ann.get("/album?tab=mine").shows("action=\"/album?tab=mine\""))
    try scenario.instance.alone("sam")
    let sam = try scenario.instance.signedIn("sam")
    #expect(!sam.get("/album?tab=ours").shows("album-tabs"))
    #expect(scenario.names(sam, "/album?tab=ours") == [])
  }

  @Test("Favourites are each one's own and have a tab")
  func favourites() throws {
    let scenario = try Scenario()
    let (ann, ben) = (scenario.ann, scenario.ben)
    let (theirs, old) = (
      try #require(scenario.photos["theirs"]), try #require(scenario.photos["old"])
    )
    let list = "/album?tab=favourites"
    #expect(ann.get(list).shows("No favourites yet"))
    for photo in [old, theirs, old] {
      #expect(ann.post("\(photo)/favourite", ["favourite": "1"]).location == photo)
    }
    #expect(scenario.names(ann, list) == ["theirs", "old"] && scenario.names(ben, list) == [])
    #expect(
      ann.get(theirs).shows("aria-pressed=\"true\"")
        && !ben.get(theirs).shows("aria-pressed=\"true\""))
    #expect(ann.get(list).shows("action=\"/album\""))
    #expect(ben.post("\(old)/favourite", ["favourite": "1"]).status == 404)
    let call = "/photos/\(theirs.suffix(36))"
    #expect(ann.call(.get, call).json["favourite"] as? Bool == true)
    #expect(ben.call(.put, "\(call)/favourite").status == 204)
    #expect(ben.call(.delete, "\(call)/favourite").status == 204)
    #expect(ben.call(.get, call).json["favourite"] as? Bool == false)
    // The partner stops sharing it: it leaves the tab.
    ben.post(theirs, ["shared": "0"])
    #expect(scenario.names(ann, list) == ["old"])
    ann.post("\(old)/favourite", ["favourite": "0"])
    #expect(scenario.names(ann, list) == [])
  }

  @Test("A guest has the tabs of all photos and of favourites alone")
  func guests() throws {
    let instance = try TestInstance()
    let guest = try instance.guest("Gia")
    let photo = try guest.addPhoto(isShared: false)
    guest.post("\(photo)/favourite", ["favourite": "1"])
    #expect(guest.album("/album?tab=favourites") == [photo])
    #expect(guest.get("/album").shows("href=\"/album?tab=favourites\""))
    #expect(!guest.get("/album").shows("tab=ours"))
  }

  @Test("After parting, what was shared is only the owner's again")
  func parted() throws {
    let scenario = try Scenario()
    #expect(scenario.ann.part().status == 303)
    #expect(scenario.names(scenario.ann) == ["new", "ours", "old"])
    #expect(scenario.names(scenario.ann, "/album?tab=ours") == ["new", "ours", "old"])
    #expect(scenario.names(scenario.ben) == ["theirs", "his"])
  }

  @Test("Stories are searched for any part, and only those that the viewer sees")
  func search() throws {
    let scenario = try Scenario()
    try scenario.set("story = \("山裡的霧 100% Fog")", of: "old")
    try scenario.set("story = \("Fog over the sea")", of: "theirs")
    try scenario.set("story = \("Fog that only Ben sees")", of: "his")
    let ann = scenario.ann
    #expect(scenario.names(ann, "/album?q=fog") == ["theirs", "old"])
    #expect(scenario.names(ann, "/album?q=%E9%9C%A7") == ["old"])
    #expect(scenario.names(ann, "/album?q=0%25+F") == ["old"])
    #expect(scenario.names(ann, "/album?q=_") == [])
    #expect(scenario.names(ann, "/album?tab=ours&q=fog") == ["theirs"])
    let none = ann.get("/album?q=%3Cb%3E")
    #expect(none.shows("No story has these words") && none.shows("value=\"&lt;b&gt;\""))
  }

  @Test("Photos are sorted by the day on which they were taken, under their months")
  func months() throws {
    let scenario = try Scenario()
    try scenario.set("sorted_at = 9000000", of: "new")
    #expect(scenario.names(scenario.ann) == ["theirs", "ours", "old", "new"])
    let page = scenario.ann.get("/album")
    #expect(page.shows("data-id=\"month-2026-3\"><h2>March 2026</h2>"))
    #expect(page.text.matches(of: /class="album-month"/).count == 1)
  }

  @Test("Pages follow each other in the order of the days, in every tab")
  func pages() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    for number in 0..<26 {
      _ = try (number % 2 == 0 ? ann : ben).addPhoto(isShared: true)
      instance.clock.advance(seconds: 60)
    }
    for page in ["/album", "/album?tab=ours"] {
      let first = ann.get(page)
      let next = try #require(first.text.firstMatch(of: /href="([^"]+)" rel="next"/)?.output.1)
      let all = ann.album(page) + ann.album(String(next).replacing("&amp;", with: "&"))
      #expect(all.count == 26 && Set(all).count == 26, "\(page)")
    }
  }

  @Test("A photo leads to the newer and the older one that the viewer sees")
  func neighbours() throws {
    let scenario = try Scenario()
    func link(_ rel: String, of name: String, _ browser: TestClient) -> String? {
      let page = browser.get(scenario.photos[name] ?? "").text
      let found = page.matches(of: /href="(\/album\/[0-9a-f-]{36})" rel="(prev|next)"/)
      return found.first { $0.output.2 == rel }.map { String($0.output.1) }
    }
    #expect(link("prev", of: "new", scenario.ann) == nil)
    #expect(link("next", of: "new", scenario.ann) == scenario.photos["theirs"])
    #expect(link("next", of: "theirs", scenario.ann) == scenario.photos["ours"])
    #expect(link("prev", of: "old", scenario.ann) == scenario.photos["ours"])
    #expect(link("next", of: "old", scenario.ann) == nil)
    #expect(link("next", of: "theirs", scenario.ben) == scenario.photos["his"])
  }

  @Test("The place of a photo is its moment by the camera's clock, from 1970 on")
  func moments() {
    func place(_ text: String, _ offset: Int?) -> Int64? {
      PhotoMoment(localTime: text, offset: offset).instant?.milliseconds
    }
    #expect(place("1970-01-01T00:00:10", nil) == 10_000)
    #expect(place("1970-01-01T09:00:00", 480) == 3_600_000)
    #expect(place("1970-01-01T07:00:00", 480) == nil)
    #expect(place("1969-12-31T23:59:59", nil) == nil)
    #expect(place("no date", nil) == nil)
  }
}
