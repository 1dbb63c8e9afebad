import Accounts
import Core
import Testing
import Web

@testable import App

@Suite("Who may register")
struct RegistrationAccessTests {
  private static let couple: KeyValuePairs = [
    "email_a": "ann@example.test", "email_b": "ben@example.test", "couple_name": "Ann & Ben",
    "anniversary": "2024-02-29", "accept": "1",
  ]
  private static let alone: KeyValuePairs = [
    "email": "sam@example.test", "display_name": "Sam", "password": TestInstance.password,
    "accept": "1",
  ]
  private static let guest: KeyValuePairs = [
    "display_name": "Kim", "contact_email": "lea@example.test", "button": "save",
  ]

  private func instance(_ mode: InstanceProfile.Registration) throws -> TestInstance {
    try TestInstance(variables: ["PAIRSPOT_REGISTRATION": mode.rawValue])
  }

  private func invitation(_ instance: TestInstance, days: Int64 = 7) -> String {
    RegistrationAccess(instance.instance.site).invitation(
      until: instance.clock.now().adding(seconds: .days(days)))
  }

  @Test(
    "Where it is not open, no page and no call begins anything",
    arguments: ["invitation", "closed"])
  func refused(name: String) throws {
    let instance = try instance(try #require(InstanceProfile.Registration(rawValue: name)))
    let browser = instance.browser()
    for path in ["/register", "/register/alone"] { #expect(browser.get(path).status == 403) }
    #expect(browser.post("/register", Self.couple).status == 403)
    #expect(browser.post("/register/alone", Self.alone).status == 403)
    #expect(browser.post("/checkin", Self.guest).status == 403)
    #expect(browser.post("/sign-in/guest", ["next": "/stories"]).status == 403)
    #expect(browser.get("/checkin").location == "/sign-in?next=/checkin")
    let front = browser.get("/")
    #expect(!front.shows("href=\"/register") && front.shows("href=\"/sign-in\""))
    let signIn = browser.get("/sign-in?guest=1")
    #expect(!signIn.shows("href=\"/register") && !signIn.shows("/sign-in/guest"))
    let app = instance.client()
    let calls: [(String, [String: String])] = [
      ("/auth/guest", [:]),
      ("/auth/register", ["email": "sam@example.test", "display_name": "Sam", "password": "x"]),
      (
        "/auth/register/initiate",
        [
          "email_a": "ann@example.test", "email_b": "ben@example.test", "couple_name": "A",
          "anniversary": "2024-02-29",
        ]
      ),
    ]
    for (path, body) in calls {
      let answer = app.post(path, body)
      #expect(answer.status == 403 && answer.code == "registration_closed", "\(path)")
    }
    #expect(try instance.allMails().isEmpty)
  }

  @Test("An invitation opens all forms in its browser, and the calls of an app")
  func invited() throws {
    let instance = try instance(.invitation)
    let text = invitation(instance)
    let browser = instance.browser()
    #expect(browser.get("/register?invitation=\(text)").location == "/register")
    #expect(browser.get("/register").status == 200)
    #expect(browser.get("/").shows("href=\"/register\""))
    #expect(browser.post("/register", Self.couple).location == "/register/waiting")
    #expect(browser.post("/checkin", Self.guest).status == 303)
    let answer = instance.client().post("/auth/guest", ["invitation": text])
    #expect(answer.status == 201)
  }

  @Test("An invitation that is over, changed, or of another instance opens nothing")
  func broken() throws {
    let instance = try instance(.invitation)
    let text = invitation(instance)
    let other = "\(text.split(separator: "-")[0])x-\(text.split(separator: "-")[1])"
    for wrong in [other, "", "-", "zz", invitation(instance, days: 0), String(text.dropLast())] {
      #expect(instance.browser().get("/register?invitation=\(wrong)").status == 403, "\(wrong)")
    }
    instance.clock.advance(seconds: .days(8))
    #expect(instance.browser().get("/register?invitation=\(text)").status == 403)
  }

  @Test("Where registration is open, a text that is no invitation becomes no cookie")
  func noCookie() throws {
    let instance = try instance(.open)
    let answer = instance.browser().get("/register?invitation=a%0D%0ASet-Cookie:%20b=c%3B%20x")
    #expect(answer.location == "/register")
    #expect(answer.headers[values: .setCookie].allSatisfy { !$0.contains("invitation") })
    #expect(!answer.headers.contains { $0.value.contains("b=c") })
  }

  @Test("An invitation opens nothing where registration is closed")
  func closed() throws {
    let instance = try instance(.closed)
    let browser = instance.browser()
    #expect(browser.get("/register?invitation=\(invitation(instance))").status == 403)
  }

  @Test("A group's code is an invitation, unless registration is closed")
  func groups() throws {
    for (mode, status) in [(InstanceProfile.Registration.invitation, 303), (.closed, 403)] {
      let instance = try instance(mode)
      try instance.alone("lea")
      let lea = try instance.signedIn("lea")
      let code = try lea.code(of: try lea.makeGroup()).replacing(" ", with: "")
      let visitor = instance.browser()
      let page = visitor.get("/join?code=\(code)")
      #expect(page.shows("name=\"display_name\"") == (status == 303))
      #expect(page.shows("Registration here is closed.") == (status == 403))
      #expect(page.shows("href=\"/sign-in?next="))
      let answer = visitor.post("/join", ["code": code, "display_name": "Tavi"])
      #expect(answer.status == status)
    }
  }

  @Test("An app makes a guest with a group's code where registration is by invitation")
  func groupCodes() throws {
    for mode in InstanceProfile.Registration.allCases {
      let status = mode == .closed ? 403 : 201
      let instance = try instance(mode)
      try instance.alone("lea")
      let lea = try instance.signedIn("lea")
      let group = try lea.makeGroup()
      let code = try lea.code(of: group)
      let app = instance.client()
      #expect(app.post("/auth/guest", ["group_code": code]).status == status, "\(mode)")
      let unknown = app.post("/auth/guest", ["group_code": "ABC234"]).status
      #expect(unknown == (mode == .open ? 201 : 403), "\(mode)")
      lea.post("\(group.page)/close")
      let late = app.post("/auth/guest", ["group_code": code]).status
      #expect(late == (mode == .open ? 201 : 403), "\(mode)")
    }
  }

  @Test("Apps make at most as many guests a day with a group's code as a group has members")
  func groupCodeLimit() throws {
    // Each call counts, also one that is refused later.
    let instance = try TestInstance(limits: true, variables: ["PAIRSPOT_REGISTRATION": "closed"])
    try instance.alone("lea")
    let lea = try instance.signedIn("lea")
    let code = try lea.code(of: try lea.makeGroup())
    let app = instance.client()
    let statuses = (0...250).map { _ in app.post("/auth/guest", ["group_code": code]).status }
    #expect(statuses == Array(repeating: 403, count: 250) + [429])
  }

  @Test("A partner whom a member invites comes in always")
  func partner() throws {
    let instance = try instance(.closed)
    try instance.alone("kim")
    try instance.signedIn("kim").post("/pair", ["email": "max@example.test"])
    let max = instance.browser()
    let link = try instance.link(to: "max@example.test")
    #expect(max.get(link).status == 200)
    let token = try #require(max.get(link).value(of: "token"))
    let answer = max.post(
      "/pair/accept",
      [
        "token": token, "display_name": "Max", "password": TestInstance.password, "accept": "1",
      ])
    #expect(answer.status == 303)
    #expect(max.get("/").shows("Max"))
  }

  @Test("A tap by a mailed link is confirmed in a browser that is not signed in")
  func tap() throws {
    let instance = try instance(.closed)
    let sam = try instance.alone("sam")
    try instance.signedIn("sam").post(
      "/checkin",
      ["display_name": "Sam", "contact_email": "kai@example.test", "button": "check-in"])
    instance.clock.advance(seconds: .days(1))
    let browser = instance.browser()
    let page = instance.tapPage(sam.id)
    browser.get(page)
    #expect(browser.post(page).location == "/checkin")
    #expect(browser.get("/checkin").shows("You’re checked in for today."))
  }

  @Test("The front page shows the operator's name and line as text")
  func profile() throws {
    let instance = try TestInstance(variables: [
      "PAIRSPOT_NAME": "Club <b>Linz</b>", "PAIRSPOT_NOTE": "For members.",
    ])
    let front = instance.browser().get("/")
    #expect(front.shows("Club &lt;b&gt;Linz&lt;/b&gt;") && front.shows("For members."))
    #expect(!(try TestInstance().browser().get("/").shows("instance-name")))
  }

  @Test("A name or a line that is too long, or another mode, is named")
  func problems() {
    let found = #expect(throws: Configuration.Invalid.self) {
      try Configuration(
        environment: [
          "PAIRSPOT_ENV": "development", "PAIRSPOT_NAME": String(repeating: "x", count: 51),
          "PAIRSPOT_NOTE": String(repeating: "x", count: 301), "PAIRSPOT_REGISTRATION": "maybe",
        ], now: TestInstance.start, cores: 1)
    }
    #expect(
      found?.problems.map { String($0.prefix { $0 != ":" }) } == [
        "PAIRSPOT_NAME", "PAIRSPOT_NOTE", "PAIRSPOT_REGISTRATION",
      ])
  }
}
