import Core
import Testing
import Web

@testable import App

/// Every page and picture with the status for each kind of viewer
/// (docs/developer/product.md#refusals). A route without a row fails the test.
@Suite("Access, page by page")
struct AccessTableTests {
  /// The kinds of viewers, in the order of the columns.
  enum Kind: Int, CaseIterable {
    case anonymous, guest, stranger, partner, author, deleted, staff, suspended
  }

  /// A path and the status for each kind.
  struct Row {
    let pattern: String
    let address: String
    let statuses: [Int]

    /// A single status applies to all kinds. A suspended user gets the status of a stranger unless
    /// given.
    init(
      _ pattern: String, _ address: String? = nil, _ statuses: Int..., suspended: Int? = nil
    ) {
      self.pattern = pattern
      self.address = address ?? pattern
      let all =
        statuses.count == 1
        ? [Int](repeating: statuses[0], count: Kind.allCases.count - 1) : statuses
      self.statuses = all + [suspended ?? all[Kind.stranger.rawValue]]
    }
  }

  /// A couple with a public and a private post, and a user of each kind.
  final class Fixture {
    let instance: TestInstance
    let browsers: [Kind: TestClient]
    let open: String
    let secret: String
    /// For followers of the couple; no user here follows it.
    let narrow: String
    let couple: String
    /// The author's comment on the open post.
    let comment: String
    let draft: String
    let ownContact: String
    let contact: String
    /// The author's page about the partner, who has named them as a contact.
    let asContact: String
    let tap: String
    let timer: String
    let leftPhoto: String
    /// Photos of the author: one shared with the partner, one not.
    let shared: String
    let own: String
    /// A workout of the author.
    let workout: String
    /// The pages and a file of a published training, by pattern.
    let training: KeyValuePairs<String, String>
    /// A group that the author leads and the partner follows.
    let group: TestGroup
    let follower: String
    /// The path of a message of the author to the partner, with a picture.
    let message: String
    /// The path of a moment of the author for followers.
    let moment: String
    let admin: TestClient

    init() throws {
      instance = try TestInstance()
      let couple = try instance.couple()
      let workouts = try instance.upload([instance.workout()], try #require(couple.first))
      workout = "/workouts/\(try #require(workouts.stored.first))"
      for name in ["sam", "dan", "mod", "sue"] { try instance.alone(name) }
      let author = try instance.signedIn("ann")
      let deleted = try instance.signedIn("dan")
      let now = instance.clock.now()
      try instance.database.write {
        try $0.execute("UPDATE users SET deleted_at = \(now) WHERE display_name = 'Dan'")
        try $0.execute("UPDATE users SET role = 3 WHERE display_name = 'Mod'")
        try $0.execute(
          """
          UPDATE users SET suspended_until = \(Instant(milliseconds: .max)), suspended_why = 'Spam'
          WHERE display_name = 'Sue'
          """)
      }
      browsers = [
        .anonymous: instance.browser(), .guest: try instance.guest("Gia"),
        .stranger: try instance.signedIn("sam"), .partner: try instance.signedIn("ben"),
        .author: author, .deleted: deleted, .staff: try instance.signedIn("mod"),
        .suspended: try instance.signedIn("sue"),
      ]
      open = try author.writeWithPicture("For all")
      comment = "/comments/" + (try author.comment("Mine", on: open))
      secret = try author.writeWithPicture("Ours alone", visibility: "couple")
      narrow = try author.writeWithPicture("For followers", visibility: "followers")
      self.couple = try #require(
        author.get(open).text.firstMatch(of: /\/couples\/[0-9a-f-]{36}/).map {
          String($0.output)
        })
      author.upload(
        "\(self.couple)/edit",
        [("couple_name", "Ann & Ben"), ("anniversary", "2022-01-08"), ("bio", "")],
        files: [("avatar", SmallPicture.png)])
      let kept = author.upload(
        "/posts", [("content", "Kept")],
        files: [("images", SmallPicture.png), ("images", [1, 2])])
      author.post("/checkin/contacts", ["email": "pat@example.test"])
      let contactLink = author.get("/checkin/contacts").text.firstMatch(
        of: /\/checkin\/contacts\/[0-9a-f-]{36}/)
      ownContact = try #require(contactLink.map { String($0.output) })
      let partner = try instance.signedIn("ben")
      partner.post("/checkin/contacts", ["partner": "1"])
      let named = try #require(
        partner.call(.get, "/checkin/contacts").list("contacts").first?["id"] as? String)
      asContact = "/checkin/people/\(named)"
      draft = "/media/drafts/\(kept.value(of: "kept") ?? "none")"
      leftPhoto = "/stories/\(author.leaveAtStories().value(of: "kept") ?? "none")"
      shared = try author.addPhoto(isShared: true)
      own = try author.addPhoto()
      author.post("/workouts/sharing", ["shared": "1"])
      let watched = try instance.watched()
      (tap, timer) = (instance.tapPage(watched), instance.timerPage(watched))
      admin = try instance.admin()
      let service = try admin.publishTraining("Hills")
      admin.sendVideo(service)
      training = [
        "/workouts/trainings/:id": service.asPeople,
        "/media/trainings/:id/:file": try #require(admin.get(service.asPeople).pictures.first),
        "/admin/trainings": "/admin/trainings", "/admin/trainings/new": "/admin/trainings/new",
        "/admin/trainings/:id": service, "/admin/trainings/:id/edit": "\(service)/edit",
        "/admin/trainings/:id/cover": "\(service)/cover",
        "/admin/trainings/:id/video": "\(service)/video",
        "/admin/trainings/:id/captions": "\(service)/captions",
        "/admin/trainings/:id/delete": "\(service)/delete",
      ]
      contact = try instance.contactPage()
      let exercise = try author.makeGroup()
      try instance.signedIn("ben").join(author.code(of: exercise))
      follower = author.group(exercise).id(of: "Ben")
      group = exercise
      let conversation = String(self.couple.suffix(36))
      let sent = author.message("Between us", to: conversation, pictures: [SmallPicture.png])
      message =
        "/messages/\(conversation)/\(try #require(sent.json["id"] as? String, "\(sent.text)"))"
      moment = try author.share("Snow")
    }

    func picture(of post: String) throws -> String {
      try #require(browsers[.author]?.get(post).pictures.first { $0.contains("/posts/") })
    }

    /// API path of a photo's page.
    func call(_ photo: String) -> String { "/api/v1/photos/\(photo.suffix(36))" }

    func picture(ofPhoto photo: String) throws -> String {
      try #require(browsers[.author]?.get(photo).pictures.first { $0.contains("/photos/") })
    }

    func coupleAvatar() throws -> String {
      try #require(browsers[.author]?.get(couple).pictures.first { $0.contains("/avatar/") })
    }
  }

  /// anonymous, guest, stranger, partner, author, deleted, staff
  func rows(_ fixture: Fixture) throws -> [Row] {
    var rows = [
      Row("/", nil, 200),
      Row("/posts/:id", fixture.open, 200),
      Row("/posts/:id", fixture.secret, 404, 404, 404, 200, 200, 404, 404),
      Row("/posts/:id", fixture.narrow, 404, 404, 404, 200, 200, 404, 404),
      Row(
        "/media/couples/:id/posts/:post/:file", try fixture.picture(of: fixture.narrow),
        404, 404, 404, 200, 200, 404, 404),
      Row("/posts/:id/pictures/:number", "\(fixture.open)/pictures/1", 200),
      Row("/posts/:id/pictures/:number", "\(fixture.open)/pictures/2", 404),
      Row(
        "/posts/:id/pictures/:number", "\(fixture.secret)/pictures/1", 404, 404, 404, 200, 200, 404,
        404),
      Row(
        "/posts/:id/pictures/:number", "\(fixture.narrow)/pictures/1", 404, 404, 404, 200, 200, 404,
        404),
      Row("/search", "/search?q=for", 303, 200, 200, 200, 200, 303, 200),
      Row(
        "/couples/:id/followers", "\(fixture.couple)/followers", 303, 200, 200, 200, 200, 303, 200),
      Row("/couples/:id", fixture.couple, 200),
      Row("/couples/:id/edit", "\(fixture.couple)/edit", 303, 303, 403, 200, 200, 303, 403),
      Row("/media/couples/:id/posts/:post/:file", try fixture.picture(of: fixture.open), 200),
      Row(
        "/media/couples/:id/posts/:post/:file", try fixture.picture(of: fixture.secret),
        404, 404, 404, 200, 200, 404, 404),
      Row("/media/couples/:id/avatar/:file", try fixture.coupleAvatar(), 200),
      Row("/media/drafts/:id", fixture.draft, 303, 303, 404, 404, 200, 303, 404),
      // Without a registration there is no waiting page, without a token nothing to confirm.
      Row("/register/waiting", nil, 303),
      Row("/verify", nil, 410), Row("/verify/again", nil, 200),
      Row("/register/complete", nil, 410),
      Row("/reset/confirm", nil, 410),
      Row("/settings/recovery-code", nil, 303, 200, 404, 404, 404, 303, 404),
      Row("/become-a-member", nil, 303, 200, 303, 303, 303, 303, 303),
      Row("/merge", nil, 303),
      // No user has just signed in to a deleted account.
      Row("/account-deleted", nil, 303), Row("/restore", nil, 303),
      Row(
        "/settings/export/:id", "/settings/export/\(ID<Person>.random())",
        303, 404, 404, 404, 404, 303, 404),
      Row("/sign-in/code", nil, 303),
      Row("/settings/email/confirm", nil, 410),
      Row("/settings/email/undo", nil, 410),
      Row("/staff/enrol", nil, 410),
      Row("/pair/accept", nil, 410),
      // Requires a mailed link, and nothing else.
      Row("/c", nil, 404),
      Row("/c/:token", fixture.contact, 200),
      Row("/c/:token", "/c/nothing", 404),
      Row("/c/:token/stop", "\(fixture.contact)/stop", 200),
      Row("/c/:token/stop", "/c/nothing/stop", 404),
      Row("/checkin/people/:id", fixture.asContact, 303, 404, 404, 404, 200, 303, 404),
      Row("/timer/:token", fixture.timer, 200),
      Row("/timer/:token", "/timer/nothing", 404),
      Row("/tap/:token", fixture.tap, 200),
      Row("/tap/:token", "/tap/nothing", 404),
      // There is a page for both: users in a couple of two, and others.
      Row("/pair", nil, 303, 303, 200, 200, 200, 303, 200),
      Row("/settings/part", nil, 303, 303, 200, 200, 200, 303, 200),
      // Staff without a second factor are redirected to set one up.
      Row("/admin", nil, 303, 404, 404, 404, 404, 303, 303),
      // The same page for all viewers.
      Row("/offline", nil, 200),
      Row("/offline/:language", "/offline/zh-Hant", 200),
      // Viewers without an account get the start page of check-ins.
      Row("/checkin", nil, 200),
      Row("/checkin/offline", nil, 200),
      Row("/checkin/offline/:language", "/checkin/offline/en", 200),
      Row("/workouts/goal", nil, 303, 200, 200, 200, 200, 303, 200),
      Row(
        "/workouts/:id/share", "\(fixture.workout)/share", 303, 303, 404, 404, 200, 303, 404,
        suspended: 403),
      Row("/workouts/:id/picture", "\(fixture.workout)/picture", 303, 404, 404, 404, 200, 303, 404),
      Row("/workouts/:id/edit", "\(fixture.workout)/edit", 303, 404, 404, 404, 200, 303, 404),
      Row("/workouts/record", nil, 303, 200, 200, 200, 200, 303, 200),
      Row("/workouts/record/offline", nil, 200),
      Row("/workouts/record/offline/:language", "/workouts/record/offline/en", 200),
      Row("/workouts/offline", nil, 200),
      Row("/workouts/offline/:language", "/workouts/offline/en", 200),
      Row("/workouts/kept", nil, 200),
      Row("/workouts/kept/:language", "/workouts/kept/en", 200),
      Row("/workouts/trainings/offline", nil, 200),
      Row("/workouts/trainings/offline/:language", "/workouts/trainings/offline/en", 200),
      Row("/shells.json", nil, 200),
      // No worker runs in a test.
      Row("/healthz", nil, 503),
      Row("/dev/mail/:name", "/dev/mail/none", 404),
    ]
    rows += apiRows + (try postRows(fixture)) + noticeRows(fixture)
    rows += moderationRows(fixture) + walletRows(fixture) + (try messageRows(fixture))
    rows += try momentRows(fixture)
    rows += try albumRows(fixture) + groupRows(fixture)
    rows.append(
      Row(
        "/api/v1/sessions/:id",
        fixture.workout.replacing("/workouts/", with: "/api/v1/sessions/"), 401, 404, 404, 404, 200,
        401, 404))
    for change in ["edit", "delete"] {
      rows += [
        Row(
          "/posts/:id/\(change)", "\(fixture.open)/\(change)", 303, 303, 403,
          change == "edit" ? 403 : 200, 200, 303, 403),
        Row(
          "/posts/:id/\(change)", "\(fixture.secret)/\(change)", 303, 303, 404,
          change == "edit" ? 403 : 200, 200, 303, 404,
          suspended: change == "edit" ? 403 : 404),
      ]
    }
    rows += [
      Row(
        "/api/v1/posts/:id/comments", "/api/v1\(fixture.open)/comments", 200, 200, 200, 200, 200,
        200, 200),
      Row(
        "/api/v1/posts/:id/comments", "/api/v1\(fixture.secret)/comments", 404, 404, 404, 200, 200,
        404, 404),
      Row("/posts/:id/likes", "\(fixture.open)/likes", 303, 200, 200, 200, 200, 303, 200),
      Row("/posts/:id/likes", "\(fixture.secret)/likes", 303, 404, 404, 200, 200, 303, 404),
    ]
    rows.append(Row("/posts/deleted", nil, 303, 303, 200, 200, 200, 303, 200))
    rows.append(Row("/posts/saved", nil, 303, 303, 200, 200, 200, 303, 200))
    rows.append(Row("/api/v1/posts/saved", nil, 401, 403, 200, 200, 200, 401, 200))
    // No provider is configured.
    for way in ["", "/register", "/link"] {
      rows.append(
        Row(
          "/sign-in/with/:provider\(way)", "/sign-in/with/home\(way)",
          404, 404, 303, 303, 303, 404, 303))
    }
    for way in ["complete", "callback"] {
      rows.append(Row("/sign-in/with/:provider/\(way)", "/sign-in/with/home/\(way)", 404))
    }
    rows += [
      Row("/sign-in/passkey", nil, 200, 200, 303, 303, 303, 200, 303),
      Row("/register/passkey", nil, 404),
      Row("/settings/passkeys/new", nil, 303, 303, 200, 200, 200, 303, 200),
      Row("/settings/passkeys/options", nil, 303, 303, 404, 404, 404, 303, 404),
      Row(
        "/settings/passkeys/confirm", "/settings/passkeys/confirm?action=account_delete",
        303, 303, 200, 200, 200, 303, 200),
      Row(
        "/settings/passkeys/:id", "/settings/passkeys/00000000-0000-7000-8000-000000000000",
        303, 303, 404, 404, 404, 303, 404),
    ]
    let confirming = "action=account_delete&next=/settings/delete"
    rows += [
      Row("/settings/sign-in", nil, 303, 303, 200, 200, 200, 303, 200),
      Row(
        "/settings/sign-in/:provider", "/settings/sign-in/home", 303, 303, 404, 404, 404, 303, 404),
      Row(
        "/settings/confirm", "/settings/confirm?\(confirming)", 303, 303, 200, 200, 200, 303, 200),
      Row(
        "/settings/confirm/:provider", "/settings/confirm/home?\(confirming)",
        303, 303, 404, 404, 404, 303, 404),
    ]
    for path in ["/register", "/register/alone", "/sign-in", "/reset", "/recover"] {
      rows.append(Row(path, nil, 200, 200, 303, 303, 303, 200, 303))
    }
    let guestsPages = ["", "/language", "/sessions", "/devices", "/delete", "/export"]
    for path in guestsPages.map({ "/settings\($0)" }) {
      rows.append(Row(path, nil, 303, 200, 200, 200, 200, 303, 200))
    }
    for path in [
      "settings", "contacts", "timer", "help", "signs", "history", "history.csv", "history.json",
      "record",
      "record.json",
    ] {
      rows.append(Row("/checkin/\(path)", nil, 303, 200, 200, 200, 200, 303, 200))
    }
    for change in ["", "/remove", "/channels"] {
      rows.append(
        Row(
          "/checkin/contacts/:id\(change)", "\(fixture.ownContact)\(change)",
          303, 404, 404, 404, 200, 303, 404))
    }
    rows.append(
      Row(
        "/api/v1/checkin/contacts/:id/channels", "/api/v1\(fixture.ownContact)/channels",
        401, 404, 404, 404, 200, 401, 404))
    rows.append(Row("/settings/profile", nil, 303, 200, 200, 200, 200, 303, 200))
    for path in ["password", "email", "second-factor"] {
      rows.append(Row("/settings/\(path)", nil, 303, 303, 200, 200, 200, 303, 200))
    }
    for path in ["off", "codes"] {
      // There is no second factor to turn off yet.
      rows.append(Row("/settings/second-factor/\(path)", nil, 303, 303, 404, 404, 404, 303, 404))
    }
    // A kept story belongs to its browser only.
    rows += [
      Row("/stories/:ticket", fixture.leftPhoto, 404, 404, 404, 404, 200, 404, 404),
      Row("/stories/:ticket", "/stories/1-nothing", 404),
    ]
    rows.append(Row("/workouts", nil, 303, 200, 200, 200, 200, 303, 200))
    rows.append(Row("/workouts/deleted", nil, 303, 200, 200, 200, 200, 303, 200))
    for page in ["", "/delete"] {
      // The partner has another page for them.
      rows.append(
        Row(
          "/workouts/:id\(page)", "\(fixture.workout)\(page)",
          303, 404, 404, 404, 200, 303, 404))
    }
    let workout = fixture.workout.replacing("/workouts", with: "")
    rows += ["", workout].map { id in
      Row(
        "/workouts/partner\(id.isEmpty ? id : "/:id")", "/workouts/partner\(id)",
        303, 303, 404, 200, 404, 303, 404)
    }
    rows += ["", workout].map { id in
      Row(
        "/api/v1/partner/sessions\(id.isEmpty ? id : "/:id")", "/api/v1/partner/sessions\(id)",
        401, 403, 404, 200, 404, 401, 404)
    }
    rows.append(Row("/workouts/sharing", nil, 303, 303, 404, 200, 200, 303, 404))
    rows.append(Row("/workouts/trainings", nil, 303, 200, 200, 200, 200, 303, 200))
    for (pattern, path) in fixture.training {
      // Staff here have no second factor yet; the row has the status of viewers without permission.
      let status = pattern.hasPrefix("/admin") ? 404 : 200
      rows.append(Row(pattern, path, 303, status, status, status, status, 303, status))
    }
    rows += workoutFileRows(fixture)
    for path in [
      "/terms", "/privacy", "/about", "/help", "/stories", "/csrf", "/metrics", "/dev/mail",
    ] {
      rows.append(Row(path, nil, 200))
    }
    rows.append(Row("/help/:topic", "/help/album", 200))
    return rows
  }

  /// Import and export of workouts: visible to the user only.
  private func workoutFileRows(_ fixture: Fixture) -> [Row] {
    ["/workouts/add", "/workouts/import", "/workouts/export.zip"].map {
      Row($0, nil, 303, 200, 200, 200, 200, 303, 200)
    }
      + ["tcx", "csv"].map {
        Row("/workouts/:id.\($0)", "\(fixture.workout).\($0)", 303, 404, 404, 404, 200, 303, 404)
      }
  }

  /// A user's notices are private.
  private func noticeRows(_ fixture: Fixture) -> [Row] {
    let own = fixture.browsers[.author]?.noticeIDs().first ?? "none"
    return ["/notifications", "/settings/notifications"].map {
      Row($0, nil, 303, 200, 200, 200, 200, 303, 200)
    }
      + ["/api/v1/notifications", "/api/v1/notifications/settings", "/api/v1/push/key"].map {
        Row($0, nil, 401, 200, 200, 200, 200, 401, 200)
      }
      + [
        Row("/settings/calendar", nil, 303, 303, 404, 200, 200, 303, 404),
        // Requires a link; membership in the couple is not enough.
        Row("/couples/:id/anniversary.ics", "\(fixture.couple)/anniversary.ics", 404),
        // Redirects its recipient to the subject, all others to their own list.
        Row("/notifications/:id", "/notifications/\(own)", 303),
      ]
  }

  /// The GET calls of the API.
  private var apiRows: [Row] {
    [
      Row("/api", nil, 200),
      Row("/api/v1/openapi.json", nil, 200),
      Row("/api/v1/account", nil, 401, 200, 200, 200, 200, 401, 200),
      Row("/api/v1/devices/binding", nil, 401, 200, 200, 200, 200, 401, 200),
      Row("/api/v1/trainings", nil, 401, 200, 200, 200, 200, 401, 200),
      Row("/api/v1/sessions", nil, 401, 200, 200, 200, 200, 401, 200),
      Row("/api/v1/users/me", nil, 401, 200, 200, 200, 200, 401, 200),
      Row("/api/v1/users/me/stats", nil, 401, 200, 200, 200, 200, 401, 200),
    ]
  }

  /// An album is visible to the couple only, not to moderators (docs/developer/album.md#pages).
  private func albumRows(_ fixture: Fixture) throws -> [Row] {
    let (shared, own) = (fixture.shared, fixture.own)
    var rows = [
      Row("/album", nil, 303, 200, 200, 200, 200, 303, 200),
      Row("/album/:id", shared, 303, 404, 404, 200, 200, 303, 404),
      Row("/album/:id", own, 303, 404, 404, 404, 200, 303, 404),
      Row("/album/:id/view", "\(shared)/view", 303, 404, 404, 200, 200, 303, 404),
      Row("/album/:id/view", "\(own)/view", 303, 404, 404, 404, 200, 303, 404),
      Row("/album/:id/file", "\(shared)/file", 303, 404, 404, 200, 200, 303, 404),
      Row("/album/:id/file", "\(own)/file", 303, 404, 404, 404, 200, 303, 404),
      Row("/album/:id/story", "\(shared)/story", 303, 404, 404, 403, 200, 303, 404),
      Row("/album/:id/story", "\(own)/story", 303, 404, 404, 404, 200, 303, 404),
      Row("/album/deleted", nil, 303, 200, 200, 200, 200, 303, 200),
      Row("/album/:id/erase", "\(own)/erase", 303, 404, 404, 404, 404, 303, 404),
      Row("/album/:id/delete", "\(shared)/delete", 303, 404, 404, 403, 200, 303, 404),
      Row("/album/:id/delete", "\(own)/delete", 303, 404, 404, 404, 200, 303, 404),
      // A guest can become a member first and then post.
      Row("/album/:id/post", "\(shared)/post", 303, 303, 404, 403, 200, 303, 404, suspended: 403),
      Row("/album/:id/post", "\(own)/post", 303, 303, 404, 404, 200, 303, 404, suspended: 403),
    ]
    rows.append(Row("/api/v1/photos", nil, 401, 200, 200, 200, 200, 401, 200))
    for part in ["", "/file", "/story"] {
      let pattern = "/api/v1/photos/:id\(part)"
      rows += [
        Row(pattern, fixture.call(shared) + part, 401, 404, 404, 200, 200, 401, 404),
        Row(pattern, fixture.call(own) + part, 401, 404, 404, 404, 200, 401, 404),
      ]
    }
    rows.append(
      Row(
        "/media/photos/:id/:file", try fixture.picture(ofPhoto: shared),
        404, 404, 404, 200, 200, 404, 404))
    rows.append(
      Row(
        "/media/photos/:id/:file", try fixture.picture(ofPhoto: own),
        404, 404, 404, 404, 200, 404, 404))
    return rows
  }

  /// A group is visible to its members, its code and closing to the leader only.
  private func groupRows(_ fixture: Fixture) -> [Row] {
    let page = fixture.group.page
    var rows = [
      Row("/groups", nil, 303, 200, 200, 200, 200, 303, 200),
      Row("/api/v1/groups", nil, 401, 200, 200, 200, 200, 401, 200),
      // A viewer with a code may see the group's name.
      Row("/join", nil, 200),
      Row("/join/picture", nil, 303),
    ]
    for path in ["", "/settings", "/leave"] {
      rows.append(
        Row("/groups/:id\(path)", page + path, 303, 404, 404, 200, 200, 303, 404))
    }
    for path in ["/invite", "/close", "/emergency"] {
      rows.append(
        Row("/groups/:id\(path)", page + path, 303, 404, 404, 403, 200, 303, 404))
    }
    for path in ["/remove", "/lead"] {
      rows.append(
        Row(
          "/groups/:id/members/:user_id\(path)", "\(page)/members/\(fixture.follower)\(path)",
          303, 404, 404, 403, 200, 303, 404))
    }
    let call = "/api/v1\(fixture.group.call)"
    rows.append(Row("/api/v1/groups/:id", call, 401, 404, 404, 200, 200, 401, 404))
    // Allowed viewers request it like a browser's stream.
    rows.append(
      Row("/api/v1/groups/:id/events", "\(call)/events", 401, 404, 404, 200, 200, 401, 404))
    for path in ["/invite.svg", "/invite.png"] {
      rows.append(
        Row("/api/v1/groups/:id\(path)", call + path, 401, 404, 404, 403, 200, 401, 404))
    }
    return rows
  }

  /// A conversation is visible to its members.
  private func messageRows(_ fixture: Fixture) throws -> [Row] {
    let (message, couple) = (fixture.message, fixture.couple)
    let conversation = String(message.prefix(46))
    let picture = try #require(
      fixture.browsers[.author]?.get(conversation).pictures.first { $0.contains("/messages/") })
    var rows: [Row] = []
    for path in ["", "/settings", "/search"] {
      rows.append(Row("/messages\(path)", nil, 303, 303, 200, 200, 200, 303, 200))
      rows.append(
        Row("/messages/:id\(path)", conversation + path, 303, 303, 404, 200, 200, 303, 404))
    }
    rows += [
      Row(
        "/messages/:id/:message/edit", "\(message)/edit", 303, 303, 404, 404, 200, 303, 404,
        suspended: 403),
      Row(
        "/messages/:id/:message/delete", "\(message)/delete", 303, 303, 404, 404, 200, 303, 404),
      Row(
        "/messages/:id/:message/pictures/:number", "\(message)/pictures/1", 303, 303, 404, 200,
        200, 303, 404),
      Row(
        "/messages/:id/:message/report", "\(message)/report", 303, 303, 404, 200, 422, 303, 404,
        suspended: 403),
      Row("/media/messages/:id/:message/:file", picture, 303, 303, 404, 200, 200, 303, 404),
      Row(
        "/couples/:id/message", "\(couple)/message", 303, 303, 200, 404, 404, 303, 200,
        suspended: 403),
      Row(
        "/api/v1/couples/:id/conversation", "/api/v1\(couple)/conversation", 401, 403, 200, 422,
        422, 401, 200),
      Row(
        "/api/v1/conversations/search", "/api/v1/conversations/search?q=a", 401, 403, 200, 200,
        200, 401, 200),
    ]
    for path in ["", "/settings", "/events"] {
      rows.append(
        Row("/api/v1/conversations\(path)", nil, 401, 403, 200, 200, 200, 401, 200))
    }
    let call = "/api/v1/conversations/\(conversation.suffix(36))"
    for path in ["", "/messages", "/events"] {
      rows.append(
        Row("/api/v1/conversations/:id\(path)", call + path, 401, 403, 404, 200, 200, 401, 404))
    }
    return rows
  }

  /// A moment for followers is visible to its couple; no user here follows it.
  private func momentRows(_ fixture: Fixture) throws -> [Row] {
    let (moment, couple) = (fixture.moment, fixture.couple)
    let file = try #require(
      fixture.browsers[.author]?.get(moment).pictures.first { $0.contains("/moments/") })
    let call = "/api/v1/moments/\(moment.suffix(36))"
    var rows = [
      Row("/moments/new", nil, 303, 303, 200, 200, 200, 303, 200, suspended: 403),
      Row("/moments/:id", "/moments/\(couple.suffix(36))", 303, 303, 404, 200, 200, 303, 404),
      Row(
        "/moments/:id/:moment/report", "\(moment)/report", 303, 303, 404, 200, 422, 303, 404,
        suspended: 403),
      // The moment is a picture.
      Row("/moments/:id/:moment/film", "\(moment)/film", 303, 303, 404, 404, 404, 303, 404),
      Row("/media/moments/:id/:file", file, 303, 303, 404, 200, 200, 303, 404),
      Row("/api/v1/moments", nil, 401, 403, 200, 200, 200, 401, 200),
      Row(
        "/api/v1/couples/:id/moments", "/api/v1\(couple)/moments", 401, 403, 200, 200, 200, 401,
        200),
    ]
    for path in ["", "/viewers", "/delete"] {
      rows.append(
        Row("/moments/:id/:moment\(path)", moment + path, 303, 303, 404, 200, 200, 303, 404))
    }
    for path in ["", "/viewers"] {
      rows.append(
        Row("/api/v1/moments/:id\(path)", call + path, 401, 403, 404, 200, 200, 401, 404))
    }
    return rows
  }

  /// Reports and blocks. Pages of staff are refused without a second factor.
  private func moderationRows(_ fixture: Fixture) -> [Row] {
    let (post, secret, couple) = (fixture.open, fixture.secret, fixture.couple)
    var rows = [
      Row(
        "/posts/:id/report", "\(post)/report", 303, 303, 200, 422, 422, 303, 200, suspended: 403),
      Row(
        "/posts/:id/report", "\(secret)/report", 303, 303, 404, 422, 422, 303, 404,
        suspended: 403),
      Row(
        "/comments/:id/report", "\(fixture.comment)/report", 303, 303, 200, 422, 422, 303, 200,
        suspended: 403),
      Row(
        "/couples/:id/report", "\(couple)/report", 303, 303, 200, 422, 422, 303, 200,
        suspended: 403),
      // All members may block another couple.
      Row("/couples/:id/block", "\(couple)/block", 303, 303, 200, 422, 422, 303, 200),
      Row("/api/v1/blocks", nil, 401, 403, 200, 200, 200, 401, 200),
    ]
    for path in ["reports", "blocks"] {
      rows.append(Row("/settings/\(path)", nil, 303, 303, 200, 200, 200, 303, 200))
    }
    // A suspended guest must see the reason.
    rows.append(Row("/settings/decisions", nil, 303, 200, 200, 200, 200, 303, 200))
    for path in ["reports", "users", "couples", "log", "health"] {
      rows.append(Row("/admin/\(path)", nil, 303, 404, 404, 404, 404, 303, 404))
    }
    for path in ["reports", "users", "couples"] {
      let one = "/admin/\(path)/\(ID<Person>.random())"
      rows.append(Row("/admin/\(path)/:id", one, 303, 404, 404, 404, 404, 303, 404))
    }
    let role = "/admin/users/\(ID<Person>.random())/role"
    rows.append(Row("/admin/users/:id/role", role, 303, 404, 404, 404, 404, 303, 404))
    let sessions = "/admin/users/\(ID<Person>.random())/sessions"
    rows.append(Row("/admin/users/:id/sessions", sessions, 303, 404, 404, 404, 404, 303, 404))
    return rows
  }

  /// Coins belong to each member; only the couple promotes its posts.
  private func walletRows(_ fixture: Fixture) -> [Row] {
    var rows = ["/wallet", "/wallet/redeem", "/wallet/promote"].map {
      Row($0, nil, 303, 303, 200, 200, 200, 303, 200)
    }
    rows += [
      Row("/api/v1/wallet", nil, 401, 403, 200, 200, 200, 401, 200),
      Row("/admin/vouchers", nil, 303, 404, 404, 404, 404, 303, 404),
      Row(
        "/admin/vouchers/:id/end", "/admin/vouchers/\(ID<Person>.random())/end", 303, 404, 404, 404,
        404, 303, 404),
      Row(
        "/posts/:id/promote", "\(fixture.open)/promote", 303, 303, 403, 200, 200, 303, 403),
      Row(
        "/posts/:id/promote", "\(fixture.secret)/promote", 303, 303, 404, 200, 200, 303, 404,
        suspended: 403),
    ]
    return rows
  }

  /// Posts, couples, exports and check-ins by the API.
  private func postRows(_ fixture: Fixture) throws -> [Row] {
    let api = "/api/v1"
    let export = "\(api)/account/export/\(ID<Person>.random())"
    var rows = [
      Row("\(api)/posts/:id", "\(api)\(fixture.open)", 200),
      Row("\(api)/posts/:id", "\(api)\(fixture.secret)", 404, 404, 404, 200, 200, 404, 404),
      Row("\(api)/posts/:id", "\(api)\(fixture.narrow)", 404, 404, 404, 200, 200, 404, 404),
      Row("\(api)/couples/:id", "\(api)\(fixture.couple)", 200),
      Row(
        "\(api)/couples/:id/followers", "\(api)\(fixture.couple)/followers",
        401, 200, 200, 200, 200, 401, 200),
      Row("\(api)/search", "\(api)/search?q=for", 401, 200, 200, 200, 200, 401, 200),
    ]
    for (pattern, address) in [("", ""), ("/file", "/file")] {
      rows.append(
        Row(
          "\(api)/account/export/:id\(pattern)", "\(export)\(address)",
          401, 404, 404, 404, 404, 401, 404))
    }
    for path in [
      "/posts", "/account/sessions", "/checkin", "/checkin/contacts", "/checkin/history",
      "/checkin/timer", "/posts/events", "/checkin/contacts/removed", "/sessions/deleted",
    ] {
      rows.append(Row("\(api)\(path)", nil, 401, 200, 200, 200, 200, 401, 200))
    }
    return rows
  }

  @Test("Every page and picture answers every kind of person as the table says")
  func table() throws {
    let fixture = try Fixture()
    for row in try rows(fixture) {
      try #require(row.statuses.count == Kind.allCases.count, "\(row.pattern)")
      // In both orders: what is kept ready for one kind must not be shown to another.
      for kind in Kind.allCases + Kind.allCases.reversed() {
        let browser = try #require(fixture.browsers[kind])
        #expect(
          browser.get(row.address).status == row.statuses[kind.rawValue],
          "\(row.address) for \(kind)")
      }
    }
  }

  @Test("Answers to signed-in users are in no cache, except for the named ones")
  func caching() throws {
    let fixture = try Fixture()
    let signedIn: [Kind] = [.guest, .stranger, .partner, .author, .staff, .suspended]
    var kept: Set<String> = []
    for row in try rows(fixture) {
      for kind in signedIn {
        let answer = try #require(fixture.browsers[kind]).get(row.address)
        if answer.headers[.cacheControl]?.hasSuffix("no-store") != true { kept.insert(row.pattern) }
      }
    }
    let sameForAll: Set = [
      "/api/v1/openapi.json",
      // Public pictures.
      "/media/couples/:id/posts/:post/:file", "/media/couples/:id/avatar/:file",
      "/media/trainings/:id/:file",
    ]
    #expect(kept == sameForAll)
  }

  @Test("The table knows every address that shows something")
  func complete() throws {
    let fixture = try Fixture()
    let known = Set(try rows(fixture).map(\.pattern))
    let shown = fixture.instance.instance.routes.filter { $0.method == .get }.map(\.pattern)
    #expect(Set(shown).subtracting(known) == [])
  }
}
