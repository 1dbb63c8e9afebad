import Core
import Foundation
import Mail
import Templates
import Testing

@testable import App
@testable import CheckIn

/// The mails as sent, in all languages and with all kinds of names.
@Suite("The mails of the check-in")
struct CheckInMailerTests {
  static let base = "https://pairspot.example"
  static let mailer: CheckInMailer = {
    let folder = TestInstance.checkout.appending(path: "templates").path
    do {
      let catalogues = try Catalogues(directory: folder + "/locales")
      let templates = try TemplateSet(directory: folder, catalogues: catalogues)
      return try CheckInMailer(templates: templates, catalogues: catalogues, baseURL: base)
    } catch {
      fatalError("\(error)")
    }
  }()

  enum Kind: CaseIterable {
    case introduction, alert, allClear, reached, weekly, reminder, evening, hourBefore, outage
    case exercise, timerAlert, timerWarning, timerEnd

    var isForContact: Bool {
      [.introduction, .alert, .allClear, .reached, .weekly, .exercise, .timerAlert].contains(self)
    }

    private static func withTimer(_ model: CheckInMailModel) -> CheckInMailModel {
      var model = model
      model.timerEnd = model.alertAt
      return model
    }

    func written(_ model: CheckInMailModel, _ language: Language) -> MailContent {
      let mailer = CheckInMailerTests.mailer
      return switch self {
      case .introduction: mailer.introduction(model, in: language)
      case .alert: mailer.alert(model, in: language)
      case .allClear: mailer.allClear(model, in: language)
      case .reached: mailer.reached(model, in: language)
      case .weekly: mailer.weekly(model, in: language)
      case .reminder: mailer.reminder(model, in: language)
      case .evening: mailer.warning(model, in: language, isLast: false)
      case .hourBefore: mailer.warning(model, in: language, isLast: true)
      case .outage: mailer.afterOutage(model, in: language)
      case .exercise: mailer.exercise(model, in: language)
      case .timerAlert: mailer.alert(Self.withTimer(model), in: language)
      case .timerWarning: mailer.timer(Self.withTimer(model), in: language, isLast: false)
      case .timerEnd: mailer.timer(Self.withTimer(model), in: language, isLast: true)
      }
    }
  }

  /// 2026-01-13 09:05 in Taipei; the user was last seen on the 10th.
  static func model(_ name: String = "小美", contact: String = "阿明") -> CheckInMailModel {
    let zone = TimeZone(identifier: "Asia/Taipei") ?? .gmt
    let last = LocalDay("2026-01-10") ?? LocalDay(number: 0)
    var model = CheckInMailModel(
      name: name, contactName: contact,
      zone: PersonTimeZone(kept: AccountTimeZone(name: "Asia/Taipei"), site: "UTC"),
      now: last.adding(days: 3).instant(minute: 545, in: zone))
    model.missedDays = 2
    model.lastSeen = last.instant(minute: 480, in: zone)
    model.note = "Keys: downstairs\nThe cat is <b>Momo</b>"
    model.alertAt = last.adding(days: 3).instant(minute: 540, in: zone)
    model.reachedBy = "Lin"
    model.daysOfWeek = 5
    model.path = "/c/TOKEN"
    model.stopPath = "/c/TOKEN/stop"
    return model
  }

  static let hostileNames = [
    "Ann \"Quote\" O'Neil", "Eve\r\nBcc: all@evil.test\r\n\r\nHello", "👨‍👩‍👧 🎉", "\u{202E}live\u{202C}",
    "\u{2067}דנה\u{2069}", "محمد\u{200F}", "<script>alert(1)</script>", "{{link}} {{{stop}}}",
    "Subject: you won", "http://evil.test/x", "www.evil.test", "  spaced  ", "\u{200B}\u{2060}", "",
    "&amp; &lt;b&gt;", "-- ", ".", String(repeating: "長", count: 50),
    String(repeating: "é\u{301}", count: 50), "{name}", "a\u{2028}b\u{0}c\u{85}d",
  ]

  // MARK: Prescribed texts

  @Test("The alert in simplified Chinese has the prescribed text, word for word")
  func seed() {
    let content = Self.mailer.alert(Self.model(), in: .simplifiedChinese)
    #expect(content.subject == "[一键打卡] 关于 小美 的签到提醒")
    #expect(
      content.text.hasPrefix(
        """
        您好，

        您是 小美 设置的紧急联系人。

        小美 已连续 2 天未在"一键打卡"应用中签到。

        这是一封自动提醒邮件，请您在方便时确认 TA 的状态。

        此致
        一键打卡团队

        """))
  }

  @Test("The same in traditional Chinese and English")
  func otherLanguages() {
    let traditional = Self.mailer.alert(Self.model(), in: .traditionalChinese)
    #expect(traditional.subject == "[一鍵打卡] 關於 小美 的簽到提醒")
    #expect(traditional.text.contains("小美 已連續 2 天未在「一鍵打卡」應用程式中簽到。"))
    let english = Self.mailer.alert(Self.model("Ann"), in: .english)
    #expect(english.subject == "[PairSpot] About Ann's check-in")
    #expect(english.text.contains("Ann hasn’t checked in on PairSpot for 2 days in a row."))
  }

  @Test("One missed day is not “1 days”")
  func plural() {
    var model = Self.model("Ann")
    model.missedDays = 1
    model.daysOfWeek = 1
    #expect(Self.mailer.alert(model, in: .english).text.contains("for 1 day."))
    model.missedDays = 1234
    #expect(Self.mailer.alert(model, in: .english).text.contains("for 1,234 days"))
  }

  @Test("The alert has the time when the user was last seen, in the user's city")
  func lastSeen() {
    let english = Self.mailer.alert(Self.model(), in: .english)
    #expect(english.text.contains("Last check-in: 10 January 2026, 08:00 (Taipei time)"))
    #expect(english.html.contains("Last check-in: 10 January 2026, 08:00 (Taipei time)"))
    var model = Self.model()
    model.lastSeen = nil
    #expect(!Self.mailer.alert(model, in: .english).text.contains("Last check-in"))
  }

  // MARK: The note

  @Test("The note goes into alerts alone, with its lines, as text", arguments: Kind.allCases)
  func note(_ kind: Kind) {
    for language in Language.allCases {
      let content = kind.written(Self.model(), language)
      let isAlert = kind == .alert || kind == .timerAlert
      #expect(content.text.contains("Keys: downstairs") == isAlert)
      #expect(content.html.contains("Keys: downstairs") == isAlert)
      #expect(!content.html.contains("<b>"))
    }
    guard kind == .alert else { return }
    let content = kind.written(Self.model(), .english)
    #expect(content.text.contains("\n> Keys: downstairs\n> The cat is <b>Momo</b>\n"))
    #expect(content.html.contains("Keys: downstairs<br>The cat is &lt;b&gt;Momo&lt;/b&gt;<br>"))
  }

  @Test("Without a note the mail does not mention one")
  func noNote() {
    var model = Self.model("Ann")
    model.note = " \n "
    let content = Self.mailer.alert(model, in: .english)
    #expect(!content.text.contains("left this note") && !content.html.contains("left this"))
    #expect(!content.text.contains("\n>"))
  }

  @Test("A note cannot imitate our text: each of its lines is marked, at most 500 characters kept")
  func longNote() {
    var model = Self.model()
    model.note = "a\r\n-- \r\nhttps://evil.test/c/1\n\n" + String(repeating: "x", count: 900)
    let content = Self.mailer.alert(model, in: .english)
    #expect(content.text.contains("\n> a\n> -- \n> https://evil.test/c/1\n> \n> xxx"))
    #expect(!content.text.contains("\r"))
    #expect(content.text.count { $0 == "x" } < 500)
    #expect(!content.html.contains("href=\"https://evil.test"))
  }

  // MARK: Links and headers

  @Test("Text and HTML lead to the same places", arguments: Kind.allCases)
  func links(_ kind: Kind) {
    for language in Language.allCases {
      let content = kind.written(Self.model(), language)
      #expect(content.text.contains("\n\(Self.base)/c/TOKEN\n"))
      #expect(content.html.contains("href=\"\(Self.base)/c/TOKEN\""))
      #expect(content.text.contains("\n\(Self.base)/c/TOKEN/stop\n") == kind.isForContact)
      #expect(content.html.contains("href=\"\(Self.base)/c/TOKEN/stop\"") == kind.isForContact)
    }
  }

  @Test(
    "Every contact can refuse with one click of a mail program (RFC 8058)",
    arguments: Kind.allCases)
  func oneClick(_ kind: Kind) {
    let content = kind.written(Self.model(), .english)
    let expected =
      kind.isForContact
      ? [
        MailMessage.Header("List-Unsubscribe", "<\(Self.base)/c/TOKEN/stop>"),
        MailMessage.Header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
      ] : []
    #expect(content.headers == expected)
  }

  // MARK: Languages

  @Test("Nothing is left untranslated or unfilled", arguments: Kind.allCases)
  func translated(_ kind: Kind) {
    for language in Language.allCases {
      let content = kind.written(Self.model("Ann", contact: "Lin"), language)
      #expect(content.language == language)
      for part in [content.subject, content.text, content.html] {
        #expect(!part.contains("{{") && !part.contains("_mail.") && !part.contains("t.mail"))
      }
      for part in [content.subject, content.text] {
        #expect(!part.contains("{") && !part.contains("}"), "\(part)")
        let chinese = part.unicodeScalars.contains { 0x4E00...0x9FFF ~= $0.value }
        #expect(chinese == (language != .english), "\(part)")
      }
      #expect(content.subject.hasPrefix(language == .english ? "[PairSpot] " : "[一"))
      #expect(content.html.contains("<html lang=\"\(language.rawValue)\">"))
    }
  }

  @Test("All paragraphs of a text are separate, and none is empty", arguments: Kind.allCases)
  func layout(_ kind: Kind) {
    for language in Language.allCases {
      let text = kind.written(Self.model(), language).text
      #expect(!text.contains("\n\n\n\n") && !text.hasPrefix("\n"), "\(text)")
    }
  }

  // MARK: Hostile names

  @Test("No name breaks a subject, a text or the HTML", arguments: hostileNames)
  func hostile(_ name: String) {
    for kind in Kind.allCases {
      for language in Language.allCases {
        var model = Self.model(name, contact: name)
        model.reachedBy = name
        model.note = ""
        let content = kind.written(model, language)
        let turns: Set<Unicode.Scalar> = [
          "\u{202A}", "\u{202B}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}", "\u{2028}",
        ]
        #expect(content.subject == content.subject.asOneLine)
        #expect(content.subject.hasPrefix("["))
        for part in [content.subject, content.text, content.html] {
          #expect(!part.unicodeScalars.contains { turns.contains($0) })
          #expect(!part.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
          // Every opened direction isolate is closed.
          let opened = part.unicodeScalars.count { $0 == "\u{2068}" }
          #expect(opened == part.unicodeScalars.count { $0 == "\u{2069}" })
        }
        #expect(!content.html.contains("<script") && !content.html.contains("<b>"))
        #expect(!content.text.contains("\nBcc:"))
        #expect(!content.text.contains("http://evil.test"))
        #expect(!content.text.contains("www.evil.test") && !content.html.contains("www.evil.test"))
        // Names are not parsed as templates.
        let links = content.text.components(separatedBy: "/c/TOKEN").count
        let plain = kind.written(Self.withoutNote(), language).text
        #expect(links == plain.components(separatedBy: "/c/TOKEN").count)
        #expect(content.headers == kind.written(Self.model(), language).headers)
      }
    }
  }

  private static func withoutNote() -> CheckInMailModel {
    var model = model()
    model.note = ""
    return model
  }

  @Test("A name in which nothing can be seen gets a word in its place")
  func invisible() {
    for name in ["", "  ", "\u{200B}\u{2060}", "\u{202E}"] {
      let content = Self.mailer.alert(Self.model(name, contact: name), in: .english)
      #expect(content.subject == "[PairSpot] About someone's check-in")
      #expect(content.text.contains("You’re an emergency contact for someone."))
      #expect(
        Self.mailer.weekly(Self.model(name, contact: name), in: .english).text
          .hasPrefix("Hello,\n"))
    }
  }

  @Test("A name from right to left is kept apart in bodies, and untouched in subjects")
  func rightToLeft() {
    let content = Self.mailer.alert(Self.model("דנה"), in: .english)
    #expect(content.subject == "[PairSpot] About דנה's check-in")
    #expect(content.text.contains("contact for \u{2068}דנה\u{2069}."))
    #expect(!Self.mailer.alert(Self.model("Ann"), in: .english).text.contains("\u{2068}"))
  }

  @Test("A name that looks like an address is made unclickable, and is read the same")
  func unlinked() {
    let content = Self.mailer.introduction(Self.model("see evil.test/a@b"), in: .english)
    #expect(content.text.contains("see evil.\u{2060}test/a@\u{2060}b checks in"))
    #expect(!content.html.contains("evil.test"))
    let plain = Self.mailer.introduction(Self.model("Dr. Who"), in: .english)
    #expect(plain.text.contains("Dr. Who checks in"))
  }

  // MARK: Each mail's own texts

  @Test("The introduction has the number of days, and the hour and city of the mail")
  func introduction() {
    var model = Self.model("Ann")
    model.threshold = 3
    model.alertMinute = 19 * 60 + 15
    let content = Self.mailer.introduction(model, in: .english)
    #expect(content.text.contains("misses 3 days in a row"))
    #expect(content.text.contains("at 19:15 (Taipei time)"))
  }

  @Test("The contact who has reached the user is named, but never by address")
  func reachedBy() {
    var model = Self.model("Ann")
    let content = Self.mailer.reached(model, in: .english)
    #expect(content.subject == "[PairSpot] Lin has reached Ann")
    model.reachedBy = "lin@example.test"
    let nameless = Self.mailer.reached(model, in: .english)
    #expect(nameless.subject == "[PairSpot] Another contact has reached Ann")
    #expect(!(nameless.text + nameless.html).contains("lin@"))
  }

  @Test("A week is called well only when it was")
  func weekly() {
    var model = Self.model("Ann")
    model.missedDays = 0
    model.daysOfWeek = 7
    let good = Self.mailer.weekly(model, in: .english)
    #expect(good.subject == "[PairSpot] All well with Ann")
    #expect(
      good.text.contains("checked in on 7 of the last 7 days. Their last check-in was on 10 Jan"))
    model.daysOfWeek = 0
    model.lastSeen = nil
    let quiet = Self.mailer.weekly(model, in: .english)
    #expect(quiet.subject == "[PairSpot] Ann’s week")
    #expect(quiet.text.contains("didn’t check in during the last 7 days.\n"))
    model.daysOfWeek = 4
    model.missedDays = 2
    #expect(Self.mailer.weekly(model, in: .english).subject == "[PairSpot] Ann’s week")
  }

  @Test("The last warning is another than the one in the evening; both say when mail goes out")
  func warnings() {
    for language in Language.allCases {
      let evening = Kind.evening.written(Self.model(), language)
      let last = Kind.hourBefore.written(Self.model(), language)
      #expect(evening.subject != last.subject)
      for content in [evening, last, Kind.outage.written(Self.model(), language)] {
        #expect(
          content.text.contains(language == .english ? "2026, 09:00 (Taipei" : "日 09:00（台北"))
      }
      var model = Self.model()
      model.alertAt = nil
      model.lastSeen = nil
      #expect(!Kind.evening.written(model, language).text.contains("Taipei"))
    }
  }

  @Test("A mail survives transport by a mail server: no headers can be injected")
  func message() throws {
    for name in Self.hostileNames {
      let content = Self.mailer.alert(Self.model(name), in: .simplifiedChinese)
      let message = MailMessage(
        fromName: "PairSpot", from: try MailAddress("from@pairspot.example"),
        to: try MailAddress("to@example.test"), subject: content.subject, text: content.text,
        html: content.html, messageID: "1@pairspot.example", date: Self.model().now,
        language: content.language, headers: content.headers)
      let head = String(decoding: message.rendered(), as: UTF8.self)
        .components(separatedBy: "\r\n\r\n")[0]
      let names = head.components(separatedBy: "\r\n").filter { !$0.hasPrefix(" ") }
        .map { $0.prefix { $0 != ":" } }
      #expect(
        names == [
          "From", "To", "Subject", "Date", "Message-ID", "List-Unsubscribe",
          "List-Unsubscribe-Post", "Auto-Submitted", "Content-Language", "MIME-Version",
          "Content-Type",
        ])
      #expect(head.contains("\r\nList-Unsubscribe: <\(Self.base)/c/TOKEN/stop>\r\n"))
    }
  }
}
