import Accounts
import Core
import Database
import Foundation
import Secrets
import Testing
import Workouts

@testable import App

@Suite(
  "No statement walks through a table that grows with the people",
  .onSQLite("these are SQLite's plans"))
struct StatementPlanTests {
  /// Tables that stay small, or are scanned by design now and then.
  private static let small: Set<String> = [
    "jobs", "heartbeats", "grdb_migrations", "sqlite_master", "json_each", "search_waiting",
    "search_progress", "search_gone",
  ]

  /// Makes the requests of all other suites once.
  private func requests(_ instance: TestInstance) throws {
    let (ann, ben) = (instance.browser(), instance.browser())
    _ = RegisterCoupleTests.register(ann)
    ann.get("/register/waiting")
    ann.post("/register/waiting", ["resend": "1"])
    ann.post("/verify/again", ["email": "ben@example.test"])
    try RegisterCoupleTests.complete(ann, instance.link(to: "ann@example.test"), "Ann")
    ann.get("/register/waiting")
    ann.post("/register/waiting", ["partner_email": "bea@example.test"])
    try RegisterCoupleTests.complete(ben, instance.link(to: "bea@example.test"), "Bea")
    let lone = try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    _ = instance.browser().signIn("sam@example.test", "not the password")
    instance.browser().post("/reset", ["email": "sam@example.test"])
    let reset = instance.browser()
    let token = try #require(
      reset.get(try instance.link(to: "sam@example.test")).value(of: "token"))
    try exercisePosts(ann, sam)
    try exerciseStories(ann)
    try exerciseSecondFactor(instance)
    try exerciseCheckIn(instance)
    try exerciseAlbum(instance)
    try exerciseTrainings(instance)
    try exerciseGroups(instance)
    try ModerationRequests.exercise(instance)
    try NoticeRequests.exercise(instance)
    try MessageRequests.exercise(instance)
    try MomentRequests.exercise(instance)
    exerciseApps(instance)
    try APIRequests.exercise(instance)
    for setting in ["/language", "/theme"] {
      sam.post(setting, ["language": "en", "theme": "dark"])
    }
    try exerciseAPI(instance, sam)
    instance.clock.advance(seconds: 20 * 60)
    reset.post("/reset/confirm", ["token": token, "password": "another sentence"])
    try exerciseSettings(instance, password: "another sentence")
    instance.clock.advance(seconds: 13 * 3600)
    ann.get("/")
    ann.post("/sign-out")
    instance.browser().get("/healthz")
    let mail = try instance.database.write {
      try instance.instance.mailQueue.add(
        instance.instance.testMail.written(TestMail(baseURL: "http://x"), in: .english),
        to: "mia@example.test", retriesForever: true, now: instance.clock.now(), in: $0)
    }
    try instance.instance.mailQueue.bounced(mail, "5.1.1", now: instance.clock.now())
    try instance.database.write { try instance.instance.mailQueue.cancel([mail], in: $0) }
    instance.browser().leaveAtStories()
    try exerciseSilence(instance)
    try AccountDeletionRequests.exercise(instance)
    try instance.work()
    instance.clock.advance(seconds: 40 * 86_400)
    try instance.work()
    try exercisePairing(instance)
    try exerciseMailedLinks(instance)
    try exerciseWorkouts(instance, lone)
    try leave(instance, lone.id)
  }

  private func exerciseAPI(_ instance: TestInstance, _ sam: TestClient) throws {
    sam.call(.get, "/account")
    sam.call(.patch, "/account", #"{"display_name":"Sam","time_zone":"Asia/Taipei"}"#)
    // Stored idempotency keys, until a call of the product stores one.
    let own = TestClient(try APIFixture(instance).application(instance))
    own.take(cookiesOf: sam)
    for name in ["lamp", "lamp", "chair"] {
      own.call(.post, "/things", "{\"name\":\"\(name)\"}", headers: [.idempotencyKey: "k"])
    }
  }

  /// Uses the API like an app, in every way.
  private func exerciseApps(_ instance: TestInstance) {
    let app = instance.client()
    app.post("/auth/register/resend", ["completion_token": Token.random().text])
    app.post("/auth/register/verify", ["token": Token.random().text])
    app.login("sam", device: true)
    app.get("/account")
    app.get("/devices/binding")
    app.call(.put, "/devices/binding", ["device_id": app.device.description, "name": "Phone"])
    app.post(
      "/devices/unbind",
      ["device_id": app.device.description, "unbind_token": Token.random().text])
    app.call(.post, "/auth/reauthenticate")
    app.call(.delete, "/devices/binding", ["code": "123456"])
    app.call(.delete, "/devices/binding", ["password": TestInstance.password])
    app.refresh(device: true)
    app.call(.post, "/auth/logout")
    app.access = nil
    app.call(.post, "/auth/guest", ["device_id": app.device.description])
    app.post("/auth/guest/recover", ["recovery_code": "ABCD-EFGH-JKLM-NPQR"])
    app.post(
      "/auth/guest/upgrade", ["email": "kay@example.test", "password": TestInstance.password])
    let stolen = app.refreshToken
    app.access = nil
    app.refresh()
    instance.clock.advance(seconds: 11)
    app.refreshToken = stolen
    app.access = nil
    app.refresh()
  }

  /// A member and a guest check in, stop, alert their contacts and check in again; then the guest
  /// becomes the member.
  private func exerciseSilence(_ instance: TestInstance) throws {
    try instance.alone("cleo")
    let cleo = try instance.signedIn("cleo")
    let guest = instance.browser()
    for browser in [cleo, guest] {
      browser.get("/checkin")
      browser.begin("Cleo", contact: "kai@example.test")
      browser.begin("Cleo", contact: "kim@example.test", "save")
      browser.post("/settings/zone", ["button": "move", "time_zone": "Europe/Berlin"])
    }
    try instance.work()
    for _ in 0..<4 {
      instance.clock.advance(seconds: 86_400)
      try instance.instance.features.checkIn.beat(now: instance.clock.now())
      try instance.work()
    }
    try instance.database.write { try $0.execute("DELETE FROM outages") }
    instance.clock.advance(seconds: 3600)
    try instance.work()
    for browser in [cleo, guest] {
      browser.get("/checkin")
      browser.tap()
    }
    try instance.work()
    guest.get("/sign-in")
    _ = guest.signIn("cleo@example.test", TestInstance.password)
    guest.post("/merge", ["take": "1"])
  }

  private func exercisePosts(_ ann: TestClient, _ sam: TestClient) throws {
    let post = try ann.writeWithPicture("Words")
    try sam.writeWithPicture("Words of one")
    let couple = try #require(ann.get("/").text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/)?.output)
    for browser in [ann, sam] {
      for page in ["/", "/?after=9999999999999-\(UUID().uuidString.lowercased())"] {
        browser.get(page)
      }
      let shown = browser.get(post)
      for picture in shown.pictures { browser.get(picture) }
      for page in [
        "\(couple)", "\(couple)/edit", "\(post)/edit", "\(post)/delete", "\(post)/likes",
      ] {
        browser.get(page)
      }
      browser.post("\(post)/like")
      browser.post("\(post)/unlike")
      let comment = try browser.comment("Words of \(browser === ann)", on: post)
      browser.get("\(post)?before=\(comment)")
      browser.get("\(post)?deleted=\(comment)")
      browser.call(.get, "\(post)/comments?limit=1")
      browser.post("\(post)/save")
      browser.get("/posts/saved")
      browser.post("\(post)/unsave")
      for way in ["report", "delete", "restore"] { browser.post("/comments/\(comment)/\(way)") }
    }
    for way in ["follow", "unfollow", "follow"] { sam.post("\(couple)/\(way)") }
    try ann.write("For followers", visibility: "followers")
    for page in [
      "/?scope=following", "\(couple)", "\(couple)/followers", "/search?q=words",
      "/search?q=words&before=9", "\(post)/pictures/1",
    ] {
      #expect(sam.get(page).status == 200, "\(page)")
    }
    let kept = ann.upload(
      "/posts", [("content", "Kept")],
      files: [("images", SmallPicture.png), ("images", [1, 2])]
    ).value(of: "kept")
    ann.get("/media/drafts/\(kept ?? "")")
    ann.upload(
      "\(couple)/edit",
      [("couple_name", "Two"), ("anniversary", "2020-01-01"), ("bio", "Us")],
      files: [("avatar", SmallPicture.png), ("own_avatar", SmallPicture.png)])
    for avatar in ann.get("\(couple)").pictures { sam.get(avatar) }
    ann.post("\(post)/edit", ["content": "Ours", "visibility": "couple"])
    ann.post("\(post)/delete")
  }

  /// Views, saves in every way and deletes a photo's story.
  private func exerciseStories(_ browser: TestClient) throws {
    let path = try browser.photoToTell()
    browser.get(path)
    browser.post(path, ["story": "First", "version": "1"])
    browser.notify(path, "First", version: "1")
    #expect(browser.notify(path, "Second", version: "1").status == 409)
    browser.post(path, ["story": "Copy", "version": "2", "as_copy": "1"])
    browser.post(path, ["story": "", "version": "2", "delete": "1", "confirm": "1"])
  }

  private func exerciseSettings(_ instance: TestInstance, password: String) throws {
    let (sam, other) = (instance.browser(), instance.browser())
    for browser in [sam, other] { browser.signIn("sam@example.test", password) }
    for page in ["", "/profile", "/language", "/password", "/email", "/sessions"] {
      sam.get("/settings\(page)")
    }
    sam.upload(
      "/settings/profile", [("display_name", "Sam")], files: [("avatar", SmallPicture.png)])
    sam.post("/settings/profile", ["remove_avatar": "1"])
    sam.post(
      "/settings/language", ["language": "en", "theme": "auto", "time_zone": "Asia/Taipei"])
    sam.post("/settings/zone", ["button": "stay", "time_zone": "Europe/Berlin"])
    sam.post("/settings/language", ["language": "en", "theme": "auto", "time_zone": ""])
    let handle = sam.get("/settings/sessions").sessionHandles.first ?? ""
    sam.get("/settings/sessions?end=\(handle)")
    sam.get("/settings/devices?next=/workouts/record")
    sam.post("/settings/devices", ["current_password": TestInstance.password])
    for end in [("session", handle), ("others", "1")] {
      sam.post("/settings/sessions", all: [end, ("current_password", password)])
    }
    #expect(other.get("/settings").status == 303)
    for email in ["bea@example.test", "sam-new@example.test"] {
      sam.post("/settings/email", ["email": email, "current_password": password])
    }
    let token = sam.get(try instance.link(to: "sam-new@example.test")).value(of: "token") ?? ""
    #expect(sam.post("/settings/email/confirm", ["token": token]).status == 303)
    sam.get(try instance.link(to: "sam@example.test"))
    sam.post("/settings/email/undo", ["token": token])
    let changed = sam.post(
      "/settings/password", ["current_password": password, "password": "a third sentence"])
    #expect(changed.status == 303)
  }

  /// Adds, shares, views and removes photos, and makes a post of one.
  private func exerciseAlbum(_ instance: TestInstance) throws {
    try instance.couple("Pia & Per", "pia", "per")
    let (pia, per) = (try instance.signedIn("pia"), try instance.signedIn("per"))
    let photo = try pia.addPhoto(isShared: true)
    pia.add(SmallPicture.png, nonce: "once")
    pia.add(SmallPicture.png, nonce: "once")
    for browser in [pia, per] {
      browser.get("/album?after=9999999999999-\(UUID().uuidString.lowercased())")
      for picture in browser.get(photo).pictures { browser.get(picture) }
      browser.get("\(photo)/file")
    }
    for shared in ["0", "1"] { pia.post(photo, ["shared": shared]) }
    for page in ["/album?select=1", "\(photo)/view"] { pia.get(page) }
    for action in ["unshare", "share", "download"] {
      pia.post("/album/selected", ["photo": String(photo.suffix(36)), "action": action])
    }
    pia.get("\(photo)/post")
    let call = "/photos/\(photo.suffix(36))"
    for path in ["/photos?limit=2", call, "\(call)/story", "\(call)/file"] {
      pia.call(.get, path)
    }
    #expect(pia.post("\(photo)/post", ["content": "Ours", "nonce": "n"]).status == 303)
    pia.get("\(photo)/delete")
    #expect(pia.post("\(photo)/delete").status == 303)
    let guest = try instance.guest("Gwen")
    guest.add(SmallPicture.png)
    guest.get("/sign-in")
    guest.signIn("per@example.test", TestInstance.password)
    guest.post("/merge", ["take": "1"])
  }

  /// A group from creation to end.
  private func exerciseGroups(_ instance: TestInstance) throws {
    // Many sign-ins from one address hit the rate limit.
    instance.clock.advance(seconds: 61)
    defer { instance.clock.advance(seconds: 61) }
    let (lea, fay, group) = try instance.exercise()
    let guest = instance.browser()
    guest.get("/join?code=AAAAAA")
    guest.join(try lea.code(of: group), as: "Gia")
    for browser in [lea, fay] {
      browser.share(25, 121, with: group)
      instance.clock.advance(seconds: 6)
      browser.put(25.001, 121, in: group)
      for path in ["", "/settings", "/leave"] { browser.get(group.page + path) }
      let version = browser.group(group).version
      for since in [1, version] { browser.group(group, since: since) }
      for path in ["/groups", "/api/v1/groups"] { browser.get(path) }
    }
    let point = #"{"name":"Tea house","latitude":25.03,"longitude":121.5}"#
    let id = lea.call(.post, "\(group.call)/waypoints", point).json["id"] as? String ?? ""
    for button in ["active", "none", "remove"] {
      lea.post("\(group.page)/waypoints/\(id)", ["button": button])
    }
    lea.post("\(group.page)/commands", ["kind": "gather"])
    lea.post("\(group.page)/settings", ["name": "Night", "members_invite": "1"])
    lea.post(group.invite, ["button": "renew"])
    fay.call(.get, "\(group.call)/invite.svg")
    let person = lea.group(group).id(of: "Fay")
    for way in ["remove", "allow"] { lea.post("\(group.page)/members/\(person)/\(way)") }
    fay.join(try lea.code(of: group))
    lea.post("\(group.page)/members/\(person)/lead")
    guest.get("/sign-in")
    guest.signIn("lea@example.test", TestInstance.password)
    guest.post("/merge", ["take": "1"])
    lea.post("\(group.page)/leave")
    fay.post("\(group.page)/close")
    fay.get(group.page)
    let other = try lea.makeGroup()
    fay.join(try lea.code(of: other))
    lea.post("\(other.page)/leave")
    // Sharing stays on: the worker ends it later.
    fay.share(25, 121, with: other)
  }

  /// A user's own check-in pages.
  private func exerciseCheckIn(_ instance: TestInstance) throws {
    try instance.alone("wes")
    let wes = try instance.signedIn("wes")
    wes.post("/checkin/contacts", ["name": "Pat", "email": "pat@example.test"])
    wes.post("/checkin/contacts", ["email": "quin@example.test"])
    try instance.work()
    let list = wes.get("/checkin/contacts").text
    let pat = try #require(list.firstMatch(of: /\/checkin\/contacts\/[0-9a-f-]{36}/)?.output)
    wes.post("\(pat)", ["move": "down"])
    wes.post("\(pat)", ["name": "Patty", "email": "patty@example.test"])
    wes.post("/checkin", ["button": "check-in"])
    for until in ["2026-03-20", "", "2026-03-20"] {
      wes.post(
        "/checkin/settings",
        [
          "alert_time": "08:00", "threshold_days": "3", "reminder_time": "20:00",
          "contact_language": "en", "time_zone": "Asia/Taipei", "note": "Keys",
          "paused_until": until,
        ])
    }
    wes.post("/checkin/settings", ["end_pause": "1"])
    for page in ["settings", "contacts", "history", "history.csv", "history.json"] {
      #expect(wes.get("/checkin/\(page)").status == 200)
    }
    let other = try #require(
      wes.get("/checkin/contacts").text.firstMatch(of: /\/checkin\/contacts\/[0-9a-f-]{36}/)?
        .output)
    for page in ["\(other)", "\(other)/remove"] { wes.get(page) }
    wes.post("\(other)/remove")
    wes.get("/checkin/contacts")
    wes.post("\(other)/undo")
    wes.get("/checkin/people/\(ID<Person>.random())")
  }

  /// Creates, shows, orders and deletes trainings.
  private func exerciseTrainings(_ instance: TestInstance) throws {
    // Many sign-ins from one address hit the rate limit.
    instance.clock.advance(seconds: 61)
    let admin = try instance.admin()
    let (one, two) = (try admin.publishTraining("One"), try admin.publishTraining("Two"))
    admin.sendCover(one)
    admin.sendVideo(one)
    for page in ["", "/edit", "/cover", "/video", "/delete"] {
      #expect(admin.get("\(one)\(page)").status == 200)
    }
    for page in [TestClient.trainings, "/workouts/trainings", "/workouts/record"] {
      #expect(admin.get(page).status == 200)
    }
    #expect(admin.call(.get, "/trainings").status == 200)
    for file in admin.get(one.asPeople).pictures { admin.get(file) }
    let version = admin.get("\(one)/edit").value(of: "version") ?? ""
    let saved = admin.post(
      "\(one)/edit",
      [
        "version": version, "name": "One", "description": "", "difficulty": "easy",
        "minutes_1": "1", "target_1": "free",
      ])
    #expect(saved.status == 303)
    admin.post(two, ["move": "up"])
    admin.post(one, ["button": "unpublish"])
    admin.post("\(one)/delete")
  }

  /// Sets up the second factor, signs in with it, and becomes staff.
  private func exerciseSecondFactor(_ instance: TestInstance) throws {
    let page = TestClient.secondFactor
    try instance.alone("tom")
    let tom = try instance.signedIn("tom")
    tom.get(page)
    let (app, _) = try tom.turnOnSecondFactor(instance)
    tom.get(page)
    for change in ["codes", "off"] {
      tom.get("\(page)/\(change)")
      tom.post(
        "\(page)/\(change)", ["current_password": TestInstance.password, "code": app.next()])
    }
    let (again, codes) = try tom.turnOnSecondFactor(instance)
    for code in [again.wrong, codes[0]] { try instance.halfSignedIn("tom").enter(code) }
    try instance.appoint("tom@example.test")
    try instance.halfSignedIn("tom").get("/sign-in/code")
    let link = try #require(try instance.appoint("uma@example.test"))
    let uma = instance.browser()
    let token = try #require(uma.get(link).value(of: "token"))
    uma.post("/staff/enrol", ["token": token, "begin": "1"])
    uma.post(
      "/staff/enrol",
      [
        "token": token, "display_name": "Uma", "password": "another sentence", "accept": "1",
        "code": try Authenticator(uma.get(link), instance).code(),
      ])
    #expect(uma.get("/admin").status == 200)
  }

  /// Invites, accepts in every way, separates, and undoes it; then the separation becomes final.
  private func exercisePairing(_ instance: TestInstance) throws {
    for name in ["kim", "lee", "max"] { try instance.alone(name) }
    let (kim, lee, _) = try instance.paired("kim", "lee")
    for browser in [kim, lee] { browser.get("/settings/part") }
    kim.part()
    for answer in ["undo", "take_back", "undo"] { kim.post("/settings/part", [answer: "1"]) }
    lee.get("/settings/part")
    lee.post("/settings/part", ["undo": "1"])
    kim.part()
    kim.get("/pair")
    for address in ["wrong", "max@example.test"] { kim.invite(address) }
    kim.post("/pair", ["withdraw": "1"])
    let max = try instance.signedIn("max")
    max.invite("newt@example.test")
    let newt = instance.browser()
    newt.post(
      "/pair/accept",
      [
        "token": newt.get(try instance.invitation(to: "newt")).value(of: "token") ?? "",
        "display_name": "Newt", "password": TestInstance.password, "accept": "1",
      ])
    instance.clock.advance(seconds: 40 * 86_400)
    try instance.work()
    lee.get("/settings/part")
  }

  /// Uses the links in mails to contacts and reminded users.
  private func exerciseMailedLinks(_ instance: TestInstance) throws {
    let person = try instance.watched("mei", by: ["ming", "lin"])
    try instance.goQuiet()
    let (browser, page) = (instance.browser(), try instance.contactPage())
    for button in ["reached", "weekly-on", "weekly-off"] {
      browser.get(page)
      browser.post(page, ["button": button])
    }
    browser.get("\(page)/stop")
    browser.post("\(page)/stop", ["button": "stop"])
    browser.post(page, ["button": "again"])
    browser.get(instance.tapPage(person))
    browser.post(instance.tapPage(person))
  }

  /// Uploads, lists, claims, merges and deletes workouts, and counts them in another time zone.
  private func exerciseWorkouts(_ instance: TestInstance, _ person: Viewer) throws {
    let ola = try instance.alone("ola")
    let participant = instance.instance.features.workouts.participant
    for somebody in [person, ola] {
      try instance.upload((1...3).map { instance.workout($0 * 40_000) }, somebody)
      _ = try instance.service.claim(
        StatisticsClaim(count: 9), of: somebody.id, now: instance.clock.now())
    }
    try instance.database.write { writer in
      try writer.execute("UPDATE user_stats SET time_zone = 'Asia/Tokyo' WHERE user_id = \(ola.id)")
      try participant.moved(ola.id, now: instance.clock.now(), in: writer)
      try participant.merge(guest: ola.id, into: person.id, now: instance.clock.now(), in: writer)
    }
    _ = try instance.workouts(of: person, since: instance.clock.now())
    try exerciseWorkoutFiles(instance)
    let first = try #require(try instance.workouts(of: person).first)
    try instance.service.remove(first.id, of: person.id, now: instance.clock.now())
    try exerciseWorkoutPages(instance)
  }

  /// The list, a workout and its deletion, with a training that was followed.
  private func exerciseWorkoutPages(_ instance: TestInstance) throws {
    let wim = try instance.alone("wim")
    let browser = try instance.signedIn("wim")
    var workout = instance.workout()
    workout.training = try instance.database.read { reader in
      try reader.value("SELECT id FROM trainings LIMIT 1")
    }
    workout.samples[.heartRate] = [120, 150]
    let page = "/workouts/\(try #require(try instance.upload([workout], wim).stored.first))"
    for path in ["/workouts", "/workouts?after=9999999999999-\(UUID())", page, "\(page)/delete"] {
      #expect(browser.get(path).status == 200, "\(path)")
    }
    #expect(browser.post("\(page)/delete").status == 303)
    #expect(browser.get("/workouts/deleted").status == 200)
    #expect(browser.post("\(page)/undo").location == page)
    let couple = try instance.couple("Zoe & Zed", "zoe", "zed")
    let first = try #require(couple.first)
    let shown = try #require(try instance.upload([instance.workout()], first).stored.first)
    try instance.signedIn("zoe").post("/workouts/sharing", ["shared": "1"])
    let zed = try instance.signedIn("zed")
    for path in ["/workouts/partner", "/workouts/partner/\(shown)", "/workouts/sharing"] {
      #expect(zed.get(path).status == 200, "\(path)")
    }
    for cheer in ["1", "0"] { zed.post("/workouts/partner/\(shown)/cheer", ["cheer": cheer]) }
    zed.post("/workouts/sharing")
  }

  /// Adds workouts by form and file, and exports them.
  private func exerciseWorkoutFiles(_ instance: TestInstance) throws {
    instance.clock.advance(seconds: 61)
    try instance.alone("uli")
    let uli = try instance.signedIn("uli")
    for page in ["add", "import"] { #expect(uli.get("/workouts/\(page)").status == 200) }
    let name = ["client_session_id": UUID().uuidString.lowercased()]
    let page = try uli.addWorkout(name)
    #expect(try uli.addWorkout(name) == page)
    #expect(uli.editWorkout(page, ["duration": "10:00"]).status == 303)
    #expect(uli.importFiles(SmallWorkout.tcx(hours: 1, 2)).status == 200)
    for file in ["\(page).tcx", "\(page).csv", "/workouts/export.zip"] {
      #expect(uli.get(file).status == 200)
    }
  }

  private func leave(_ instance: TestInstance, _ person: ID<Person>) throws {
    for participant in instance.instance.participants {
      _ = try instance.database.read { try participant.export(person, from: $0) }
    }
    try instance.purge(person)
  }

  @Test("Every statement of every way searches by an index, and PostgreSQL plans it")
  func plans() throws {
    let log = StatementLog()
    let instance = try TestInstance(limits: true, statements: log)
    try requests(instance)
    #expect(log.all.count { $0.isQueryOrChange } > 80)
    try check(log, instance)
  }

  @Test("Statements of signing in with a provider search by an index")
  func providers() throws {
    let log = StatementLog()
    let house = try ProviderInstance(statements: log)
    try house.instance.alone("ann")
    let (ann, sam) = (try house.instance.signedIn("ann"), try house.registered("sam"))
    try house.link("x-1", ann)
    try house.signIn("x-1", house.instance.browser())
    _ = try house.confirm(try #require(sam.get("/settings/delete").location), "sam", sam)
    ann.get("/settings/sign-in")
    for changes in [["sub": "x-1"], ["sid": "s"], ["sub": "x-1", "sid": "s"]] {
      let token = house.provider.logoutToken(changes)
      house.instance.browser().plainPost(
        "/sign-in/with/home/logout", [("logout_token", token)])
    }
    ann.post("/settings/sign-in/home", ["unlink": "1", "current_password": TestInstance.password])
    #expect(log.all.count { $0.contains("provider_identities") } > 4)
    try check(log, house.instance)
  }

  @Test("Statements of passkeys search by an index")
  func passkeys() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.alone("ann")
    let ann = try instance.signedIn("ann")
    let device = try ann.addPasskey()
    try instance.browser().enter(with: device)
    ann.get("/settings/passkeys/confirm?action=account_delete")
    ann.get(try ann.passkeyPage())
    ann.post(try ann.passkeyPage(), ["name": "Mine"])
    try ann.removePasskeys()
    instance.clock.advance(seconds: 3600)
    try instance.work()
    #expect(log.all.count { $0.contains("passkey") } > 8)
    try check(log, instance)
  }

  private func check(_ log: StatementLog, _ instance: TestInstance) throws {
    for statement in log.all where statement.isQueryOrChange {
      for step in try instance.plan(of: statement) where Self.walks(step, in: statement) {
        Issue.record("\(step)\nin: \(statement)")
      }
    }
    let queries = log.queries.filter { $0.sql.isQueryOrChange }
    for failure in try PostgreSQLStatementTests.failures(of: queries) {
      Issue.record("PostgreSQL: \(failure)")
    }
  }

  /// Whether a step of a plan scans a growing table.
  ///
  /// An index scan is fine if the statement ends it by LIMIT: the index has the order of the
  /// answer, so only returned rows are read.
  private static func walks(_ step: String, in statement: String) -> Bool {
    guard step.hasPrefix("SCAN ") else { return false }
    let words = step.split(separator: " ").map(String.init)
    guard let table = words.dropFirst().first else { return true }
    if small.contains(table) || table.hasPrefix("(") || step.hasPrefix("SCAN CONSTANT ROW") {
      return false
    }
    // One row of a full-text index, by rowid.
    if step.hasSuffix("VIRTUAL TABLE INDEX 0:=") { return false }
    // The subqueries of the feed, each at most a page long; of counts, which end at a limit; of the
    // sign-ins of one user.
    if ["counted", "found", "page", "sign_ins", "x", "y"].contains(table),
      statement.contains("AS \(table)")
    {
      return false
    }
    return !(step.contains(" INDEX ") && statement.contains("LIMIT"))
  }

  @Test(
    "The feed walks down its indexes and sorts nothing",
    arguments: [
      ("p.visibility = 'public' AND p.deleted_at IS NULL", "posts_feed"),
      ("p.created_at >= ?", "posts_couple"), ("q.visibility = 'followers'", "posts_followers"),
    ])
  func feed(condition: String, index: String) throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.couple()
    try instance.signedIn("ann").get("/")
    let plan = try instance.plan(of: try #require(log.all.first { $0.contains(condition) }))
    #expect(plan.contains { $0.contains(index) }, "\(plan)")
    #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
  }

  @Test("Following walks down each couple's own index, and the search never walks all posts")
  func following() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.couple()
    let ann = try instance.signedIn("ann")
    for page in ["/?scope=following", "/search?q=words"] { ann.get(page) }
    let feed = try #require(
      log.all.first { $0.contains("follows_open") && $0.contains("<> 'couple'") })
    let plan = try instance.plan(of: feed)
    #expect(plan.contains { $0.hasPrefix("SEARCH q") && $0.contains("posts_shown") }, "\(plan)")
    #expect(plan.contains { $0.hasPrefix("SEARCH p ") && $0.contains("PRIMARY KEY") }, "\(plan)")
    let search = try #require(log.all.first { $0.contains("post_words MATCH") })
    let steps = try instance.plan(of: search)
    #expect(steps.contains { $0.hasPrefix("SCAN t VIRTUAL TABLE INDEX") }, "\(steps)")
    #expect(!steps.contains { $0.hasPrefix("SCAN p") || $0.hasPrefix("SCAN s") }, "\(steps)")
  }

  @Test("Promotions of a page's posts are looked up, and the running ones read from an index")
  func promotions() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.couple()
    let ann = try instance.signedIn("ann")
    let answer = ann.call(.get, try ann.apiPost("Words"))
    try #require(answer.status == 200)
    let asked = try #require(
      log.all.first { $0.contains("FROM promotions") && $0.contains("post_id IN") })
    let page = try instance.plan(of: asked)
    #expect(page.first?.hasPrefix("SEARCH promotions USING PRIMARY KEY") == true, "\(page)")
    #expect(page.count { $0.hasPrefix("SCAN") && !$0.hasPrefix("SCAN json_each") } == 0, "\(page)")
    ann.get("/")
    let running = try #require(
      log.all.first {
        $0.hasPrefix("SELECT") && $0.contains(/FROM promotions\s+WHERE promoted_until >/)
      })
    let all = try instance.plan(of: running)
    #expect(all.count == 1 && all[0].contains("COVERING INDEX promotions_running"), "\(all)")
  }

  @Test("Workouts of some days are read from their index alone, between the two moments")
  func sessions() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.alone("sam")
    let query = "/sessions?from=2026-01-01&to=2026-01-31"
    try #require(try instance.signedIn("sam").call(.get, query).status == 200)
    let asked = try #require(log.all.first { $0.contains("FROM workouts") })
    let range = "user_id=? AND started_at>? AND (started_at,id)<(?,?)"
    #expect(
      try instance.plan(of: asked) == ["SEARCH workouts USING INDEX workouts_by_start (\(range))"])
  }

  @Test("The album walks down its two indexes and sorts no more than a page")
  func album() throws {
    let log = StatementLog()
    let instance = try TestInstance(statements: log)
    try instance.couple()
    try instance.signedIn("ann").get("/album")
    let album = try #require(log.all.first { $0.contains("FROM photos") && $0.contains("UNION") })
    let plan = try instance.plan(of: album)
    #expect(plan.contains { $0.contains("photos_own") })
    #expect(plan.contains { $0.contains("photos_shared") })
  }
}

extension String {
  fileprivate var isQueryOrChange: Bool {
    ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains { hasPrefix($0) }
  }
}

extension TestInstance {
  /// The query plan of a statement, without bound parameters.
  func plan(of statement: String) throws -> [String] {
    try database.read { try $0.plan(of: statement) }
  }
}
