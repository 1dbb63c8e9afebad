import Album
import Core
import Foundation
import Testing

@testable import Accounts
@testable import App

/// Content that each user has alone.
extension CanaryWorld {
  func fill(_ person: CanaryPerson) throws {
    let browser = try browser(person)
    try addPhotos(of: person, browser)
    try addWorkout(of: person, browser)
    let device = browser.call(
      .put, "/devices/binding",
      "{\"device_id\":\"\(ID<Device>.random())\",\"name\":\"\(person.mark(.device))\"}")
    try #require(device.status == 200, "\(person) \(device.text)")
    _ = try instance.app(id(person), name: person.mark(.app))
    try #require(browser.subscribe(person.mark(.endpoint)).status == 204)
    guard !CanaryPerson.guests.contains(person) else { return }
    try addPosts(of: person, browser)
    try addMessages(of: person, browser)
    if person == .ann { try addMoment(of: person, browser) }
    // Vouchers show their coins, so neither of the two is the mark.
    for coins in [person.coins - 1000, 1000] { try instance.grant(coins, to: id(person)) }
    if try instance.database.read({
      try $0.exists(
        """
        SELECT 1 FROM couples c JOIN users u ON u.couple_id = c.id
        WHERE u.id = \(id(person)) AND c.status = 'single'
        """)
    }) {
      try execute(
        """
        UPDATE couples SET name = \(person.mark(.couple))
        WHERE id = (SELECT couple_id FROM users WHERE id = \(id(person)))
        """)
      try #require(browser.invite(person.address(.invited)).status == 303, "\(person)")
    }
    try execute(
      """
      UPDATE couples SET bio = \(person.mark(.bio))
      WHERE bio = '' AND id = (SELECT couple_id FROM users WHERE id = \(id(person)))
      """)
  }

  /// A post for each audience, with comments, a picture where the table lists one, and a draft picture.
  private func addPosts(of person: CanaryPerson, _ browser: TestClient) throws {
    for (kind, visibility, description) in [
      (CanaryKind.open, "public", person.mark(.described)), (.narrow, "followers", ""),
      (.two, "couple", person.mark(.two, 2)),
    ] {
      let post = try self.post(
        person.mark(kind), visibility, described: description, by: person, browser)
      let mark = CanaryMark(kind, of: person)
      if kind != .narrow {
        try browser.comment(person.mark(kind == .open ? .remark : .whisper), on: post)
      }
      if kind != .open || mark.kind != .open { finder.add(String(post.suffix(36)), mark) }
    }
    let kept = browser.upload(
      "/posts", [("content", "")],
      files: [
        ("images", CanaryPicture.png(person.mark(.comment), under: "Comment")), ("images", [1]),
      ])
    let draft = try #require(kept.value(of: "kept"), "\(person) \(kept.status)")
    finder.add(draft, CanaryMark(.draft, of: person))
    addresses.append(CanaryAddress("/media/drafts/:id", "/media/drafts/\(draft)"))
  }

  @discardableResult
  func post(
    _ words: String, _ visibility: String, described description: String, by person: CanaryPerson,
    _ browser: TestClient
  ) throws -> String {
    let picture = CanaryPicture.png(person.mark(.comment), under: "Comment")
    let answer = browser.upload(
      "/posts",
      [
        ("nonce", UUID().uuidString), ("content", words), ("visibility", visibility),
        ("description_1", description),
      ], files: description.isEmpty ? [] : [("images", picture)])
    try #require(answer.status == 303, "\(person) \(answer.text)")
    let post = try #require(answer.toastLink)
    values["posts", default: []].append(String(post.suffix(36)))
    let pictures = browser.get(post).pictures.filter { $0.contains("/posts/") }
    for picture in pictures.prefix(person == .ann ? 9 : 1) {
      addresses.append(CanaryAddress("/media/couples/:id/posts/:post/:file", picture))
    }
    return post
  }

  /// A message with a picture to the partner, and settings.
  private func addMessages(of person: CanaryPerson, _ browser: TestClient) throws {
    guard [.ann, .ben, .cyd, .dee, .eve, .fin].contains(person) else { return }
    let couple = try couple(person)
    let sent = browser.message(
      person.mark(.message), to: couple,
      pictures: [CanaryPicture.png(person.mark(.comment), under: "Comment")],
      descriptions: [person.mark(.message, 2)])
    try #require(sent.status == 201, "\(person) \(sent.text)")
    let id = try #require(sent.json["id"] as? String)
    values["messages", default: []].append(couple)
    values["conversations", default: []].append(couple)
    values["message", default: []].append(id)
    let page = browser.get("/messages/\(couple)")
    if let picture = page.pictures.first(where: { $0.contains("/messages/") }) {
      addresses.append(CanaryAddress("/media/messages/:id/:message/:file", picture))
    }
    browser.call(.patch, "/conversations/settings", #"{"shares_reads":true}"#)
  }

  /// A moment for the followers of the couple.
  private func addMoment(of person: CanaryPerson, _ browser: TestClient) throws {
    let moment = try browser.share(
      person.mark(.moment), CanaryPicture.png(person.mark(.comment), under: "Comment"))
    let id = String(moment.suffix(36))
    finder.add(id, CanaryMark(.moment, of: person))
    // The same part of a page's address is a couple, and a moment in one of the API.
    values["moments", default: []] += [try couple(person), id]
    values["moment", default: []].append(id)
    for file in browser.get(moment).pictures.filter({ $0.contains("/moments/") }).prefix(1) {
      addresses.append(CanaryAddress("/media/moments/:id/:file", file))
    }
  }

  /// A private and a shared photo, each with a story, a caption and another story.
  private func addPhotos(of person: CanaryPerson, _ browser: TestClient) throws {
    for (kind, isShared) in [(CanaryKind.story, false), (.shared, true)] {
      let before = Set(browser.album())
      let withStory = CanaryPicture.png(
        person.mark(kind, 2), under: "Description",
        in: try SmallPhoto.png(story: person.mark(kind)))
      let answer = browser.add(withStory, isShared: isShared)
      try #require(answer.status == 303, "\(person) \(answer.text)")
      let photo = try #require(browser.album().first { !before.contains($0) })
      let id = String(photo.suffix(36))
      try execute(
        """
        UPDATE photos SET caption = \(person.mark(kind, 2))
        WHERE id = \(try #require(ID<Photo>(id)))
        """)
      try execute(
        """
        UPDATE photos SET other_story = \(person.mark(kind, 3))
        WHERE id = \(try #require(ID<Photo>(id)))
        """)
      finder.add(id, CanaryMark(kind, of: person))
      values["album", default: []].append(id)
      if let picture = browser.get(photo).pictures.first(where: { $0.contains("/photos/") }) {
        addresses.append(CanaryAddress("/media/photos/:id/:file", picture))
      }
    }
  }

  private func addWorkout(of person: CanaryPerson, _ browser: TestClient) throws {
    var detail: [String: Any] = [:]
    for (name, whole) in [
      ("avg_hr", 121), ("max_hr", 151), ("avg_power", 120), ("max_power", 180), ("avg_cadence", 70),
      ("max_cadence", 90), ("avg_speed", 8), ("max_speed", 9),
    ] {
      detail[name] = person.number(.figure, above: whole)
    }
    let raw = Data(person.mark(.workout).utf8).base64EncodedString()
    /// The identifier of a workout that began so many seconds ago.
    func add(_ secondsAgo: Int64) throws -> String {
      let answer = try browser.sending(
        .post, "/sessions", instance.session(secondsAgo, ["detail": detail, "raw": raw]))
      try #require(answer.status == 201, "\(person) \(answer.text)")
      let id = try #require(answer.json["id"] as? String)
      let described = try browser.sending(
        .patch, "/sessions/\(id)",
        ["title": person.mark(.workout, 2), "note": person.mark(.workout, 3)])
      try #require(described.status == 200, "\(person) \(described.text)")
      finder.add(id, CanaryMark(.workout, of: person))
      return id
    }
    values["workouts", default: []].append(try add(3600))
    let deleted = try add(7200)
    try #require(browser.post("/workouts/\(deleted)/delete").status == 303)
    if person == .ann {
      try #require(browser.post("/workouts/sharing", ["shared": "1"]).status == 303)
    }
  }
}
