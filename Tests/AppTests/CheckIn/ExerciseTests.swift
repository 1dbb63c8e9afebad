import Core
import Database
import Foundation
import Testing

@testable import App
@testable import CheckIn

@Suite("Exercises with contacts")
struct ExerciseTests {
  @Test("An exercise is mailed to all contacts, says at once what it is, and is no alert")
  func all() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming", "lin"])
    try instance.work()
    let mei = try instance.signedIn("mei")
    #expect(mei.get("/checkin/contacts").shows("every 90 days"))
    mei.post("/checkin/contacts", ["exercise": "all"])
    #expect(mei.cookie("toast") == "toast.exercise_sent")
    for name in ["ming", "lin"] {
      let mails = try instance.mails(to: "\(name)@example.test")
      let mail = try #require(mails.first { $0.subject.contains("Exercise") })
      #expect(mail.subject == "[PairSpot] Exercise: about Mei’s check-in")
      #expect(mail.text.contains("This is an exercise: Mei is fine."))
      #expect(mail.text.contains(try instance.contactPage(name)))
    }
    let page = mei.get("/checkin/contacts")
    #expect(page.shows("no answer yet") && !page.shows("every 90 days"))
    #expect(try instance.number("SELECT count(*) FROM alerts") == 0)
    #expect(!mei.get("/checkin").shows("alerted"))
  }

  @Test("A contact answers on their page, and the user sees when")
  func answer() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming", "lin"])
    let mei = try instance.signedIn("mei")
    mei.get("/checkin/contacts")
    mei.post("/checkin/contacts/\(try instance.contact("ming").id)", ["exercise": "1"])
    let lin = instance.browser()
    #expect(!lin.get(try instance.contactPage("lin")).shows("This is an exercise"))
    lin.post(try instance.contactPage("lin"), ["button": "exercise"])
    #expect(try instance.contact("lin").answeredAt == nil)
    let (ming, own) = (instance.browser(), try instance.contactPage("ming"))
    #expect(ming.get(own).shows("This is an exercise"))
    ming.post(own, ["button": "exercise"])
    #expect(ming.cookie("toast") == "toast.exercise_answered")
    #expect(!ming.get(own).shows("This is an exercise"))
    #expect(mei.get("/checkin/contacts").shows("Answered the exercise on"))
    #expect(mei.get("/checkin/record").shows("Ming answered the exercise."))
  }

  @Test("After a week without an answer the user is told so, and the contact is no longer asked")
  func unanswered() throws {
    let instance = try TestInstance()
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    mei.get("/checkin/contacts")
    mei.post("/checkin/contacts", ["exercise": "all"])
    instance.clock.advance(seconds: .days(7))
    #expect(mei.get("/checkin/contacts").shows("Didn’t answer the exercise of"))
    #expect(!instance.browser().get(try instance.contactPage("ming")).shows("This is an exercise"))
  }

  @Test("It goes by proven channels too, at once")
  func channels() throws {
    let sender = RecordingSender()
    let offers = """
      [{"name": "sms", "label": {"en": "SMS", "zh-Hant": "簡訊", "zh-Hans": "短信"},
        "url": "json://sms.example/{to}", "to": "\\\\+[0-9]{8,15}", "example": "+886912345678"}]
      """
    let instance = try TestInstance(
      channels: (try ChannelOffers(json: Data(offers.utf8)), sender))
    try instance.watched(by: ["ming"])
    let ming = try instance.contact("ming")
    try instance.database.write { writer in
      for (second, recipient) in ["+886911111111", "+886922222222"].enumerated() {
        try instance.checkIn.channels.add(
          ID<ContactChannel>(now: instance.clock.now().adding(seconds: Int64(second))), to: ming,
          offer: "sms", recipient: recipient, in: writer)
      }
      try writer.execute(
        """
        UPDATE contact_channels SET proven_at = 0
        WHERE id = (SELECT min(id) FROM contact_channels)
        """)
    }
    let mei = try instance.signedIn("mei")
    mei.get("/checkin/contacts")
    mei.post("/checkin/contacts", ["exercise": "all"])
    try instance.instance.features.checkIn.channelDispatcher.sendDue()
    #expect(sender.sent.map(\.url) == ["json://sms.example/%2B886911111111"])
    #expect(sender.sent.first?.body.hasPrefix("Exercise: Mei is fine") == true)
  }

  @Test("Ten a day; contacts who cannot be reached get none; those of others are not found")
  func limits() throws {
    let instance = try TestInstance(limits: true)
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    mei.get("/checkin/contacts")
    for _ in 0..<10 {
      #expect(mei.post("/checkin/contacts", ["exercise": "all"]).status == 303)
    }
    #expect(mei.post("/checkin/contacts", ["exercise": "all"]).status == 429)
    let ming = try instance.contact("ming").id
    try instance.database.write {
      try instance.checkIn.contacts.setState(.refused, of: ming, in: $0)
    }
    mei.post("/checkin/contacts", ["exercise": "all"])
    #expect(mei.cookie("toast") == "toast.exercise_no_one")
    try instance.watched("jun", by: ["lin"])
    let jun = try instance.signedIn("jun")
    jun.get("/checkin/contacts")
    #expect(jun.post("/checkin/contacts/\(ming)", ["exercise": "1"]).status == 404)
  }
}

@Suite("The sheet for contacts")
struct SheetTests {
  private func instance(_ sheet: String = "Keys: next door\nCat: Miso") throws -> TestInstance {
    let instance = try TestInstance()
    let person = try instance.watched(by: ["ming", "lin"])
    try instance.database.write { writer in
      var settings = try instance.checkIn.monitors.settings(of: person, in: writer)
      settings?.sheet = sheet
      if let settings { try instance.checkIn.monitors.save(settings, of: person, in: writer) }
    }
    return instance
  }

  @Test("It can be read while an alert is open, and the user sees who has")
  func open() throws {
    let instance = try instance()
    let (ming, own) = (instance.browser(), try instance.contactPage("ming"))
    #expect(!ming.get(own).shows("information sheet"))
    #expect(!ming.post(own, ["button": "sheet"]).shows("Miso"))
    try instance.goQuiet()
    let page = ming.get(own)
    #expect(page.shows("Read Mei’s information sheet") && !page.shows("Miso"))
    for _ in 0..<3 {
      let shown = ming.post(own, ["button": "sheet"])
      #expect(shown.status == 200 && shown.shows("Keys: next door<br>Cat: Miso"))
      #expect(shown.headers[.cacheControl] == "no-store")
    }
    let mei = try instance.signedIn("mei")
    let record = mei.get("/checkin/record").text
    #expect(record.components(separatedBy: "Ming read your information sheet").count == 2)
    try instance.tap(instance.person("Mei"))
    #expect(!ming.post(own, ["button": "sheet"]).shows("Miso"))
  }

  @Test("Mails only say that there is one, and a former partner who is not confirmed has none")
  func asked() throws {
    let instance = try instance()
    let ming = try instance.contact("ming").id
    try instance.database.write {
      try instance.checkIn.contacts.setAccount(
        nil, confirmationRequestedAt: instance.clock.now(), of: ming, in: $0)
    }
    try instance.goQuiet()
    #expect(try !instance.allMails().contains { $0.text.contains("Miso") })
    for (name, isTold) in [("ming", false), ("lin", true)] {
      let mail = try #require(try instance.mails(to: "\(name)@example.test").last)
      let words = "Mei left an information sheet for you. Read it on your page."
      #expect(mail.visibleText.contains(words) == isTold, "\(name)")
    }
    let (browser, own) = (instance.browser(), try instance.contactPage("ming"))
    #expect(!browser.get(own).shows("information sheet"))
    #expect(!browser.post(own, ["button": "sheet"]).shows("Miso"))
  }

  @Test("A contact who was removed while the alert is open cannot read it")
  func removed() throws {
    let instance = try instance()
    try instance.goQuiet()
    let ming = try instance.contact("ming")
    let (browser, own) = (instance.browser(), try instance.contactPage("ming"))
    try instance.database.write {
      try ContactService(services: instance.checkIn).remove(ming, now: instance.clock.now(), in: $0)
    }
    #expect(!browser.get(own).shows("information sheet"))
    #expect(!browser.post(own, ["button": "sheet"]).shows("Miso"))
  }

  @Test("A contact who was not notified cannot read it")
  func notNotified() throws {
    let instance = try instance()
    let person = try instance.person("Mei")
    try instance.database.write { writer in
      var settings = try #require(try instance.checkIn.monitors.settings(of: person, in: writer))
      settings.contactPause = 60
      try instance.checkIn.monitors.save(settings, of: person, in: writer)
    }
    try instance.goQuiet()
    let (browser, own) = (instance.browser(), try instance.contactPage("lin"))
    browser.get(own)
    #expect(!browser.post(own, ["button": "sheet"]).shows("Miso"))
  }

  @Test("It is saved by the settings, with its limit, and kept when it is too long")
  func settings() throws {
    let instance = try TestInstance()
    let browser = try instance.checkedInMember()
    var form = [
      "threshold_days": "2", "alert_time": "09:00", "reminder_time": "", "paused_until": "",
      "contact_language": "en", "note": "", "contact_pause": "", "sheet": "Doctor: Lin",
    ]
    browser.get("/checkin/settings")
    #expect(browser.post("/checkin/settings", all: form.map { ($0, $1) }).status == 303)
    #expect(browser.get("/checkin/settings").shows("Doctor: Lin</textarea>"))
    form["sheet"] = String(repeating: "長", count: 3001)
    let wrong = browser.post("/checkin/settings", all: form.map { ($0, $1) })
    #expect(wrong.status == 422 && wrong.shows("The sheet has 3001 characters."))
    #expect(wrong.shows("長長長"))
    #expect(try instance.settings(of: instance.person("Sam"))?.sheet == "Doctor: Lin")
    let stored = try instance.database.read {
      try $0.value("SELECT sheet_sealed FROM checkin_settings", as: [UInt8].self)
    }
    #expect(!String(decoding: try #require(stored), as: UTF8.self).contains("Doctor"))
  }
}
