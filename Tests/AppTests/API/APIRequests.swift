import Foundation
import Testing
import Web

@testable import App

/// Calls the API of posts, couples and check-ins in every way once, to collect the query plans.
enum APIRequests {
  static func exercise(_ instance: TestInstance) throws {
    // Many sign-ins from one address hit the rate limit.
    instance.clock.advance(seconds: 61)
    try instance.couple("Api & Api", "alma", "alba")
    let (ava, ali) = (try instance.signedIn("alma"), try instance.signedIn("alba"))
    try exercisePosts(ava, ali)
    try exerciseCouples(instance, ava)
    try exerciseNotices(ava, ali)
    try exerciseCheckIn(ava)
    try exerciseWorkouts(instance, ava)
    try exerciseLeaving(instance, ava)
    instance.clock.advance(seconds: 61)
  }

  private static func exercisePosts(_ ava: TestClient, _ ali: TestClient) throws {
    let path = try ava.apiPost("Words", pictures: 2)
    try ali.apiPost("More")
    for query in ["", "?scope=couple", "?limit=1"] {
      let page = ali.call(.get, "/posts\(query)")
      #expect(page.status == 200)
      if let cursor = page.json["next_cursor"] as? String {
        #expect(ali.call(.get, "/posts?cursor=\(cursor)").status == 200)
      }
    }
    for browser in [ava, ali] {
      #expect(browser.call(.get, path).status == 200)
      browser.call(.post, "\(path)/like")
      browser.call(.delete, "\(path)/like")
    }
    let picture = try #require(ava.call(.get, path).images.last?["id"] as? String)
    let body = #"{"visibility":"couple","images":[{"id":"\#(picture)"}]}"#
    #expect(ava.call(.patch, path, body).status == 200)
    ava.send("/posts", [("content", "Wrong")], files: [("images[]", [1, 2])])
    #expect(ava.call(.delete, path).status == 204)
  }

  private static func exerciseNotices(_ ava: TestClient, _ ali: TestClient) throws {
    for words in ["One", "Two"] { try ali.apiPost(words) }
    #expect(ava.call(.get, "/push/key").json["public_key"] is String)
    #expect(ava.subscribe("ava").status == 204)
    let page = ava.call(.get, "/notifications?limit=1")
    let cursor = try #require(page.json["next_cursor"] as? String)
    #expect(ava.call(.get, "/notifications?limit=1&cursor=\(cursor)").status == 200)
    let id = try #require(page.list("notifications").first?["id"] as? String)
    #expect(ava.call(.post, "/notifications/read", #"{"up_to":"\#(id)"}"#).status == 204)
    let endpoint = #"{"endpoint":"\#(TestClient.pushEndpoint)ava"}"#
    #expect(ava.call(.delete, "/push/subscriptions", endpoint).status == 204)
  }

  private static func exerciseCouples(_ instance: TestInstance, _ ava: TestClient) throws {
    let couple = try #require(ava.call(.get, "/account").json["couple_id"] as? String)
    for browser in [ava, instance.browser()] {
      #expect(browser.call(.get, "/couples/\(couple)").status == 200)
    }
    #expect(ava.call(.patch, "/couples/\(couple)", #"{"bio":"Us"}"#).status == 200)
    try instance.alone("fox")
    let fox = try instance.signedIn("fox")
    #expect(fox.call(.post, "/couples/\(couple)/follow").status == 204)
    for path in [
      "/couples/\(couple)/followers", "/couples/\(couple)/followers?limit=1",
      "/posts?scope=following", "/search?q=more", "/search?q=more&limit=1",
    ] {
      let page = fox.call(.get, path)
      #expect(page.status == 200, "\(path)")
      guard let cursor = page.json["next_cursor"] as? String else { continue }
      let sign = path.contains("?") ? "&" : "?"
      #expect(fox.call(.get, "\(path)\(sign)cursor=\(cursor)").status == 200, "\(path)")
    }
    #expect(fox.call(.delete, "/couples/\(couple)/follow").status == 204)
    for path in ["/couples/\(couple)/avatar", "/account/avatar"] {
      let file = [(field: "file", bytes: SmallPicture.png)]
      #expect(ava.send(path, method: .put, files: file).status == 200)
    }
    for name in ["irma", "iris"] { try instance.alone(name) }
    let (ida, ivo) = (try instance.signedIn("irma"), try instance.signedIn("iris"))
    ida.call(.post, "/couples/pair", #"{"email":"iris@example.test"}"#)
    let link = try instance.invitation(to: "iris")
    let body = #"{"token":"\#(link.components(separatedBy: "token=").last ?? "")"}"#
    #expect(ivo.call(.post, "/couples/pair/accept", body).status == 200)
    let export = try #require(ivo.call(.post, "/account/export").json["id"] as? String)
    #expect(ivo.call(.get, "/account/export/\(export)").status == 200)
    ivo.call(.get, "/account/export/\(export)/file")
  }

  private static func exerciseLeaving(_ instance: TestInstance, _ ava: TestClient) throws {
    let couple = try #require(ava.call(.get, "/account").json["couple_id"] as? String)
    let proof = #"{"password":"\#(TestInstance.password)"}"#
    #expect(ava.call(.post, "/couples/\(couple)/part", proof).status == 200)
    #expect(ava.call(.post, "/couples/\(couple)/undo-part").status == 200)
    let other = try instance.signedIn("alma")
    let sessions = other.call(.get, "/account/sessions").list("sessions")
    let id = sessions.last?["id"] as? String ?? ""
    #expect(other.call(.delete, "/account/sessions/\(id)").status == 204)
    let setup = other.call(.post, "/account/totp")
    let app = try Authenticator(secret: setup.json["secret"] as? String ?? "", instance)
    let confirmation = #"{"code":"\#(app.code())","password":"\#(TestInstance.password)"}"#
    let codes =
      other.call(.post, "/account/totp/confirm", confirmation)
      .json["recovery_codes"] as? [String] ?? []
    let both = #"{"totp":"\#(codes.first ?? "")","password":"\#(TestInstance.password)"}"#
    #expect(other.call(.delete, "/account/totp", both).status == 204)
    #expect(other.call(.delete, "/account", proof).status == 202)
    let back = ["email": "alma@example.test", "password": TestInstance.password]
    let returning = instance.client()
    #expect(returning.post("/account/restore", back).status == 200)
    #expect(returning.call(.delete, "/account", ["password": TestInstance.password]).status == 202)
    let guest = try instance.guest("Gus")
    let code = try guest.recoveryCode()
    #expect(guest.call(.delete, "/account", #"{"recovery_code":"\#(code)"}"#).status == 202)
  }

  private static func exerciseWorkouts(_ instance: TestInstance, _ ava: TestClient) throws {
    #expect(try ava.uploadBatch([instance.session(), instance.session(9000)]).status == 200)
    let id = try ava.addWorkout(instance, 20_000)
    let since = instance.clock.now().rfc3339Milliseconds
    for query in ["?limit=1", "?since=\(since)"] {
      let page = ava.call(.get, "/sessions\(query)")
      #expect(page.status == 200)
      if let cursor = page.json["next_cursor"] as? String {
        #expect(ava.call(.get, "/sessions\(query)&cursor=\(cursor)").status == 200)
      }
    }
    #expect(ava.call(.get, "/sessions/\(id)").status == 200)
    #expect(ava.call(.get, "/users/me").status == 200)
    #expect(ava.call(.patch, "/users/me/stats", #"{"workout_total_count":9}"#).status == 200)
    #expect(ava.call(.get, "/users/me/stats").status == 200)
    #expect(ava.call(.delete, "/sessions/\(id)").status == 204)
  }

  private static func exerciseCheckIn(_ ava: TestClient) throws {
    ava.call(.put, "/checkin/settings", #"{"time_zone":"Asia/Taipei","alert_time":"08:00"}"#)
    let added = ava.call(.post, "/checkin/contacts", #"{"email":"pia@example.test"}"#)
    let contact = try #require(added.json["id"] as? String)
    for _ in 0..<2 { ava.call(.post, "/checkin", "{}") }
    for path in ["", "/contacts", "/history?month=2026-03", "/history?format=csv"] {
      #expect(ava.call(.get, "/checkin\(path)").status == 200)
    }
    for body in [#"{"name":"Pia"}"#, #"{"email":"pam@example.test"}"#] {
      #expect(ava.call(.patch, "/checkin/contacts/\(contact)", body).status == 200)
    }
    let left = try #require(
      ava.call(.get, "/checkin/contacts").list("contacts").first?["id"] as? String)
    #expect(ava.call(.delete, "/checkin/contacts/\(left)").status == 204)
  }
}
