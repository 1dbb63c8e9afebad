import Core
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import App
@testable import CheckIn

@Suite("The page of a contact")
struct ContactPageTests {
  private func isShown(_ answer: TestResponse, _ words: String) -> Bool {
    answer.status == 200 && answer.shows(words)
  }

  // MARK: Without an alert

  @Test("It shows the user's name and the time of alerts, and no address")
  func calm() throws {
    let instance = try TestInstance()
    try instance.watched()
    let answer = instance.browser().get(try instance.contactPage())
    #expect(isShown(answer, "You’re an emergency contact for Mei."))
    #expect(answer.shows("There’s no alert about Mei."))
    #expect(answer.shows("If they miss 2 days in a row"))
    #expect(answer.shows("They can pause this, for example while travelling."))
    #expect(!answer.shows("@example.test") && !answer.shows("value=\"reached\""))
    #expect(answer.headers[.cacheControl] == "no-store")
    #expect(answer.headers[.referrerPolicy] == "same-origin")
  }

  @Test("The link in the introduction leads there, the second one to the refusal")
  func link() throws {
    let instance = try TestInstance()
    try instance.watched()
    let link = try instance.link(to: "ming@example.test")
    #expect(link == (try instance.contactPage()))
    let mail = try #require(try instance.mails(to: "ming@example.test").last)
    #expect(mail.text.contains("\(link)/stop\n"))
    #expect(mail.mail.header("list-unsubscribe") == "<http://\(TestInstance.host)\(link)/stop>")
    #expect(mail.mail.header("list-unsubscribe-post") == "List-Unsubscribe=One-Click")
  }

  @Test("Opening its pages changes nothing, whichever program opens them")
  func scanner() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try instance.goQuiet()
    let before = try instance.watchedState()
    let page = try instance.contactPage()
    for path in [page, "\(page)/stop", instance.tapPage(person)] {
      for method in [HTTPRequest.Method.get, .head] {
        #expect(instance.browser().send(method, path).status == 200)
        #expect(instance.browser().send(method, "\(path)?button=reached&x=1").status == 200)
      }
      for method in [HTTPRequest.Method.put, .delete] {
        #expect(instance.browser().send(method, path).status == 405)
      }
    }
    #expect(try instance.watchedState() == before)
  }

  @Test("A link that a mail program has cut explains itself, and leads nowhere else")
  func cut() throws {
    let instance = try TestInstance()
    try instance.watched()
    let page = try instance.contactPage()
    for path in ["/c", "/c/abc", String(page.dropLast(4)), "\(page.dropLast(4))/stop"] {
      let answer = instance.browser().get(path)
      #expect(answer.status == 404, "\(path)")
      #expect(answer.shows("This link is incomplete"), "\(path)")
      #expect(answer.shows("copy the whole link from the email"), "\(path)")
      #expect(!answer.shows("Back to the feed") && !answer.shows("Page not found"), "\(path)")
      #expect(answer.headers[.cacheControl] == "no-store", "\(path)")
    }
    let signedIn = try instance.signedIn("mei")
    #expect(!signedIn.get("/c/abc").shows("Back to the feed"))
  }

  @Test("A link that we never made is 404, and nothing comes of it")
  func forged() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    let page = try instance.contactPage()
    let before = try instance.watchedState()
    let last = page.last == "A" ? "Q" : "A"
    let tap = instance.tapPage(person).replacing("/tap/", with: "/c/")
    for path in ["/c/x", String(page.dropLast()) + last, page + "A", tap, "/c/%00", "/c/\(person)"]
    {
      let browser = instance.browser()
      #expect(browser.get(path).status == 404, "\(path)")
      #expect(browser.get("\(path)/stop").status == 404, "\(path)")
      for button in ["reached", "weekly-on", "again"] {
        #expect(browser.post(path, ["button": button]).status == 404, "\(path)")
      }
      let oneClick = [("List-Unsubscribe", "One-Click")]
      #expect(browser.plainPost("\(path)/stop", oneClick).status == 404, "\(path)")
    }
    #expect(try instance.watchedState() == before)
  }

  @Test("The weekly line is turned on and off")
  func weekly() throws {
    let instance = try TestInstance()
    try instance.watched()
    let (browser, page) = (instance.browser(), try instance.contactPage())
    browser.get(page)
    #expect(browser.post(page, ["button": "weekly-on"]).location == page)
    #expect(browser.cookie("toast") == "toast.weekly_on")
    let first = try instance.contact("ming").weeklyAt
    #expect(first == instance.clock.now().adding(seconds: .days(7)))
    instance.clock.advance(seconds: 3600)
    browser.post(page, ["button": "weekly-on"])
    #expect(try instance.contact("ming").weeklyAt == first)
    #expect(browser.get(page).shows("value=\"weekly-off\""))
    browser.post(page, ["button": "weekly-off"])
    #expect(try instance.contact("ming").weeklyAt == nil)
  }

  @Test("A forged form has no effect")
  func foreignForm() throws {
    let instance = try TestInstance()
    try instance.watched()
    let (browser, page) = (instance.browser(), try instance.contactPage())
    let before = try instance.watchedState()
    #expect(browser.post(page, ["button": "weekly"]).status == 400)
    #expect(browser.plainPost(page, [("button", "weekly-on")]).status == 403)
    #expect(browser.plainPost("\(page)/stop", []).status == 400)
    #expect(browser.plainPost("\(page)/stop", [("List-Unsubscribe", "yes")]).status == 400)
    #expect(try instance.watchedState() == before)
  }

  // MARK: Refusing

  @Test("A contact who refuses gets an explanation and no more mail, and may come back")
  func stop() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    let (browser, page) = (instance.browser(), try instance.contactPage())
    browser.post(page, ["button": "weekly-on"])
    #expect(isShown(browser.get("\(page)/stop"), "value=\"stop\""))
    #expect(browser.post("\(page)/stop", ["button": "stop"]).location == "\(page)/stop")
    #expect(isShown(browser.get("\(page)/stop"), "You’re unsubscribed"))
    #expect(try instance.contact("ming").state == .refused)
    #expect(try instance.contact("ming").weeklyAt == nil)
    let refused = browser.get(page)
    #expect(refused.shows("You’ve unsubscribed"))
    #expect(!refused.shows("weekly-on") && !refused.shows("no alert about"))
    browser.post(page, ["button": "weekly-on"])
    #expect(try instance.contact("ming").weeklyAt == nil)
    #expect(browser.cookie("toast") == "toast.weekly_not_now")
    try instance.goQuiet()
    #expect(try instance.number("SELECT count(*) FROM alerts") == 0)
    browser.post(page, ["button": "again"])
    #expect(try instance.contact("ming").counts)
    try instance.tap(person)
    try instance.goQuiet()
    #expect(try instance.mails(to: "ming@example.test").last?.subject.contains("Mei") == true)
    #expect(try instance.number("SELECT count(*) FROM alerts") == 1)
  }

  @Test("A mail program refuses with one click: no cookies, no token, another origin (RFC 8058)")
  func oneClick() throws {
    let instance = try TestInstance()
    try instance.watched("mei", by: ["ming"])
    try instance.watched("jun", by: ["ming"])
    let browser = instance.browser()
    var headers: HTTPFields = [.origin: "https://mail.example"]
    if let name = HTTPField.Name("Sec-Fetch-Site") { headers[name] = "cross-site" }
    let stop = "\(try instance.contactPage())/stop"
    let oneClick = [("List-Unsubscribe", "One-Click")]
    let answer = browser.plainPost(stop, oneClick, headers: headers)
    #expect(isShown(answer, "You’re unsubscribed"))
    #expect(answer.location == nil)
    // The refusal applies to all users with this contact.
    #expect(
      try instance.number("SELECT count(*) FROM emergency_contacts WHERE state = 'refused'") == 2)
    #expect(instance.browser().plainPost(stop, oneClick).status == 200)
    #expect(try instance.number("SELECT count(*) FROM contact_refusals") == 1)
  }

  @Test("The same as multipart, which RFC 8058 allows as well")
  func multipart() throws {
    let instance = try TestInstance()
    try instance.watched()
    let body =
      "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--\r\n"
    let answer = instance.browser().send(
      .post, "\(try instance.contactPage())/stop",
      headers: [.contentType: "multipart/form-data; boundary=x"], body: Array(body.utf8))
    #expect(answer.status == 200)
    #expect(try instance.contact("ming").state == .refused)
  }

  @Test("The person sees a refusal at once")
  func seen() throws {
    let instance = try TestInstance()
    try instance.watched()
    let mei = try instance.signedIn("mei")
    let before = mei.get("/checkin").text
    instance.browser().plainPost(
      "\(try instance.contactPage())/stop", [("List-Unsubscribe", "One-Click")])
    let after = mei.get("/checkin").text
    #expect(!before.contains("class=\"summary\"") && after.contains("class=\"summary\""))
  }

  @Test("A contact whose mail bounced may confirm that it arrives again")
  func bouncing() throws {
    let instance = try TestInstance()
    try instance.watched()
    let id = try instance.contact("ming").id
    try instance.database.write { try instance.checkIn.contacts.bounces(id, in: $0) }
    let (browser, page) = (instance.browser(), try instance.contactPage())
    #expect(isShown(browser.get(page), "Our last email to you bounced"))
    browser.post(page, ["button": "again"])
    #expect(try instance.contact("ming").counts)
  }

  // MARK: During an alert

  @Test("“I have reached them”: the others are mailed once, and the page names the first")
  func reached() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming", "lin"])
    try instance.goQuiet()
    let (ming, lin) = (instance.browser(), instance.browser())
    let (own, other) = (try instance.contactPage("ming"), try instance.contactPage("lin"))
    let open = ming.get(own)
    #expect(isShown(open, "Mei has stopped checking in."))
    #expect(open.shows("value=\"reached\"") && !open.shows("no alert about"))
    #expect(lin.get(other).shows("value=\"reached\""))
    #expect(ming.post(own, ["button": "reached"]).location == own)
    #expect(ming.cookie("toast") == "toast.reached")
    #expect(ming.get(own).shows("You told us on"))
    #expect(lin.get(other).shows("Ming told us on"))
    // Lin presses a moment later, on a page that was still open.
    lin.post(other, ["button": "reached"])
    #expect(lin.cookie("toast") == "toast.reached_already")
    ming.post(own, ["button": "reached"])
    #expect(ming.cookie("toast") == "toast.reached")
    let subjects = try instance.mails(to: "lin@example.test").map(\.subject)
    #expect(subjects.filter { $0 == "[PairSpot] Ming has reached Mei" }.count == 1)
    let back = try instance.mails(to: "ming@example.test").map(\.subject)
    #expect(!back.contains { $0.contains("has reached") })
    #expect(try instance.signedIn("mei").get("/checkin").shows("Ming"))
  }

  @Test("When two press at once, one is first and the other sees that")
  func race() throws {
    let instance = try TestInstance()
    let names = ["ann", "bob", "cyn", "dee", "eve"]
    try instance.watched(by: names)
    try instance.goQuiet()
    let browsers = try names.map { name in
      let (browser, page) = (instance.browser(), try instance.contactPage(name))
      browser.get(page)
      return (browser: browser, page: page)
    }
    let work = Presses(browsers)
    DispatchQueue.concurrentPerform(iterations: names.count) { work.press($0) }
    let toasts = browsers.map { $0.browser.cookie("toast") }
    #expect(toasts.filter { $0 == "toast.reached" }.count == 1)
    #expect(toasts.filter { $0 == "toast.reached_already" }.count == names.count - 1)
    #expect(
      try instance.number("SELECT count(*) FROM contact_mails WHERE kind = 'reached'")
        == names.count - 1)
  }

  /// Each browser is used by one thread only.
  private final class Presses: @unchecked Sendable {
    private let browsers: [(browser: TestClient, page: String)]

    init(_ browsers: [(browser: TestClient, page: String)]) { self.browsers = browsers }

    func press(_ index: Int) {
      browsers[index].browser.post(browsers[index].page, ["button": "reached"])
    }
  }

  @Test("After a check-in there is nothing to say any more")
  func over() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try instance.goQuiet()
    let (browser, page) = (instance.browser(), try instance.contactPage())
    browser.get(page)
    try instance.tap(person)
    browser.post(page, ["button": "reached"])
    #expect(browser.cookie("toast") == "toast.reached_over")
    let calm = browser.get(page)
    #expect(calm.shows("There’s no alert about Mei. The last one ended on 5 March 2026, 20:01"))
    #expect(try instance.number("SELECT count(*) FROM contact_mails WHERE kind = 'reached'") == 0)
    instance.clock.advance(seconds: 8 * 86_400)
    #expect(!browser.get(page).shows("The last one ended"))
  }

  @Test("A contact who got no alert sees none, and cannot end it for others")
  func notTold() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    try instance.goQuiet()
    try instance.add(["late"], to: person)
    try instance.work()
    let (browser, page) = (instance.browser(), try instance.contactPage("late"))
    #expect(browser.get(page).shows("There’s no alert about Mei."))
    browser.post(page, ["button": "reached"])
    #expect(browser.cookie("toast") == "toast.reached_over")
    #expect(try instance.number("SELECT count(*) FROM alerts WHERE reached_at IS NOT NULL") == 0)
    try instance.tap(person)
    #expect(!browser.get(page).shows("The last one ended"))
  }

  @Test("The others never see an address, even where it was given as a name")
  func addressAsName() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming", "lin"])
    try instance.goQuiet()
    try instance.database.write {
      try $0.execute(
        "UPDATE emergency_contacts SET name = 'ming@example.test' WHERE name = 'Ming'")
    }
    instance.browser().post(try instance.contactPage(), ["button": "reached"])
    let shown = instance.browser().get(try instance.contactPage("lin"))
    #expect(shown.shows("Another contact told us on") && !shown.shows("@example.test"))
    let mail = try #require(try instance.mails(to: "lin@example.test").last)
    #expect(mail.subject == "[PairSpot] Another contact has reached Mei")
  }

  // MARK: No longer a contact

  @Test("A removed contact keeps the page until the end of the alert received")
  func removed() throws {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try instance.goQuiet()
    let (browser, page) = (instance.browser(), try instance.contactPage())
    let ming = try instance.contact("ming")
    try instance.database.write {
      try ContactService(services: instance.checkIn).remove(ming, now: instance.clock.now(), in: $0)
    }
    let shown = browser.get(page)
    #expect(isShown(shown, "Mei has removed you as a contact"))
    #expect(shown.shows("value=\"reached\"") && !shown.shows("weekly-on"))
    browser.post(page, ["button": "weekly-on"])
    #expect(try instance.contact("ming").weeklyAt == nil)
    try instance.tap(person)
    let gone = browser.get(page)
    #expect(gone.status == 410 && gone.shows("You’re no longer a contact"))
    #expect(!gone.names("Mei"))
    #expect(browser.post(page, ["button": "reached"]).status == 410)
    // Until the user can no longer restore the contact.
    #expect(browser.get("\(page)/stop").status == 200)
    instance.clock.advance(seconds: 31 * 86_400)
    try instance.work()
    #expect(browser.get("\(page)/stop").status == 410)
    // A mail program only needs a success status.
    let oneClick = browser.plainPost("\(page)/stop", [("List-Unsubscribe", "One-Click")])
    #expect(oneClick.status == 200 && oneClick.shows("You’re no longer a contact"))
  }

  @Test("A contact removed without an alert has no page behind the link")
  func removedInPeace() throws {
    let instance = try TestInstance()
    try instance.watched()
    let (page, ming) = (try instance.contactPage(), try instance.contact("ming"))
    try instance.database.write {
      try ContactService(services: instance.checkIn).remove(ming, now: instance.clock.now(), in: $0)
    }
    #expect(instance.browser().get(page).status == 410)
  }

  @Test("The page shows nothing about a deleted user, but refusing still works")
  func left() throws {
    let instance = try TestInstance()
    let person = try instance.watched()
    let page = try instance.contactPage()
    try instance.database.write {
      try $0.execute(
        "UPDATE users SET deleted_at = \(instance.clock.now()) WHERE id = \(person)")
    }
    let gone = instance.browser().get(page)
    #expect(gone.status == 410 && !gone.names("Mei"))
    #expect(instance.browser().post("\(page)/stop", ["button": "stop"]).status == 303)
    #expect(try instance.contact("ming").state == .refused)
  }

  // MARK: Texts

  @Test("It speaks the browser's language, else the one that the person chose for their contacts")
  func language() throws {
    let instance = try TestInstance()
    try instance.watched()
    try instance.database.write {
      try $0.execute("UPDATE checkin_settings SET contact_language = 'zh-Hans'")
    }
    let page = try instance.contactPage()
    for path in [page, "\(page)/stop"] {
      #expect(instance.browser().get(path).shows("<html lang=\"zh-Hans\""))
      #expect(
        instance.browser().get(path, headers: [.acceptLanguage: "fr, zh-TW;q=0.5"])
          .shows("<html lang=\"zh-Hant\""))
      #expect(
        instance.browser().get(path, headers: [.acceptLanguage: "en"]).shows("<html lang=\"en\""))
    }
    #expect(instance.browser().get(page).shows("您是 Mei 设置的紧急联系人。"))
  }

  @Test(
    "No name breaks the page", arguments: CheckInMailerTests.hostileNames)
  func hostile(_ name: String) throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming", "lin"])
    // No form takes U+0000, and PostgreSQL doesn't store it.
    let stored = name.replacing("\0", with: "")
    try instance.database.write {
      try $0.execute("UPDATE users SET display_name = \(stored) WHERE display_name = 'Mei'")
      try $0.execute("UPDATE emergency_contacts SET name = \(stored) WHERE name = 'Ming'")
    }
    try instance.goQuiet()
    instance.browser().post(try instance.contactPage(), ["button": "reached"])
    for contact in ["ming", "lin"] {
      let answer = instance.browser().get(try instance.contactPage(contact))
      #expect(answer.status == 200 && answer.shows("told us on"))
      // User input that looks like a template is shown as typed.
      #expect(!answer.shows("<script>alert"))
      #expect(answer.shows("{{link}}") == name.contains("{{link}}"))
      #expect(!answer.text.unicodeScalars.contains { 0x202A...0x202E ~= $0.value })
    }
  }
}
