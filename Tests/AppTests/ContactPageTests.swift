import Basics
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import App
@testable import CheckIn

@Suite("The page of a contact")
struct ContactPageTests {
  private func isShown(_ answer: Answer, _ words: String) -> Bool {
    answer.status == 200 && answer.shows(words)
  }

  // MARK: Without an alert

  @Test("It says whose contact they are, when they would be written to, and nobody's address")
  func calm() throws {
    let house = try TestHouse()
    try house.watched()
    let answer = house.browser().get(try house.contactPage())
    #expect(isShown(answer, "You are an emergency contact of Mei."))
    #expect(answer.shows("There is no alert about Mei."))
    #expect(answer.shows("After 2 missed days in a row"))
    #expect(!answer.shows("@example.test") && !answer.shows("value=\"reached\""))
    #expect(answer.headers[.cacheControl] == "no-store")
    #expect(answer.headers[.referrerPolicy] == "same-origin")
  }

  @Test("The link in the introduction leads there, the second one to the refusal")
  func link() throws {
    let house = try TestHouse()
    try house.watched()
    let link = try house.link(to: "ming@example.test")
    #expect(link == (try house.contactPage()))
    let mail = try #require(try house.mails(to: "ming@example.test").last)
    #expect(mail.text.contains("\(link)/stop\n"))
    #expect(mail.mail.header("list-unsubscribe") == "<http://\(TestHouse.host)\(link)/stop>")
    #expect(mail.mail.header("list-unsubscribe-post") == "List-Unsubscribe=One-Click")
  }

  @Test("Opening its pages changes nothing, whatever opens them")
  func scanner() throws {
    let house = try TestHouse()
    let person = try house.watched(by: ["ming", "lin"])
    try house.goQuiet()
    let before = try house.watchedState()
    let page = try house.contactPage()
    for path in [page, "\(page)/stop", house.tapPage(person)] {
      for method in [HTTPRequest.Method.get, .head] {
        #expect(house.browser().send(method, path).status == 200)
        #expect(house.browser().send(method, "\(path)?button=reached&x=1").status == 200)
      }
      for method in [HTTPRequest.Method.put, .delete] {
        #expect(house.browser().send(method, path).status == 405)
      }
    }
    #expect(try house.watchedState() == before)
  }

  @Test("A link that a mail program has cut explains itself, and leads nowhere else")
  func cut() throws {
    let house = try TestHouse()
    try house.watched()
    let page = try house.contactPage()
    for path in ["/c", "/c/abc", String(page.dropLast(4)), "\(page.dropLast(4))/stop"] {
      let answer = house.browser().get(path)
      #expect(answer.status == 404, "\(path)")
      #expect(answer.shows("This link is incomplete"), "\(path)")
      #expect(answer.shows("copy the whole address out of the mail"), "\(path)")
      #expect(!answer.shows("Back to the feed") && !answer.shows("Nobody’s here"), "\(path)")
      #expect(answer.headers[.cacheControl] == "no-store", "\(path)")
    }
    let signedIn = try house.signedIn("mei")
    #expect(!signedIn.get("/c/abc").shows("Back to the feed"))
  }

  @Test("A link that we never made is 404, and nothing comes of it")
  func forged() throws {
    let house = try TestHouse()
    let person = try house.watched()
    let page = try house.contactPage()
    let before = try house.watchedState()
    let last = page.last == "A" ? "Q" : "A"
    let tap = house.tapPage(person).replacing("/tap/", with: "/c/")
    for path in ["/c/x", String(page.dropLast()) + last, page + "A", tap, "/c/%00", "/c/\(person)"]
    {
      let browser = house.browser()
      #expect(browser.get(path).status == 404, "\(path)")
      #expect(browser.get("\(path)/stop").status == 404, "\(path)")
      for button in ["reached", "weekly-on", "again"] {
        #expect(browser.post(path, ["button": button]).status == 404, "\(path)")
      }
      let oneClick = [("List-Unsubscribe", "One-Click")]
      #expect(browser.plainPost("\(path)/stop", oneClick).status == 404, "\(path)")
    }
    #expect(try house.watchedState() == before)
  }

  @Test("The weekly line is turned on and off")
  func weekly() throws {
    let house = try TestHouse()
    try house.watched()
    let (browser, page) = (house.browser(), try house.contactPage())
    browser.get(page)
    #expect(browser.post(page, ["button": "weekly-on"]).location == page)
    #expect(browser.cookie("toast") == "toast.weekly_on")
    let first = try house.contact("ming").weeklyAt
    #expect(first == house.clock.now().adding(seconds: .days(7)))
    house.clock.advance(seconds: 3600)
    browser.post(page, ["button": "weekly-on"])
    #expect(try house.contact("ming").weeklyAt == first)
    #expect(browser.get(page).shows("value=\"weekly-off\""))
    browser.post(page, ["button": "weekly-off"])
    #expect(try house.contact("ming").weeklyAt == nil)
  }

  @Test("A form that is none of ours does nothing")
  func foreignForm() throws {
    let house = try TestHouse()
    try house.watched()
    let (browser, page) = (house.browser(), try house.contactPage())
    let before = try house.watchedState()
    #expect(browser.post(page, ["button": "weekly"]).status == 400)
    #expect(browser.plainPost(page, [("button", "weekly-on")]).status == 403)
    #expect(browser.plainPost("\(page)/stop", []).status == 400)
    #expect(browser.plainPost("\(page)/stop", [("List-Unsubscribe", "yes")]).status == 400)
    #expect(try house.watchedState() == before)
  }

  // MARK: Refusing

  @Test("Who refuses is told what that means, is written to no more, and may come back")
  func stop() throws {
    let house = try TestHouse()
    let person = try house.watched()
    let (browser, page) = (house.browser(), try house.contactPage())
    browser.post(page, ["button": "weekly-on"])
    #expect(isShown(browser.get("\(page)/stop"), "value=\"stop\""))
    #expect(browser.post("\(page)/stop", ["button": "stop"]).location == "\(page)/stop")
    #expect(isShown(browser.get("\(page)/stop"), "We don’t write to you any more"))
    #expect(try house.contact("ming").state == .refused)
    #expect(try house.contact("ming").weeklyAt == nil)
    let refused = browser.get(page)
    #expect(refused.shows("You asked us not to write to you."))
    #expect(!refused.shows("weekly-on") && !refused.shows("no alert about"))
    browser.post(page, ["button": "weekly-on"])
    #expect(try house.contact("ming").weeklyAt == nil)
    #expect(browser.cookie("toast") == "toast.weekly_not_now")
    try house.goQuiet()
    #expect(try house.number("SELECT count(*) FROM alerts") == 0)
    browser.post(page, ["button": "again"])
    #expect(try house.contact("ming").counts)
    try house.tap(person)
    try house.goQuiet()
    #expect(try house.mails(to: "ming@example.test").last?.subject.contains("Mei") == true)
    #expect(try house.number("SELECT count(*) FROM alerts") == 1)
  }

  @Test("A mail program refuses with one click: no cookies, no token, another origin (RFC 8058)")
  func oneClick() throws {
    let house = try TestHouse()
    try house.watched("mei", by: ["ming"])
    try house.watched("jun", by: ["ming"])
    let browser = house.browser()
    var headers: HTTPFields = [.origin: "https://mail.example"]
    if let name = HTTPField.Name("Sec-Fetch-Site") { headers[name] = "cross-site" }
    let stop = "\(try house.contactPage())/stop"
    let oneClick = [("List-Unsubscribe", "One-Click")]
    let answer = browser.plainPost(stop, oneClick, headers: headers)
    #expect(isShown(answer, "We don’t write to you any more"))
    #expect(answer.location == nil)
    // It holds for everybody who named them.
    #expect(
      try house.number("SELECT count(*) FROM emergency_contacts WHERE state = 'refused'") == 2)
    #expect(house.browser().plainPost(stop, oneClick).status == 200)
    #expect(try house.number("SELECT count(*) FROM contact_refusals") == 1)
  }

  @Test("The same as multipart, which RFC 8058 allows as well")
  func multipart() throws {
    let house = try TestHouse()
    try house.watched()
    let body =
      "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--\r\n"
    let answer = house.browser().send(
      .post, "\(try house.contactPage())/stop",
      headers: [.contentType: "multipart/form-data; boundary=x"], body: Array(body.utf8))
    #expect(answer.status == 200)
    #expect(try house.contact("ming").state == .refused)
  }

  @Test("The person sees a refusal at once")
  func seen() throws {
    let house = try TestHouse()
    try house.watched()
    let mei = try house.signedIn("mei")
    let before = mei.get("/checkin").text
    house.browser().plainPost(
      "\(try house.contactPage())/stop", [("List-Unsubscribe", "One-Click")])
    let after = mei.get("/checkin").text
    #expect(!before.contains("class=\"summary\"") && after.contains("class=\"summary\""))
  }

  @Test("Whose mail came back may say that it arrives again")
  func bouncing() throws {
    let house = try TestHouse()
    try house.watched()
    let id = try house.contact("ming").id
    try house.database.write { try house.checkIn.contacts.bounces(id, in: $0) }
    let (browser, page) = (house.browser(), try house.contactPage())
    #expect(isShown(browser.get(page), "Our last mail to you came back"))
    browser.post(page, ["button": "again"])
    #expect(try house.contact("ming").counts)
  }

  // MARK: During an alert

  @Test("“I have reached them”: the others hear of it once, and the page says who was first")
  func reached() throws {
    let house = try TestHouse()
    try house.watched(by: ["ming", "lin"])
    try house.goQuiet()
    let (ming, lin) = (house.browser(), house.browser())
    let (own, other) = (try house.contactPage("ming"), try house.contactPage("lin"))
    let open = ming.get(own)
    #expect(isShown(open, "Mei has gone quiet."))
    #expect(open.shows("value=\"reached\"") && !open.shows("no alert about"))
    #expect(lin.get(other).shows("value=\"reached\""))
    #expect(ming.post(own, ["button": "reached"]).location == own)
    #expect(ming.cookie("toast") == "toast.reached")
    #expect(ming.get(own).shows("You told us on"))
    #expect(lin.get(other).shows("Ming told us on"))
    // Lin pressed a moment later, on a page that was still open.
    lin.post(other, ["button": "reached"])
    #expect(lin.cookie("toast") == "toast.reached_already")
    ming.post(own, ["button": "reached"])
    #expect(ming.cookie("toast") == "toast.reached")
    let subjects = try house.mails(to: "lin@example.test").map(\.subject)
    #expect(subjects.filter { $0 == "[PairSpot] Ming has reached Mei" }.count == 1)
    let back = try house.mails(to: "ming@example.test").map(\.subject)
    #expect(!back.contains { $0.contains("has reached") })
    #expect(try house.signedIn("mei").get("/checkin").shows("Ming"))
  }

  @Test("When two press at once, one is first and the other is told so")
  func race() throws {
    let house = try TestHouse()
    let names = ["ann", "bob", "cyn", "dee", "eve"]
    try house.watched(by: names)
    try house.goQuiet()
    let browsers = try names.map { name in
      let (browser, page) = (house.browser(), try house.contactPage(name))
      browser.get(page)
      return (browser: browser, page: page)
    }
    let work = Presses(browsers)
    DispatchQueue.concurrentPerform(iterations: names.count) { work.press($0) }
    let toasts = browsers.map { $0.browser.cookie("toast") }
    #expect(toasts.filter { $0 == "toast.reached" }.count == 1)
    #expect(toasts.filter { $0 == "toast.reached_already" }.count == names.count - 1)
    #expect(
      try house.number("SELECT count(*) FROM contact_mails WHERE kind = 'reached'")
        == names.count - 1)
  }

  /// Each browser is used by one thread alone.
  private final class Presses: @unchecked Sendable {
    private let browsers: [(browser: Browser, page: String)]

    init(_ browsers: [(browser: Browser, page: String)]) { self.browsers = browsers }

    func press(_ index: Int) {
      browsers[index].browser.post(browsers[index].page, ["button": "reached"])
    }
  }

  @Test("After a check-in there is nothing to say any more")
  func over() throws {
    let house = try TestHouse()
    let person = try house.watched(by: ["ming", "lin"])
    try house.goQuiet()
    let (browser, page) = (house.browser(), try house.contactPage())
    browser.get(page)
    try house.tap(person)
    browser.post(page, ["button": "reached"])
    #expect(browser.cookie("toast") == "toast.reached_over")
    #expect(browser.get(page).shows("There is no alert about Mei."))
    #expect(try house.number("SELECT count(*) FROM contact_mails WHERE kind = 'reached'") == 0)
  }

  @Test("Who was told of nothing sees no alert, and cannot end the worry of others")
  func notTold() throws {
    let house = try TestHouse()
    let person = try house.watched()
    try house.goQuiet()
    try house.add(["late"], to: person)
    try house.work()
    let (browser, page) = (house.browser(), try house.contactPage("late"))
    #expect(browser.get(page).shows("There is no alert about Mei."))
    browser.post(page, ["button": "reached"])
    #expect(browser.cookie("toast") == "toast.reached_over")
    #expect(try house.number("SELECT count(*) FROM alerts WHERE reached_at IS NOT NULL") == 0)
  }

  @Test("The others never see an address, even where it was given as a name")
  func addressAsName() throws {
    let house = try TestHouse()
    try house.watched(by: ["ming", "lin"])
    try house.goQuiet()
    try house.database.write {
      try $0.execute(
        "UPDATE emergency_contacts SET name = 'ming@example.test' WHERE name = 'Ming'")
    }
    house.browser().post(try house.contactPage(), ["button": "reached"])
    let shown = house.browser().get(try house.contactPage("lin"))
    #expect(shown.shows("Another contact told us on") && !shown.shows("@example.test"))
    let mail = try #require(try house.mails(to: "lin@example.test").last)
    #expect(mail.subject == "[PairSpot] Another contact has reached Mei")
  }

  // MARK: No longer a contact

  @Test("Who was taken off the list keeps their page until the alert they know of is over")
  func removed() throws {
    let house = try TestHouse()
    let person = try house.watched(by: ["ming", "lin"])
    try house.goQuiet()
    let (browser, page) = (house.browser(), try house.contactPage())
    let ming = try house.contact("ming")
    try house.database.write {
      try ContactDesk(services: house.checkIn).remove(ming, now: house.clock.now(), in: $0)
    }
    let shown = browser.get(page)
    #expect(isShown(shown, "Mei has taken you off the list"))
    #expect(shown.shows("value=\"reached\"") && !shown.shows("weekly-on"))
    browser.post(page, ["button": "weekly-on"])
    #expect(try house.contact("ming").weeklyAt == nil)
    try house.tap(person)
    let gone = browser.get(page)
    #expect(gone.status == 410 && gone.shows("You are no longer a contact"))
    #expect(!gone.names("Mei"))
    #expect(browser.post(page, ["button": "reached"]).status == 410)
    #expect(browser.get("\(page)/stop").status == 410)
    // A mail program only wants to hear that it is done.
    let oneClick = browser.plainPost("\(page)/stop", [("List-Unsubscribe", "One-Click")])
    #expect(oneClick.status == 200 && oneClick.shows("You are no longer a contact"))
  }

  @Test("Who removed a contact without an alert leaves nothing behind the link")
  func removedInPeace() throws {
    let house = try TestHouse()
    try house.watched()
    let (page, ming) = (try house.contactPage(), try house.contact("ming"))
    try house.database.write {
      try ContactDesk(services: house.checkIn).remove(ming, now: house.clock.now(), in: $0)
    }
    #expect(house.browser().get(page).status == 410)
  }

  @Test("Of who left nothing is told, but refusing still works")
  func left() throws {
    let house = try TestHouse()
    let person = try house.watched()
    let page = try house.contactPage()
    try house.database.write {
      try $0.execute("UPDATE users SET deleted_at = ? WHERE id = ?", house.clock.now(), person)
    }
    let gone = house.browser().get(page)
    #expect(gone.status == 410 && !gone.names("Mei"))
    #expect(house.browser().post("\(page)/stop", ["button": "stop"]).status == 303)
    #expect(try house.contact("ming").state == .refused)
  }

  // MARK: Words

  @Test("It speaks the browser's language, else the one that the person chose for their contacts")
  func language() throws {
    let house = try TestHouse()
    try house.watched()
    try house.database.write {
      try $0.execute("UPDATE checkin_settings SET contact_language = 'zh-Hans'")
    }
    let page = try house.contactPage()
    for path in [page, "\(page)/stop"] {
      #expect(house.browser().get(path).shows("<html lang=\"zh-Hans\""))
      #expect(
        house.browser().get(path, headers: [.acceptLanguage: "fr, zh-TW;q=0.5"])
          .shows("<html lang=\"zh-Hant\""))
      #expect(
        house.browser().get(path, headers: [.acceptLanguage: "en"]).shows("<html lang=\"en\""))
    }
    #expect(house.browser().get(page).shows("您是 Mei 设置的紧急联系人。"))
  }

  @Test(
    "No name breaks the page", arguments: CheckInLettersTests.hostileNames)
  func hostile(_ name: String) throws {
    let house = try TestHouse()
    try house.watched(by: ["ming", "lin"])
    try house.database.write {
      try $0.execute("UPDATE users SET display_name = ? WHERE display_name = 'Mei'", name)
      try $0.execute("UPDATE emergency_contacts SET name = ? WHERE name = 'Ming'", name)
    }
    try house.goQuiet()
    house.browser().post(try house.contactPage(), ["button": "reached"])
    for contact in ["ming", "lin"] {
      let answer = house.browser().get(try house.contactPage(contact))
      #expect(answer.status == 200 && answer.shows("told us on"))
      // What looks like a template of ours stays what was typed.
      #expect(!answer.shows("<script>alert"))
      #expect(answer.shows("{{link}}") == name.contains("{{link}}"))
      #expect(!answer.text.unicodeScalars.contains { 0x202A...0x202E ~= $0.value })
    }
  }
}
