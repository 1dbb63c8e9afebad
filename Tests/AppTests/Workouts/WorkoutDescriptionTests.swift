import Core
import Foundation
import Testing

@testable import App

@Suite("Titles, notes, goals and bests of workouts")
struct WorkoutDescriptionTests {
  /// Sam's browser with one uploaded ride of half an hour, and its path.
  private func scenario() throws -> (TestInstance, TestClient, workout: String) {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let made = try sam.sending(.post, "/sessions", instance.session())
    return (instance, sam, "/workouts/\(try #require(made.json["id"] as? String))")
  }

  @Test("A title and a note are shown on the page, in the list and to apps")
  func described() throws {
    let (_, sam, workout) = try scenario()
    #expect(sam.get(workout).shows("href=\"\(workout)/edit\""))
    let form = sam.get("\(workout)/edit")
    #expect(form.shows("placeholder=\"") && form.shows("value=\"bike\" checked"))
    let fields: KeyValuePairs = [
      "title": " Hill <b>repeats</b> ", "note": "Heavy legs.\nRain.", "machine": "other",
    ]
    #expect(sam.post("\(workout)/edit", fields).location == workout)
    for page in [workout, "/workouts"] {
      #expect(sam.get(page).shows("Hill &lt;b&gt;repeats&lt;/b&gt;"), "\(page)")
    }
    #expect(sam.get(workout).shows("Heavy legs.\nRain."))
    #expect(sam.get("/workouts?kind=other").shows("Hill"))
    #expect(!sam.get("/workouts?kind=bike").shows("Hill"))
    let path = workout.replacing("/workouts/", with: "/sessions/")
    let shown = sam.call(.get, path)
    #expect(shown.json["title"] as? String == "Hill <b>repeats</b>")
    #expect(shown.json["device_type"] as? String == "other")
    let changed = sam.call(.patch, path, #"{"title":"","device_type":"rower"}"#)
    #expect(changed.json["title"] as? String == "")
    #expect(changed.json["note"] as? String == "Heavy legs.\nRain.")
    #expect(changed.json["device_type"] as? String == "rower")
    #expect(sam.call(.patch, path, #"{"device_type":"sled"}"#).status == 422)
  }

  @Test("Too long a text is refused and kept; others' workouts are not found")
  func refused() throws {
    let (instance, sam, workout) = try scenario()
    let long = String(repeating: "a", count: 81)
    let answer = sam.post("\(workout)/edit", ["title": long, "note": "Kept", "machine": "bike"])
    #expect(answer.status == 422 && answer.shows("That’s 1 too many"))
    #expect(answer.shows("value=\"\(long)\"") && answer.shows(">Kept</textarea>"))
    let tia = try instance.members("tia")[0]
    #expect(tia.get("\(workout)/edit").status == 404)
    #expect(tia.post("\(workout)/edit", ["title": "Mine"]).status == 404)
    let path = workout.replacing("/workouts/", with: "/sessions/")
    #expect(tia.call(.patch, path, #"{"title":"Mine"}"#).status == 404)
    #expect(sam.call(.patch, path, #"{"title":"\#(long)"}"#).status == 422)
  }

  @Test("A workout becomes a post with its words and its curve, once, and only its owner's")
  func shared() throws {
    let (instance, sam, workout) = try scenario()
    #expect(sam.get(workout).shows("href=\"\(workout)/share\""))
    let form = sam.get("\(workout)/share")
    #expect(form.shows("· 30:00 · 14.2 km") && form.shows("src=\"\(workout)/picture\""))
    #expect(sam.get("\(workout)/picture").body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    let fields: KeyValuePairs = [
      "content": "Look", "visibility": "public", "nonce": form.value(of: "nonce") ?? "",
    ]
    let posted = try #require(sam.post("\(workout)/share", fields).location)
    #expect(sam.post("\(workout)/share", fields).location == posted)
    let tia = try instance.members("tia")[0]
    #expect(tia.get(posted).shows("Look"))
    #expect(tia.get("\(workout)/share").status == 404)
    #expect(tia.post("\(workout)/share", fields).status == 404)
    let long = String(repeating: "a", count: 2001)
    let refused = sam.post("\(workout)/share", ["content": long, "visibility": "public"])
    #expect(refused.status == 422 && refused.shows(long))
    #expect(try instance.guest("Gia").get("\(workout)/share").status == 303)
    #expect(try instance.count("SELECT count(*) FROM posts") == 1)
  }

  @Test("Words of a shared workout or photo survive the limit of posts, without drafts")
  func limited() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let made = try sam.sending(.post, "/sessions", instance.session())
    let workout = "/workouts/\(try #require(made.json["id"] as? String))"
    let photo = try sam.addPhoto()
    for number in 1...30 { try sam.write("Number \(number)") }
    for path in ["\(workout)/share", "\(photo)/post"] {
      let answer = sam.post(path, ["content": "Kept words", "visibility": "public"])
      #expect(answer.status == 429 && answer.headers[.retryAfter] != nil, "\(path)")
      #expect(answer.shows(">Kept words</textarea>") && answer.shows("posted 30 times"), "\(path)")
    }
    #expect(try instance.count("SELECT count(*) FROM draft_images") == 0)
  }

  @Test("A weekly goal shows the minutes of this week")
  func goal() throws {
    let (instance, sam, _) = try scenario()
    #expect(sam.get("/workouts").shows("Set a weekly goal"))
    for wrong in ["0", "-5", "ten", "10081", "1.5"] {
      let answer = sam.post("/workouts/goal", ["minutes": wrong])
      #expect(answer.status == 422 && answer.shows("value=\"\(wrong)\""), "\(wrong)")
    }
    #expect(sam.post("/workouts/goal", ["minutes": "150"]).location == "/workouts")
    let page = sam.get("/workouts")
    #expect(page.shows("30 of 150 min this week"))
    #expect(page.shows("<progress max=\"150\" value=\"30\""))
    #expect(sam.get("/workouts/goal").shows("value=\"150\""))
    sam.post("/workouts/goal", ["minutes": "20"])
    #expect(sam.get("/workouts").shows("<progress max=\"20\" value=\"20\""))
    instance.clock.advance(seconds: 7 * 86_400)
    #expect(try instance.signedIn("sam").get("/workouts").shows("0 of 20 min this week"))
    #expect(try instance.signedIn("sam").post("/workouts/goal", ["minutes": ""]).status == 303)
    #expect(try instance.signedIn("sam").get("/workouts").shows("Set a weekly goal"))
  }

  @Test("Bests come from the samples, also of workouts that were stored without them")
  func bests() throws {
    let (instance, sam, _) = try scenario()
    let samples: [String: Any] = [
      "interval": 1, "power": [Double](repeating: 210, count: 1800),
    ]
    try sam.uploadBatch([
      instance.session(90_000, ["detail": ["samples": samples], "total_distance": 20_000])
    ])
    let row: [String: Any] = ["interval": 1, "distance": (1...1800).map { Double($0) * 3 }]
    try sam.uploadBatch([
      instance.session(
        180_000,
        ["device_type": "rower", "total_distance": 5400, "detail": ["samples": row]])
    ])
    func expectBests() {
      let page = sam.get("/workouts")
      for (name, value) in [
        ("Ride, best 20 min", "210 W"), ("Longest ride", "20.0 km"), ("Row, 2,000 m", "11:07"),
        ("Row, 5,000 m", "27:47"), ("Longest row", "5.4 km"),
      ] {
        #expect(page.shows("<span>\(name)</span><b>\(value)</b>"), "\(name)")
      }
    }
    expectBests()
    try instance.database.write {
      try $0.execute(
        """
        UPDATE workouts SET has_bests = 0, best_20_min_power = NULL, best_2000_m_ms = NULL,
          best_5000_m_ms = NULL
        """)
    }
    #expect(!sam.get("/workouts").shows("Row, 2,000 m"))
    instance.clock.advance(seconds: 3601)
    try instance.work()
    expectBests()
  }

  @Test("The weeks are shown as bars, by time, distance and energy")
  func bars() throws {
    let (instance, sam, _) = try scenario()
    #expect(!sam.get("/workouts").shows("bars-time"))
    try sam.uploadBatch([instance.session(10 * 86_400)])
    let page = sam.get("/workouts")
    for bars in ["bars-time", "bars-distance", "bars-energy"] { #expect(page.shows(bars)) }
    #expect(page.shows("Time in the last"))
  }
}
