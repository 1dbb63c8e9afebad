import Core
import Foundation
import HTTPTypes
import Testing
import Web
import Workouts

@testable import App

extension TestInstance {
  /// A workout of half an hour in a client's format, started this number of seconds before now.
  func session(_ secondsAgo: Int64 = 3600, _ changes: [String: Any] = [:]) -> [String: Any] {
    let start = clock.now().adding(seconds: -secondsAgo)
    let session: [String: Any] = [
      "client_session_id": ID<ClientSession>.random().description,
      "started_at": start.rfc3339Milliseconds,
      "ended_at": start.adding(seconds: 1800).rfc3339Milliseconds, "duration": 1800,
      "total_energy": 271.5, "total_distance": 14_200, "device_type": "bike",
    ]
    return session.merging(changes) { $1 }
  }
}

extension TestClient {
  /// Sends a value as JSON.
  @discardableResult
  func sending(_ method: HTTPRequest.Method, _ path: String, _ body: [String: Any]) throws
    -> TestResponse
  {
    let bytes = try JSONSerialization.data(withJSONObject: body)
    return call(method, path, String(decoding: bytes, as: UTF8.self))
  }

  @discardableResult
  func uploadBatch(_ sessions: [Any]) throws -> TestResponse {
    try sending(.post, "/sessions/batch_upload", ["sessions": sessions])
  }

  /// Uploads a workout; returns its identifier.
  func addWorkout(_ instance: TestInstance, _ secondsAgo: Int64 = 3600) throws -> String {
    let answer = try sending(.post, "/sessions", instance.session(secondsAgo))
    try #require(answer.status == 201, "\(answer.text)")
    return try #require(answer.json["id"] as? String)
  }
}

extension TestResponse {
  fileprivate var failed: [[String: Any]] { list("failed_sessions") }
  fileprivate var stats: [String: Any] { json["updated_stats"] as? [String: Any] ?? [:] }
}

@Suite("/api/v1/sessions stores and returns workouts")
struct WorkoutAPITests {
  private let instance: TestInstance
  private let sam: TestClient

  init() throws {
    instance = try TestInstance()
    try instance.alone("sam")
    sam = try instance.signedIn("sam")
  }

  // MARK: Batches

  @Test("The batch of the source document: 17 stored, 2 duplicates, 1 failed, and the new figures")
  func example() throws {
    let known = [instance.session(90_000), instance.session(80_000)]
    #expect(try sam.uploadBatch(known).json["success_count"] as? Int == 2)
    var batch = (1...17).map { instance.session(Int64($0) * 3000) }
    batch.insert(contentsOf: known, at: 4)
    batch.insert(instance.session(3600, ["duration": -5]), at: 9)
    let answer = try sam.uploadBatch(batch)
    #expect(answer.status == 200)
    #expect(
      Set(answer.json.keys)
        == ["success_count", "duplicate_count", "failed_sessions", "updated_stats"])
    #expect(answer.json["success_count"] as? Int == 17)
    #expect(answer.json["duplicate_count"] as? Int == 2)
    let failed = try #require(answer.failed.first)
    #expect(answer.failed.count == 1 && Set(failed.keys) == ["session_id", "error", "message"])
    #expect(failed["session_id"] as? String == batch[9]["client_session_id"] as? String)
    #expect(failed["error"] as? String == "validation_error")
    #expect(failed["message"] as? String == "duration: This must be between 1 and 86400.")
    #expect(answer.stats["workout_total_count"] as? Int == 19)
    #expect(answer.stats["workout_total_energy"] as? Double == 19 * 271.5)
    #expect(answer.stats["workout_total_distance"] as? Int == 19 * 14_200)
    #expect(answer.stats["workout_total_duration"] as? Int == 19 * 1800)
    #expect(answer.stats["workout_streak"] as? Int == 2)
    #expect(answer.stats["last_workout_date"] as? String == "2026-03-02")
    #expect(sam.call(.get, "/users/me/stats").json as NSDictionary == answer.stats as NSDictionary)
  }

  @Test("An invalid workout fails alone, by its id or index, in the caller's language")
  func broken() throws {
    let strange = instance.session(3600, ["client_session_id": "mine"])
    var nameless = instance.session()
    nameless["client_session_id"] = nil
    let entered = instance.session(3600, ["detail": ["samples": ["power": [1, "x"]]]])
    let batch: [Any] = [1, instance.session(), strange, nameless, NSNull(), entered, ["a"]]
    let body = try JSONSerialization.data(withJSONObject: ["sessions": batch])
    let answer = sam.call(
      .post, "/sessions/batch_upload", String(decoding: body, as: UTF8.self),
      headers: [.acceptLanguage: "zh-TW"])
    #expect(answer.status == 200 && answer.json["success_count"] as? Int == 1)
    let names = answer.failed.compactMap { $0["session_id"] as? String }
    #expect(names == ["0", "mine", "3", "4", entered["client_session_id"] as? String, "6"])
    let words = answer.failed.compactMap { $0["message"] as? String }
    #expect(words.allSatisfy { !$0.isEmpty && !$0.contains("api.") }, "\(words)")
    #expect(words[4].hasPrefix("detail.samples.power"), "\(words)")
  }

  @Test("Twenty are taken, twenty-one refused whole, and none at all is no batch")
  func size() throws {
    let many = (1...21).map { instance.session(Int64($0) * 2000) }
    let refused = try sam.uploadBatch(many)
    #expect(refused.status == 422 && refused.code == "batch_too_large")
    #expect(refused.message == "At most 20 at a time.")
    #expect(try instance.count("SELECT count(*) FROM workouts") == 0)
    #expect(try sam.uploadBatch(Array(many.prefix(20))).json["success_count"] as? Int == 20)
    #expect(try sam.uploadBatch([]).fieldErrors["sessions"] != nil)
    for body in [#"{}"#, #"{"sessions":{}}"#, #"{"sessions":null}"#] {
      #expect(sam.call(.post, "/sessions/batch_upload", body).fieldErrors["sessions"] != nil)
    }
  }

  @Test("A body of 8 MiB is taken, a longer one is 413")
  func bytes() throws {
    let sent = try JSONSerialization.data(withJSONObject: ["sessions": [instance.session()]])
    func padded(_ length: Int) -> String {
      String(decoding: sent, as: UTF8.self) + String(repeating: " ", count: length - sent.count)
    }
    #expect(sam.call(.post, "/sessions/batch_upload", padded(8 << 20)).status == 200)
    let tooLong = sam.call(.post, "/sessions/batch_upload", padded(8 << 20 + 1))
    #expect(tooLong.status == 413 && tooLong.code == "payload_too_large")
  }

  @Test("Uploads are taken from the signed-in owner, whichever device is bound")
  func released() throws {
    let phone = instance.client()
    phone.login("sam", device: true)
    let tablet = instance.client()
    tablet.login("sam")
    let body: [String: Any] = ["sessions": [instance.session()]]
    #expect(tablet.post("/sessions/batch_upload", body).json["success_count"] as? Int == 1)
    #expect(tablet.post("/sessions", instance.session(9000)).status == 201)
    #expect(try sam.uploadBatch([instance.session(20_000)]).json["success_count"] as? Int == 1)
  }

  @Test("The same batch sent by many at the same time is stored once")
  func concurrent() throws {
    let batch = (1...20).map { instance.session(Int64($0) * 2000) }
    let body = try JSONSerialization.data(withJSONObject: ["sessions": batch])
    let (application, token) = (instance.instance.application, try token())
    let answers = Answers()
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let browser = TestClient(application)
      answers.add(
        browser.send(
          .post, "/api/v1/sessions/batch_upload",
          headers: [.authorization: "Bearer \(token)", .contentType: "application/json"],
          body: Array(body)))
    }
    let counts = answers.all.map {
      ($0.json["success_count"] as? Int ?? -1, $0.json["duplicate_count"] as? Int ?? -1)
    }
    #expect(counts.map(\.0).sorted() == [0, 0, 0, 20])
    #expect(counts.map(\.1).sorted() == [0, 20, 20, 20])
    #expect(try instance.count("SELECT count(*) FROM workouts") == 20)
    #expect(sam.call(.get, "/users/me/stats").json["workout_total_count"] as? Int == 20)
    #expect(try instance.problems() == [])
  }

  private func token() throws -> String {
    let phone = instance.client()
    phone.login("sam")
    return try #require(phone.access)
  }

  // The lock protects the answers added by several threads.
  private final class Answers: @unchecked Sendable {
    private let lock = NSLock()
    private var answers: [TestResponse] = []

    var all: [TestResponse] { lock.withLock { answers } }

    func add(_ answer: TestResponse) { lock.withLock { answers.append(answer) } }
  }

  // MARK: Single workouts

  @Test("One workout is 201 with all of it; the same again 400, a bad one 422 by its fields")
  func one() throws {
    var sent = instance.session(3600, ["paused": 10.5, "raw": "AQID"])
    let samples: [String: Any] = ["interval": 1, "power": [100, NSNull(), 150.5]]
    sent["detail"] = ["avg_hr": 127, "max_speed": 34.5, "colour": "red", "samples": samples]
    sent["ended_at"] = instance.clock.now().adding(seconds: -1790).rfc3339Milliseconds
    let made = try sam.sending(.post, "/sessions", sent)
    #expect(made.status == 201, "\(made.text)")
    for field in ["client_session_id", "started_at", "ended_at", "device_type", "raw"] {
      #expect(made.json[field] as? String == sent[field] as? String, "\(field)")
    }
    #expect(made.json["paused"] as? Double == 10.5 && made.json["duration"] as? Int == 1800)
    let detail = try #require(made.json["detail"] as? [String: Any])
    #expect(detail["avg_hr"] as? Double == 127 && detail["max_speed"] as? Double == 34.5)
    #expect(detail["avg_power"] is NSNull && detail["colour"] == nil)
    let rows = try #require(detail["samples"] as? [String: Any])
    #expect((rows["power"] as? [Any])?.count == 3 && (rows["speed"] as? [Any])?.isEmpty == true)
    let id = try #require(made.json["id"] as? String)
    #expect(sam.call(.get, "/sessions/\(id)").text == made.text)
    let again = try sam.sending(.post, "/sessions", sent)
    #expect(again.status == 400 && again.code == "duplicate_session")
    #expect(again.message == "This workout was already uploaded.")
    let bad = try sam.sending(
      .post, "/sessions", instance.session(3600, ["duration": 0, "device_type": "car", "raw": "?"]))
    #expect(bad.status == 422 && bad.code == "validation_error")
    #expect(Set(bad.fieldErrors.keys) == ["duration", "device_type", "raw"])
  }

  @Test("A key makes a repeated upload answer the first answer")
  func key() throws {
    let bytes = try JSONSerialization.data(withJSONObject: instance.session())
    let body = String(decoding: bytes, as: UTF8.self)
    let answers = (1...2).map { _ in
      sam.call(.post, "/sessions", body, headers: [.idempotencyKey: "k1"])
    }
    #expect(answers.map(\.status) == [201, 201] && answers[0].text == answers[1].text)
  }

  @Test("Deleting takes a workout and its part of the figures away, once")
  func deleting() throws {
    let first = try sam.addWorkout(instance)
    let other = try sam.addWorkout(instance, 9000)
    #expect(sam.call(.delete, "/sessions/\(first)").status == 204)
    #expect(sam.call(.delete, "/sessions/\(first)").status == 404)
    #expect(sam.call(.get, "/sessions/\(first)").status == 404)
    #expect(sam.call(.get, "/users/me/stats").json["workout_total_count"] as? Int == 1)
    try instance.alone("eve")
    let eve = try instance.signedIn("eve")
    #expect(eve.call(.get, "/sessions/\(other)").status == 404)
    #expect(eve.call(.delete, "/sessions/\(other)").status == 404)
    #expect(eve.call(.get, "/sessions").list("sessions").isEmpty)
    #expect(try instance.problems() == [])
  }

  // MARK: Lists

  @Test("The list has pages, newest first, up to 200 at once and 50 by default")
  func list() throws {
    for start in stride(from: 0, to: 60, by: 20) {
      try sam.uploadBatch((start..<start + 20).map { instance.session(2000 * Int64(1 + $0)) })
    }
    let first = sam.call(.get, "/sessions")
    #expect(first.list("sessions").count == 50)
    var starts: [String] = []
    var cursor = ""
    repeat {
      let page = sam.call(.get, "/sessions?limit=20\(cursor)")
      starts += page.list("sessions").compactMap { $0["started_at"] as? String }
      cursor = (page.json["next_cursor"] as? String).map { "&cursor=\($0)" } ?? ""
    } while !cursor.isEmpty
    #expect(starts.count == 60 && starts == starts.sorted().reversed())
    let all = sam.call(.get, "/sessions?limit=200")
    #expect(all.list("sessions").count == 60 && all.json["next_cursor"] is NSNull)
    for query in ["limit=0", "limit=201", "limit=x", "cursor=none", "since=soon"] {
      let answer = sam.call(.get, "/sessions?\(query)")
      #expect(answer.status == 422 && answer.fieldErrors.count == 1, "\(query)")
    }
  }

  @Test("`from` and `to` ask for the days of workouts, both included, in the person's own zone")
  func days() throws {
    #expect(sam.call(.patch, "/account", #"{"time_zone":"Asia/Taipei"}"#).status == 200)
    let today = LocalDay(
      instance.clock.now(), in: try #require(TimeZone(identifier: "Asia/Taipei")))
    let zone = try #require(TimeZone(identifier: "Asia/Taipei"))
    /// A workout that began at a minute of the day this number of days ago.
    func add(_ days: Int, minute: Int) throws {
      let start = today.adding(days: -days).instant(minute: minute, in: zone)
      try sam.uploadBatch([instance.session(instance.clock.now().seconds(since: start))])
    }
    // The first and the last minute of each of three days, and the minutes next to them.
    for (days, minute) in [
      (5, 1439), (4, 0), (4, 1400), (3, 0), (3, 1400), (2, 0), (2, 1439), (1, 0),
    ] {
      try add(days, minute: minute)
    }
    func found(_ from: Int?, _ to: Int?, limit: Int = 100) -> Int {
      var query = "limit=\(limit)"
      if let from { query += "&from=\(today.adding(days: -from))" }
      if let to { query += "&to=\(today.adding(days: -to))" }
      var (count, cursor) = (0, "")
      repeat {
        let page = sam.call(.get, "/sessions?\(query)\(cursor)")
        count += page.list("sessions").count
        cursor = (page.json["next_cursor"] as? String).map { "&cursor=\($0)" } ?? ""
      } while !cursor.isEmpty
      return count
    }
    #expect(found(nil, nil) == 8 && found(4, 2) == 6 && found(4, nil) == 7 && found(nil, 2) == 7)
    #expect(found(3, 3) == 2 && found(3, 4) == 0)
    // The same page by page.
    #expect(found(4, 2, limit: 1) == 6)
    for query in ["from=yesterday", "to=2026-02-30"] {
      #expect(sam.call(.get, "/sessions?\(query)").status == 422, "\(query)")
    }
    #expect(sam.call(.get, "/sessions?from=0000-01-01&to=9999-12-31").list("sessions").count == 8)
  }

  @Test("A page of 200 knows that there is one more")
  func fullPage() throws {
    for start in stride(from: 0, to: 201, by: 20) {
      try sam.uploadBatch(
        (start..<min(start + 20, 201)).map { instance.session(1900 * Int64(1 + $0)) })
    }
    let page = sam.call(.get, "/sessions?limit=200")
    let cursor = try #require(page.json["next_cursor"] as? String)
    #expect(page.list("sessions").count == 200)
    let rest = sam.call(.get, "/sessions?limit=200&cursor=\(cursor)")
    #expect(rest.list("sessions").count == 1 && rest.json["next_cursor"] is NSNull)
  }

  @Test("`since` asks when a workout came in, not when it was done")
  func since() throws {
    try sam.uploadBatch([instance.session()])
    instance.clock.advance(seconds: 60)
    let moment = instance.clock.now().rfc3339Milliseconds
    let old = instance.session(900_000)
    try sam.uploadBatch([old])
    let found = sam.call(.get, "/sessions?since=\(moment)").list("sessions")
    #expect(
      found.compactMap { $0["client_session_id"] as? String }
        == [old["client_session_id"] as? String])
    let detail = try #require(found.first?["detail"] as? [String: Any])
    #expect(detail["samples"] is NSNull && found.first?["raw"] is NSNull)
  }
}

@Suite("/api/v1/users/me returns the user and the statistics")
struct StatisticsAPITests {
  private let instance: TestInstance
  private let sam: TestClient
  private static let path = "/users/me/stats"

  init() throws {
    instance = try TestInstance()
    try instance.alone("sam")
    sam = try instance.signedIn("sam")
  }

  @Test("Without a workout all figures are zero; the profile is beside them")
  func nothing() throws {
    let stats = sam.call(.get, Self.path)
    #expect(
      stats.text
        == #"{"workout_total_count":0,"workout_total_energy":0,"workout_total_distance":0,"#
        + #""workout_total_duration":0,"workout_streak":0,"last_workout_date":null}"#)
    let me = sam.call(.get, "/users/me").json
    #expect(me["stats"] as? NSDictionary == stats.json as NSDictionary)
    var profile = me
    profile["stats"] = nil
    #expect(profile as NSDictionary == sam.call(.get, "/account").json as NSDictionary)
    #expect(try instance.guest("Gia").call(.get, "/users/me").json["kind"] as? String == "guest")
  }

  @Test("The client's word wins, later uploads are added, and deleting takes its part")
  func claim() throws {
    let first = try sam.addWorkout(instance)
    let claimed = sam.call(
      .patch, Self.path,
      #"{"workout_total_count":150,"workout_total_energy":25000.5,"workout_streak":7}"#)
    #expect(claimed.status == 200 && claimed.json["workout_total_count"] as? Int == 150)
    #expect(claimed.json["workout_total_energy"] as? Double == 25_000.5)
    #expect(claimed.json["workout_total_distance"] as? Int == 14_200)
    #expect(claimed.json["workout_streak"] as? Int == 7)
    #expect(sam.call(.get, Self.path).text == claimed.text)
    _ = try sam.addWorkout(instance, 9000)
    let later = sam.call(.get, Self.path).json
    #expect(later["workout_total_count"] as? Int == 151)
    #expect(later["workout_total_energy"] as? Double == 25_272)
    sam.call(.delete, "/sessions/\(first)")
    #expect(sam.call(.get, Self.path).json["workout_total_count"] as? Int == 150)
    #expect(try instance.problems() == [])
  }

  @Test("An impossible value is refused by name, and nothing of it is stored")
  func refused() throws {
    for (name, value) in [
      ("workout_total_count", "-1"), ("workout_total_count", "1.5"),
      ("workout_total_energy", "\"much\""), ("workout_total_distance", "1e13"),
      ("workout_streak", "36501"), ("last_workout_date", "\"2026-03-04\""),
      ("last_workout_date", "\"soon\""),
    ] {
      let answer = sam.call(
        .patch, Self.path, #"{"\#(name)":\#(value),"workout_total_duration":5}"#)
      #expect(answer.status == 422 && answer.fieldErrors[name] != nil, "\(name) \(value)")
    }
    #expect(sam.call(.patch, Self.path, #"{"last_workout_date":"2026-03-03"}"#).status == 200)
    #expect(sam.call(.get, Self.path).json["workout_total_duration"] as? Int == 0)
  }
}
