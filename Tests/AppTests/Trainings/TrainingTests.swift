import Core
import Foundation
import Testing
import Web

@testable import App

@Suite("Trainings, as admins make them and as people see them")
struct TrainingTests {
  // MARK: Access

  @Test("Only admins have access, moderators have none")
  func others() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.makeTraining("Hills")
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    try instance.alone("max")
    let (app, _) = try instance.signedIn("max").turnOnSecondFactor(instance)
    try instance.appoint("max@example.test", as: .moderator)
    let moderator = try instance.halfSignedIn("max")
    moderator.enter(app.next())
    let guest = try instance.guest("Gia")
    let pages = ["", "/edit", "/cover", "/video", "/delete"].map { "\(adminPage)\($0)" }
    for path in [TestClient.trainings, "\(TestClient.trainings)/new"] + pages {
      for browser in [sam, moderator, guest] {
        #expect(browser.get(path).status == 404, "\(path)")
        if path != TestClient.trainings { #expect(browser.post(path).status == 404, "\(path)") }
      }
      #expect(instance.browser().get(path).location?.hasPrefix("/sign-in") == true)
      #expect(admin.get(path).status == 200, "\(path)")
    }
    #expect(try instance.count("SELECT count(*) FROM trainings") == 1)
  }

  @Test("The front page of staff leads admins there, and moderators nowhere")
  func link() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    #expect(admin.get("/admin").shows("href=\"/admin/trainings\""))
    try instance.database.write { try $0.execute("UPDATE users SET role = 3 WHERE role = 4") }
    #expect(!admin.get("/admin").shows("/admin/trainings"))
  }

  @Test("A draft is visible to admins only, a published training to all signed-in users")
  func drafts() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.makeTraining("Hills")
    admin.sendCover(adminPage)
    admin.sendVideo(adminPage)
    let media = admin.get(adminPage.asPeople).pictures
    #expect(media.count >= 2)
    try instance.alone("sam")
    let people = [try instance.signedIn("sam"), try instance.guest("Gia")]
    for browser in people {
      #expect(!browser.get("/workouts/trainings").shows("Hills"))
      #expect(browser.get(adminPage.asPeople).status == 404)
      for file in media { #expect(browser.get(file).status == 404) }
    }
    for file in media {
      let answer = admin.get(file)
      #expect(answer.status == 200 && answer.headers[.cacheControl] == "private, no-store")
    }
    #expect(admin.post(adminPage, ["button": "publish"]).location == adminPage)
    for browser in people {
      #expect(browser.get("/workouts/trainings").shows("Hills"))
      #expect(browser.get(adminPage.asPeople).shows("100 W"))
      for file in media {
        let answer = browser.get(file)
        #expect(answer.status == 200)
        #expect(answer.headers[.cacheControl]?.contains("private, max-age") == true)
        #expect(answer.headers[.accelRedirect] == "/protected-media\(file.dropFirst(6))")
      }
    }
    for file in media { #expect(instance.browser().get(file).status == 303) }
    #expect(admin.post(adminPage, ["button": "unpublish"]).location == adminPage)
    for browser in people {
      #expect(!browser.get("/workouts/trainings").shows("Hills"))
      for file in media { #expect(browser.get(file).status == 404) }
    }
  }

  // MARK: Texts and stages

  @Test("A training is made, shown with its minutes, difficulty and stages, and changed")
  func whole() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.makeTraining("Hills & dales", stages: 3)
    let page = admin.get(adminPage.asPeople)
    for words in ["Hills &amp; dales", "15 minutes", "Easy", "3 stages", "102 W", "Easy legs"] {
      #expect(page.shows(words), "\(words)")
    }
    #expect(page.shows("class=\"effort-power\""))
    let form = admin.get("\(adminPage)/edit")
    let version = try #require(form.value(of: "version"))
    let changed = admin.post(
      "\(adminPage)/edit",
      [
        "version": version, "name": "Flat", "description": "", "difficulty": "hard",
        "minutes_1": "1", "seconds_1": "30", "target_1": "cadence", "value_1": "95", "text_1": "",
      ])
    #expect(changed.location == adminPage)
    let after = admin.get(adminPage.asPeople)
    #expect(after.shows("Flat") && after.shows("2 minutes") && after.shows("95/min"))
    #expect(!after.shows("102 W"))
  }

  @Test("Errors are shown, and the input is kept")
  func wrong() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let answer = admin.post(
      "\(TestClient.trainings)/new",
      [
        "name": "", "description": "<b>Words</b>", "difficulty": "hard", "minutes_1": "500",
        "seconds_1": "7", "target_1": "power", "value_1": "9", "text_1": "\"Go\"",
      ])
    #expect(answer.status == 422 && answer.shows("data-testid=\"error-summary\""))
    for kept in [
      "&lt;b&gt;Words&lt;/b&gt;", "value=\"500\"", "value=\"9\"", "value=\"&quot;Go&quot;\"",
      "href=\"#name\"", "href=\"#minutes_1\"", "href=\"#value_1\"",
    ] { #expect(answer.shows(kept), "\(kept)") }
    #expect(try instance.count("SELECT count(*) FROM trainings") == 0)
  }

  @Test("Buttons beside the stages change their rows and save nothing")
  func rows() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.makeTraining("Hills", stages: 2)
    let entered = [
      ("name", "Typed"), ("description", ""), ("difficulty", "easy"), ("version", "0"),
      ("minutes_1", "1"), ("seconds_1", ""), ("target_1", "free"), ("value_1", ""), ("text_1", "a"),
      ("minutes_2", "2"), ("seconds_2", ""), ("target_2", "free"), ("value_2", ""), ("text_2", "b"),
    ]
    func shown(_ button: String) -> [String] {
      let answer = admin.post("\(adminPage)/edit", all: entered + [("row", button)])
      #expect(answer.status == 200 && answer.shows("value=\"Typed\""))
      return answer.text.matches(of: /name="text_\d+" value="([^"]*)"/).map { String($0.output.1) }
    }
    #expect(shown("add") == ["a", "b", ""])
    #expect(shown("up-2") == ["b", "a"])
    #expect(shown("copy-1") == ["a", "a", "b"])
    #expect(shown("remove-1") == ["b"])
    #expect(admin.get(adminPage).shows("Hills"))
    #expect(try instance.count("SELECT count(*) FROM training_stages") == 2)
  }

  @Test("Two admins at once: the second gets a warning, and may save all the same")
  func atOnce() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.makeTraining("Hills")
    let version = try #require(admin.get("\(adminPage)/edit").value(of: "version"))
    func save(_ name: String, _ version: String) -> TestResponse {
      admin.post(
        "\(adminPage)/edit",
        [
          "version": version, "name": name, "description": "", "difficulty": "easy",
          "minutes_1": "5", "seconds_1": "", "target_1": "free", "value_1": "", "text_1": "",
        ])
    }
    #expect(save("First", version).status == 303)
    let told = save("Second", version)
    #expect(told.status == 422 && told.shows("Someone else changed"))
    #expect(admin.get(adminPage).shows("First"))
    #expect(save("Second", try #require(told.value(of: "version"))).status == 303)
    #expect(admin.get(adminPage).shows("Second"))
  }

  @Test("A published training has a stage, at publication and ever after")
  func stages() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.makeTraining("Empty", stages: 0)
    let answer = admin.post(adminPage, ["button": "publish"])
    #expect(answer.status == 422 && answer.shows("at least one stage"))
    #expect(
      try instance.count("SELECT count(*) FROM trainings WHERE published_at IS NOT NULL") == 0)
    let full = try admin.publishTraining("Full")
    let version = try #require(admin.get("\(full)/edit").value(of: "version"))
    let emptied = admin.post(
      "\(full)/edit",
      ["version": version, "name": "Full", "description": "", "difficulty": "easy"])
    #expect(emptied.status == 422)
    #expect(try instance.count("SELECT count(*) FROM training_stages") == 1)
  }

  @Test("The order is the admins'")
  func order() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPages = try ["One", "Two", "Three"].map(admin.publishTraining)
    func names() -> [String] {
      admin.get("/workouts/trainings").text.matches(of: /<h2><a [^>]*>(\w+)</)
        .map { String($0.output.1) }
    }
    #expect(names() == ["One", "Two", "Three"])
    #expect(admin.post(adminPages[2], ["move": "up"]).location == TestClient.trainings)
    #expect(names() == ["One", "Three", "Two"])
    admin.post(adminPages[0], ["move": "down"])
    admin.post(adminPages[0], ["move": "down"])
    admin.post(adminPages[0], ["move": "down"])
    #expect(names() == ["Three", "Two", "One"])
  }

  @Test("There are no more than a hundred")
  func many() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    try instance.database.write { writer in
      for number in 0..<99 {
        try writer.execute(
          """
          INSERT INTO trainings (id, position, name, description, difficulty, created_at,
            updated_at) VALUES (\(ID<Person>(now: instance.clock.now())), \(number), 'x', '',
              'easy', 0, 0)
          """)
      }
    }
    try admin.makeTraining("The hundredth")
    let answer = admin.post(
      "\(TestClient.trainings)/new", ["name": "One more", "description": "", "difficulty": "easy"])
    #expect(answer.status == 422 && answer.shows("100 trainings"))
  }

  @Test("Deleting asks first, lists the losses, and leaves neither rows nor files")
  func deleting() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.publishTraining("Hills")
    admin.sendCover(adminPage)
    admin.sendVideo(adminPage)
    let asked = admin.get("\(adminPage)/delete")
    #expect(
      asked.shows("“Hills”") && asked.shows("So will its cover") && asked.shows("1:30 · 1 MB"))
    #expect(try !instance.mediaFiles().isEmpty)
    #expect(admin.post("\(adminPage)/delete").location == TestClient.trainings)
    #expect(admin.get(adminPage).status == 404 && admin.get(adminPage.asPeople).status == 404)
    #expect(try instance.mediaFiles() == [])
    #expect(try instance.count("SELECT count(*) FROM training_stages") == 0)
    #expect(admin.post("\(adminPage)/delete").status == 404)
  }

  @Test("Every change makes it newer, two in one millisecond too")
  func newer() throws {
    let instance = try TestInstance()
    let admin = try instance.admin()
    let adminPage = try admin.makeTraining("Hills")
    var last = 0
    for change in [("button", "publish"), ("button", "unpublish"), ("button", "publish")] {
      admin.post(adminPage, all: [change])
      let now = try instance.count("SELECT updated_at FROM trainings")
      #expect(now > last)
      last = now
    }
    admin.sendVideo(adminPage)
    #expect(try instance.count("SELECT updated_at FROM trainings") > last)
  }
}
