import Testing

@testable import App

@Suite("Answers of a setup")
struct SetupAnswersTests {
  private static let given = [
    "PAIRSPOT_BASE_URL": "https://pairspot.example", "FROM_EMAIL": "hello@pairspot.example",
    "SMTP_HOST": "mail.example",
  ]

  private func answers(_ text: String = "") -> SetupAnswers {
    SetupAnswers(
      settings: SettingsFile(text: text), environment: [:],
      defaults: ["PAIRSPOT_SHARE": TestInstance.checkout.path, "PAIRSPOT_DATA": "/nowhere"])
  }

  @Test("Without questions, what is not given gets its usual value")
  func noInput() throws {
    var answers = answers()
    try answers.fill(given: Self.given) { _, _, _ in nil }
    #expect(answers.settings["PAIRSPOT_TLS"] == "acme")
    #expect(answers.settings["PAIRSPOT_MAIL"] == "smtp")
    #expect(answers.settings["SMTP_TLS"] == "starttls")
    #expect(answers.settings["SMTP_PASSWORD"] == nil)
    #expect(try answers.configuration().port == 443)
  }

  @Test(
    "Without questions, a missing or wrong answer is named",
    arguments: [
      ("PAIRSPOT_BASE_URL", nil), ("FROM_EMAIL", "nobody"), ("SMTP_HOST", nil),
      ("PAIRSPOT_TIME_ZONE", "Mars/Olympus"), ("PAIRSPOT_LANGUAGE", "fr"),
      ("PAIRSPOT_TLS", "maybe"), ("SMTP_PASSWORD", "one\nPAIRSPOT_DEMO=1"),
    ] as [(String, String?)])
  func wrong(name: String, value: String?) {
    var (answers, given) = (answers(), Self.given)
    given[name] = value
    let problem = #expect(throws: SetupAnswers.Problem.self) {
      try answers.fill(given: given) { _, _, _ in nil }
    }
    #expect(problem?.description.hasPrefix("\(name): ") == true)
  }

  @Test("An earlier setup's answers stay where a person enters nothing")
  func again() throws {
    let text =
      "# mine\n" + Self.given.map { "\($0)=\($1)\n" }.sorted().joined()
      + "PAIRSPOT_TLS=0\nPAIRSPOT_TRUSTED_PROXIES=10.0.0.1\nPAIRSPOT_TIME_ZONE=Asia/Tokyo\n"
      + "PAIRSPOT_LANGUAGE=en\nPAIRSPOT_MAIL=smtp\nSMTP_TLS=none\n"
    var answers = answers(text)
    var offered: [String: String?] = [:]
    try answers.fill(given: [:]) { question, value, _ in
      offered[question.setting] = value
      return ""
    }
    #expect(answers.settings.text == text)
    #expect(offered["PAIRSPOT_BASE_URL"] == "pairspot.example")
    #expect(offered["PAIRSPOT_TLS"] == "proxy")
    #expect(offered["PAIRSPOT_TLS_KEY"] == nil)
  }

  @Test("A person is asked again after a wrong answer, and told what is wrong with it")
  func askedAgain() throws {
    var answers = answers()
    var entered = ["sometime", "Europe/Berlin"]
    var told: [String] = []
    var given = Self.given
    given["PAIRSPOT_TLS"] = "0"
    try answers.fill(given: given) { question, _, wrong in
      guard question.setting == "PAIRSPOT_TIME_ZONE" else { return "" }
      told += [wrong].compactMap(\.self)
      return entered.removeFirst()
    }
    #expect(answers.settings["PAIRSPOT_TIME_ZONE"] == "Europe/Berlin")
    #expect(told == ["PAIRSPOT_TIME_ZONE: unknown time zone “sometime”"])
  }

  @Test(
    "Domains are entered with or without https, words stand for values",
    arguments: [
      ("PAIRSPOT_BASE_URL", "PairSpot.example", "https://pairspot.example"),
      ("PAIRSPOT_BASE_URL", " https://pairspot.example ", "https://pairspot.example"),
      ("PAIRSPOT_TLS", "proxy", "0"), ("PAIRSPOT_TLS", "files", "files"),
      ("SMTP_PASSWORD", "Pa ss", "Pa ss"),
    ])
  func values(name: String, answer: String, value: String) throws {
    let question = try #require(SetupQuestion.all.first { $0.setting == name })
    #expect(question.value(of: answer) == value)
  }
}
