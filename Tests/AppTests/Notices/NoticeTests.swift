import Core
import Database
import Foundation
import HTTPTypes
import Notices
import Testing
import WebPush

@testable import App

extension TestClient {
  /// Texts of the notices in the list, newest first.
  func notices() -> [String] {
    get("/notifications").text
      .matches(of: /<span class="notice-line">(.*?)<\/span><time/)
      .map { String($0.output.1).replacing(/<[^>]*>/, with: "") }
  }

  /// The badge in the header, "" for none.
  func unread(on path: String = "/") -> String {
    get(path).text.firstMatch(of: /data-testid="unread">([^<]*)</).map { String($0.output.1) } ?? ""
  }

  /// The identifier of each notice, newest first.
  func noticeIDs() -> [String] {
    call(.get, "/notifications?limit=100").list("notifications").compactMap { $0["id"] as? String }
  }
}

@Suite("Notices")
struct NoticeTests {
  /// Ann and Ben, a couple, and some other users, each signed in.
  private func people(_ instance: TestInstance, _ others: [String]) throws -> (
    ann: TestClient, ben: TestClient, others: [TestClient]
  ) {
    try instance.couple()
    for name in others { try instance.alone(name) }
    return (
      try instance.signedIn("ann"), try instance.signedIn("ben"), try others.map(instance.signedIn)
    )
  }

  @Test("The settings of notices lead members to where mails of check-ins are set")
  func mailsOfCheckIns() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let page = try instance.signedIn("sam").get("/settings/notifications")
    #expect(page.shows("href=\"/checkin/settings\"") && page.shows("doesn’t turn off emails"))
    #expect(!(try instance.guest("Gia").get("/settings/notifications")).shows("turn off emails"))
  }

  @Test("A like notifies the post's author, and one's own like does not")
  func liked() throws {
    let instance = try TestInstance()
    let (ann, ben, others) = try people(instance, ["sam"])
    let post = try ann.write("Words")
    ann.post("\(post)/like")
    #expect(ann.notices() == [] && ann.unread() == "")
    others[0].post("\(post)/like")
    #expect(ann.notices() == ["Sam liked your post"])
    #expect(ann.unread() == "1" && ben.unread() == "1")
    #expect(ben.notices() == ["Ann posted “Words”"])
    let link = try #require(
      ann.get("/notifications").text.firstMatch(of: /\/notifications\/[0-9a-f-]{36}/)?.output)
    #expect(ann.get(String(link)).location == post)
    #expect(ann.unread() == "")
  }

  @Test("Unread likes are one notice; later ones are another")
  func gathered() throws {
    let instance = try TestInstance()
    let (ann, _, others) = try people(instance, ["sam", "sue", "tim", "uma"])
    let post = try ann.write("Words")
    for (browser, words) in zip(
      others,
      [
        "Sam liked your post", "Sue and Sam liked your post", "Tim and 2 others liked your post",
        "Uma and 3 others liked your post",
      ])
    {
      instance.clock.advance(seconds: 1)
      browser.post("\(post)/like")
      #expect(ann.notices() == [words])
    }
    #expect(ann.unread() == "1")
    others[3].post("\(post)/unlike")
    #expect(ann.notices() == ["Tim and 2 others liked your post"])
    ann.post("/notifications/read", ["up_to": ann.noticeIDs().first ?? ""])
    #expect(ann.unread() == "")
    instance.clock.advance(seconds: 1)
    others[3].post("\(post)/like")
    #expect(ann.notices() == ["Uma liked your post", "Tim and 2 others liked your post"])
    #expect(ann.unread() == "1")
  }

  @Test("Undone and deleted events, and those between blocked couples, are not shown")
  func vanishing() throws {
    let instance = try TestInstance()
    let (ann, ben, others) = try people(instance, ["sam"])
    let post = try ann.write("Words")
    others[0].post("\(post)/like")
    others[0].post("\(post)/unlike")
    #expect(ann.notices() == [])
    others[0].post("\(post)/like")
    #expect(ann.notices().count == 1 && ben.notices().count == 1)
    ann.post("\(post)/delete")
    #expect(ann.notices() == [] && ben.notices() == [])
    let second = try ann.write("More")
    try others[0].write("So that Sam has a couple of one")
    others[0].post("\(second)/like")
    #expect(ann.notices().count == 1)
    let couple = try #require(
      others[0].get("/").text.matches(of: /\/couples\/[0-9a-f-]{36}/).map { String($0.output) }
        .first { !ann.get($0).shows("/edit") })
    #expect(ann.post("\(couple)/block").status == 303)
    #expect(ann.notices() == [] && ann.unread() == "")
  }

  @Test("A new follower notifies both members, once, and no more after either unfollows")
  func followed() throws {
    let instance = try TestInstance()
    try instance.couple("Kim & Lee", "kim", "lee")
    let (ann, ben, _) = try people(instance, [])
    let kim = try instance.signedIn("kim")
    let theirs = try #require(ann.call(.get, "/account").json["couple_id"] as? String)
    for _ in 1...2 { kim.post("/couples/\(theirs)/follow") }
    for browser in [ann, ben] {
      #expect(browser.notices() == ["Kim &amp; Lee started following you"])
    }
    try instance.signedIn("lee").post("/couples/\(theirs)/unfollow")
    #expect(ann.notices() == [] && ben.notices() == [])
    kim.post("/couples/\(theirs)/follow")
    #expect(ann.notices().count == 1)
    let follower = try #require(kim.call(.get, "/account").json["couple_id"] as? String)
    #expect(ben.post("/couples/\(follower)/block").status == 303)
    #expect(ann.notices() == [] && ben.notices() == [])
  }

  @Test("A notice is removed by its recipient alone, and its menu leads to the row of its kind")
  func removed() throws {
    let instance = try TestInstance()
    let (ann, ben, others) = try people(instance, ["sam"])
    others[0].post("\(try ann.write("Words"))/like")
    instance.clock.advance(seconds: 1)
    try ben.write("Hello")
    #expect(ann.notices() == ["Ben posted “Hello”", "Sam liked your post"])
    #expect(ann.get("/notifications").shows("href=\"/settings/notifications#post_liked\""))
    #expect(ann.get("/settings/notifications").shows("id=\"post_liked\""))
    let like = try #require(ann.noticeIDs().last)
    others[0].post("/notifications/remove", ["notice": like])
    #expect(ann.notices().count == 2)
    #expect(ann.post("/notifications/remove", ["notice": like]).location == "/notifications")
    #expect(ann.get("/notifications").shows("Notification removed"))
    #expect(ann.notices() == ["Ben posted “Hello”"] && ann.unread() == "1")
    #expect(ben.notices() == ["Ann posted “Words”"])
    #expect(ann.post("/notifications/remove", ["notice": like]).status == 303)
    #expect(ann.post("/notifications/remove", ["notice": "x"]).status == 404)
  }

  @Test("Unread notices can be listed by themselves, on the page and by the API")
  func unreadOnly() throws {
    let instance = try TestInstance()
    let (ann, ben, others) = try people(instance, ["sam"])
    #expect(!ann.get("/notifications").shows("?unread=1"))
    others[0].post("\(try ann.write("Words"))/like")
    instance.clock.advance(seconds: 1)
    try ben.write("Hello")
    let list = "/notifications?unread=1"
    #expect(ann.get("/notifications").shows("href=\"\(list)\""))
    let like = try #require(ann.noticeIDs().last)
    ann.get("/notifications/\(like)")
    let page = ann.get(list)
    #expect(page.shows("“Hello”") && !page.shows("liked your post"))
    func texts(_ query: String) -> [String] {
      ann.call(.get, "/notifications?\(query)").list("notifications")
        .compactMap { $0["text"] as? String }
    }
    #expect(texts("unread=true") == ["Ben posted “Hello”"])
    #expect(texts("unread=false").count == 2)
    #expect(texts("kind=post_liked") == ["Sam liked your post"])
    #expect(ann.call(.get, "/notifications?kind=x").status == 422)
    let newest = try #require(ann.noticeIDs().first)
    let read = ann.post("/notifications/read", ["up_to": newest, "next": list])
    #expect(read.location == list && ann.get(list).shows("You’ve read everything"))
    #expect(others[0].call(.delete, "/notifications/\(like)").status == 404)
    #expect(ann.call(.delete, "/notifications/\(like)").status == 204)
    #expect(ann.call(.delete, "/notifications/\(like)").status == 404)
    #expect(texts("") == ["Ben posted “Hello”"])
  }

  @Test("The API turns kinds on and off, and leaves what is not sent")
  func settingsByAPI() throws {
    let instance = try TestInstance()
    let (ann, ben, _) = try people(instance, [])
    let path = "/notifications/settings"
    func setting(_ answer: TestResponse) -> [String: Any] {
      answer.list("settings").first { $0["kind"] as? String == "partner_posted" } ?? [:]
    }
    let first = setting(ann.call(.get, path))
    #expect(first["on_page"] as? Bool == true && first["by_push"] as? Bool == true)
    let off = ann.call(.patch, path, #"{"kind":"partner_posted","on_page":false}"#)
    #expect(off.status == 200)
    #expect(setting(off)["on_page"] as? Bool == false && setting(off)["by_push"] as? Bool == true)
    try ben.write("Hello")
    #expect(ann.notices() == [])
    let guest = try instance.guest("Gia")
    #expect(guest.call(.patch, path, #"{"kind":"post_liked","on_page":false}"#).status == 403)
    #expect(
      guest.call(.get, path).list("settings").count < ann.call(.get, path).list("settings").count)
  }

  @Test("A page of notices costs as many statements as a single one")
  func statements() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    let (ann, _, others) = try people(instance, ["sam", "sue"])
    func asked() -> Int {
      let before = log.count
      #expect(ann.get("/notifications").status == 200)
      return log.count - before
    }
    func like(_ posts: Int) throws {
      for number in 1...posts {
        let post = try ann.write("Words \(number)")
        for browser in others { browser.post("\(post)/like") }
      }
    }
    try like(1)
    let one = asked()
    try like(25)
    #expect(ann.notices().count == 26)
    #expect(asked() == one)
  }

  @Test("A disabled kind isn't shown, an enabled one is")
  func preferences() throws {
    let instance = try TestInstance()
    let (ann, ben, others) = try people(instance, ["sam"])
    let page = ann.get("/settings/notifications")
    #expect(page.status == 200 && page.shows("value=\"post_liked\" checked"))
    let kept = ["partner_posted", "decision"]
    #expect(
      ann.post(
        "/settings/notifications", all: kept.map { ("on_page", $0) } + [("by_push", "decision")]
      ).status == 303)
    let after = ann.get("/settings/notifications")
    #expect(!after.shows("name=\"on_page\" value=\"post_liked\" checked"))
    #expect(after.shows("name=\"on_page\" value=\"decision\" checked"))
    others[0].post("\(try ann.write("Words"))/like")
    try ben.write("Hello")
    #expect(ann.notices() == ["Ben posted “Hello”"])
  }

  @Test("Notices are grouped by day, thirty a page, and only for their recipient")
  func pages() throws {
    let instance = try TestInstance()
    let (ann, ben, others) = try people(instance, ["sam"])
    for number in 1...31 { try ben.write("Post \(number)") }
    instance.clock.advance(seconds: 86_400)
    try ben.write("Today's")
    let first = ann.get("/notifications")
    #expect(first.shows("<h2>Today</h2>") && first.shows("<h2>Yesterday</h2>"))
    #expect(first.text.matches(of: /data-testid="notice"/).count == 30)
    let older = try #require(first.text.firstMatch(of: /\/notifications\?after=[\w-]+/)?.output)
    #expect(ann.get(String(older)).text.matches(of: /data-testid="notice"/).count == 2)
    #expect(ann.get("/notifications?after=nothing").status == 422)
    let own = try #require(ann.noticeIDs().first)
    #expect(others[0].get("/notifications/\(own)").location == "/notifications")
    others[0].post("/notifications/read", ["up_to": own])
    #expect(ann.unread() == "32")
    #expect(instance.browser().get("/notifications").location?.hasPrefix("/sign-in") == true)
  }

  @Test("The API returns the same, and marks everything up to one as read")
  func api() throws {
    let instance = try TestInstance()
    let (ann, ben, _) = try people(instance, [])
    for words in ["One", "Two", "Three"] {
      try ben.write(words)
      instance.clock.advance(seconds: 1)
    }
    let all = ann.call(.get, "/notifications?limit=2")
    #expect(all.json["unread"] as? Int == 3 && all.json["next_cursor"] is String)
    let told = all.list("notifications")
    #expect(told.map { $0["text"] as? String } == ["Ben posted “Three”", "Ben posted “Two”"])
    #expect(told.first?["kind"] as? String == "partner_posted")
    #expect((told.first?["url"] as? String)?.hasPrefix("http://127.0.0.1:8099/posts/") == true)
    let second = try #require(told.last?["id"] as? String)
    #expect(ann.call(.post, "/notifications/read", "{\"up_to\":\"\(second)\"}").status == 204)
    #expect(ann.call(.get, "/notifications").json["unread"] as? Int == 1)
    #expect(ann.call(.post, "/notifications/read", "{}").status == 422)
  }

  @Test("Members of a group are notified of joins, exits and calls, until they leave")
  func groups() throws {
    let instance = try TestInstance()
    let (lea, fay, group) = try instance.exercise()
    #expect(lea.notices().first?.hasPrefix("Fay joined") == true)
    instance.clock.advance(seconds: 1)
    lea.post("\(group.page)/commands", ["kind": "gather"])
    #expect(fay.notices().first?.hasSuffix("Lea asks everyone to gather") == true)
    instance.clock.advance(seconds: 1)
    fay.post("\(group.page)/commands", ["kind": "need_help"])
    #expect(lea.notices().first?.hasSuffix("Fay needs help") == true)
    instance.clock.advance(seconds: 1)
    fay.post("\(group.page)/leave")
    #expect(fay.notices() == [])
    #expect(lea.notices().first?.hasPrefix("Fay left") == true)
  }

  @Test("Old notices are deleted, and those of purged users with them")
  func purged() throws {
    let instance = try TestInstance()
    let (ann, _, others) = try people(instance, ["sam"])
    others[0].post("\(try ann.write("Words"))/like")
    instance.clock.advance(seconds: 91 * 86_400)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM notifications") == 0)
    #expect(try instance.count("SELECT count(*) FROM notification_actors") == 0)
  }
}
