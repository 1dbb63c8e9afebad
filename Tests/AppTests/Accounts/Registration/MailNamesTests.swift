import Core
import Foundation
import Mail
import Templates
import Testing

@testable import Accounts
@testable import App
@testable import CheckIn
@testable import Moderation

@Suite("Names in mails")
struct MailNamesTests {
  fileprivate static let base = "https://pairspot.example"
  fileprivate static let link = base + "/link"
  private static let folder = TestInstance.checkout.appending(path: "templates").path

  /// Mails whose names `CheckInMailer` writes; `CheckInMailerTests` renders them, too.
  fileprivate static let checkIn = [
    "checkin/contact-introduction", "checkin/contact-alert", "checkin/contact-all-clear",
    "checkin/contact-reached",
    "checkin/contact-weekly", "checkin/checkin-reminder", "checkin/checkin-warning",
    "checkin/checkin-after-outage", "exercises/contact-exercise", "timers/contact-timer",
    "timers/timer-warning",
  ]

  /// Renders every mail with one text in all values that users choose.
  private struct Mails {
    let templates: TemplateSet
    let name: String
    let language: Language
    var written: [String: MailContent] = [:]

    mutating func write<V: View>(_ kinds: [String], _ view: V) throws {
      for kind in kinds {
        written[kind] = try MailTemplate<V>(kind, templates: templates).written(view, in: language)
      }
    }

    mutating func writeAll() throws {
      try write(
        [
          "registration/verify-partner-a", "registration/verify-partner-b",
          "registration/verify-alone", "registration/pair-invitation-existing",
          "registration/already-in-couple", "registration/already-registered",
          "registration/couple-active", "accounts/password-reset",
          "accounts/password-changed",
        ],
        AccountMail(
          link: MailNamesTests.link, baseURL: MailNamesTests.base, coupleName: name, name: name,
          hours: 24))
      try write(
        [
          "couples/pair-invitation", "couples/pair-taken", "couples/couple-parted",
          "couples/parting-undo-asked",
          "couples/parting-undone", "couples/parting-final",
        ],
        PairMail(
          link: MailNamesTests.link, baseURL: MailNamesTests.base, name: name, partner: name,
          coupleName: name, days: 7))
      try write(
        ["accounts/account-deleted", "accounts/account-restored"],
        AccountDeletionMail(
          link: MailNamesTests.link, baseURL: MailNamesTests.base, name: name, until: "1 May"))
      try write(
        [
          "settings/email-verify", "settings/email-taken", "settings/email-changed",
          "settings/email-brought-back",
        ],
        EmailChangeMail(
          link: MailNamesTests.link, baseURL: MailNamesTests.base, name: name, address: name,
          hours: 1, days: 7))
      try write(
        ["accounts/second-factor"],
        SecondFactorMail(
          change: .turnedOn, name: name, link: MailNamesTests.link, baseURL: MailNamesTests.base))
      try write(
        ["accounts/confirm-code", "accounts/device-released"],
        SecurityMail(
          link: MailNamesTests.link, baseURL: MailNamesTests.base, name: name, code: "123456",
          action: "a",
          device: name))
      try write(
        ["accounts/provider"],
        ProviderMail(
          provider: "Club", isLinked: true, name: name, link: MailNamesTests.link,
          baseURL: MailNamesTests.base))
      try write(
        ["staff/reports-waiting"],
        ModeratorMail(
          name: name, count: 2, link: MailNamesTests.link, baseURL: MailNamesTests.base))
      try write(
        ["watchman/server-silent"],
        WatchmanMail(baseURL: MailNamesTests.base, isBack: false, minutes: 120, alerts: 1))
      try write(["staff/trial"], TestMail(baseURL: MailNamesTests.base))
      var model = CheckInMailerTests.model(name, contact: name)
      model.reachedBy = name
      model.note = ""
      let view = CheckInMail(
        model: model, baseURL: MailNamesTests.base, name: name, reachedBy: name, alertTime: "09:00",
        zone: "Taipei time", lastSeen: "", lastDay: "", alertAt: "", timerEnd: "", placeAt: "",
        silentSince: "", isLast: false)
      try write(MailNamesTests.checkIn, view)
    }
  }

  private static func all(_ name: String, _ language: Language) throws -> [String: MailContent] {
    let catalogues = try Catalogues(directory: folder + "/locales")
    let templates = try TemplateSet(directory: folder, catalogues: catalogues)
    var mails = Mails(templates: templates, name: name, language: language)
    try mails.writeAll()
    return mails.written
  }

  @Test("Every mail is looked at")
  func complete() throws {
    let files = try FileManager.default.subpathsOfDirectory(atPath: Self.folder + "/mail")
    let kinds = files.filter { $0.hasSuffix(".subject.mustache") }
      .map { String($0.dropLast(".subject.mustache".count)) }
    #expect(try Self.all("Ann", .english).keys.sorted() == kinds.sorted())
  }

  @Test(
    "No mail holds a link that a person put into a name",
    arguments: ["https://evil.test/x", "www.evil.test", "win@evil.test", "evil。test now"])
  func links(_ name: String) throws {
    for language in Language.allCases {
      for (kind, mail) in try Self.all(name, language) {
        #expect(!mail.text.contains(name), "\(kind): \(mail.text)")
        #expect(!mail.html.contains(name), "\(kind): \(mail.html)")
        #expect(!mail.html.contains("href=\"\(name)"), "\(kind)")
        guard !Self.checkIn.contains(kind) else { continue }
        #expect(!mail.subject.contains(name), "\(kind): \(mail.subject)")
      }
    }
  }

  @Test("A name that runs from right to left turns nothing but itself")
  func direction() throws {
    for (kind, mail) in try Self.all("דנה", .english) {
      for text in [mail.text, mail.html] where text.contains("דנה") {
        #expect(!text.replacing("\u{2068}דנה\u{2069}", with: "").contains("דנה"), "\(kind)")
      }
    }
  }

  @Test("Invited people read no link in the name of the couple that registered them")
  func registered() throws {
    let instance = try TestInstance()
    let browser = instance.browser()
    browser.get("/register")
    let answer = browser.post(
      "/register",
      [
        "email_a": "one@example.test", "email_b": "two@example.test",
        "couple_name": "See http://evil.test/x", "anniversary": "2020-01-01", "accept": "1",
      ])
    #expect(answer.status == 303)
    let mail = try #require(try instance.mails(to: "two@example.test").last)
    #expect(mail.text.contains("See http:"))
    #expect(!mail.text.contains("http://evil") && !mail.text.contains("evil.test"))
    #expect(!mail.subject.contains("evil.test"))
  }
}
