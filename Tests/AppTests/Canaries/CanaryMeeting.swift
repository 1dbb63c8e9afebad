import Core
import Foundation
import Testing

@testable import App

/// Interactions between users, and moderation.
extension CanaryWorld {
  /// Follows, likes, blocks, a separation.
  func meet() throws {
    let couple = "/couples/\(try couple(.ann))"
    for person in [CanaryPerson.cyd, .nik, .kim, .tom] {
      try #require(try browser(person).post("\(couple)/follow").status == 303, "\(person)")
    }
    try browser(.wes).post("/couples/\(try self.couple(.sam))/follow")
    let open = try #require(values["posts"]?.first)
    for person in [CanaryPerson.cyd, .nik, .tom, .uli] {
      try browser(person).post("/posts/\(open)/like")
    }
    try browser(.ann).post("/couples/\(try self.couple(.nik))/block")
    try browser(.kim).post("\(couple)/block")
    try browser(.ann).promote("/posts/\(open)")
    try #require(try browser(.eve).part().status == 303)
    let edited = try browser(.ann).upload(
      "\(couple)/edit",
      [
        ("couple_name", CanaryPerson.ann.mark(.couple)), ("anniversary", "2025-11-28"),
        ("bio", CanaryPerson.ann.mark(.bio)),
      ],
      files: ["avatar", "own_avatar"].map {
        ($0, CanaryPicture.png(CanaryPerson.ann.mark(.comment), under: "Comment"))
      })
    try #require(edited.status == 303, "\(edited.text)")
    for picture in try browser(.ann).get(couple).pictures where picture.contains("/avatar/") {
      addresses.append(CanaryAddress("/media/couples/:id/avatar/:file", picture))
    }
    for person in [CanaryPerson.ann, .cyd] {
      try browser(person).post("/settings/calendar", ["button": "make"])
    }
  }

  /// A moving group: one leads, three follow, one has left and one was removed.
  func exerciseTogether() throws {
    let lea = try browser(.lea)
    let group = try lea.makeGroup(CanaryPerson.lea.mark(.group))
    let code = try lea.code(of: group)
    let link = try #require(lea.link(of: group).firstMatch(of: /code=([A-Z0-9]+)/)).output.1
    try #require(link.count == 26)
    finder.add(String(link), CanaryMark(.code, of: .lea))
    for person in [CanaryPerson.ann, .wes, .hal, .vic, .rex] {
      try #require(try browser(person).join(code).location == group.page, "\(person)")
    }
    for person in [CanaryPerson.lea, .ann, .wes, .hal, .vic, .rex] {
      let answer = try browser(person).share(
        person.number(.latitude, above: 24), person.number(.longitude, above: 121), with: group)
      try #require(answer.status == 204, "\(person) \(answer.text)")
    }
    let latitude = CanaryPerson.lea.number(.waypoint, above: 25)
    let longitude = CanaryPerson.lea.number(.waypoint, above: 122)
    let waypoint = lea.call(
      .post, "\(group.call)/waypoints",
      """
      {"name":"\(CanaryPerson.lea.mark(.group, 2))","latitude":\(latitude),"longitude":\(longitude)}
      """)
    let id = try #require(waypoint.json["id"] as? String, "\(waypoint.text)")
    lea.call(.put, "\(group.call)/waypoints/\(id)/active")
    let called = lea.call(
      .post, "\(group.call)/commands",
      "{\"kind\":\"gather\",\"note\":\"\(CanaryPerson.lea.mark(.group, 3))\"}")
    try #require(called.status == 201, "\(called.text)")
    try browser(.wes).call(.post, "\(group.call)/commands", #"{"kind":"need_help"}"#)
    try #require(try browser(.vic).post("\(group.page)/leave").status == 303)
    try #require(
      lea.post("\(group.page)/members/\(try self.id(.rex))/remove").status == 303)
    let own = try browser(.sam).call(
      .post, "/groups", "{\"name\":\"\(CanaryPerson.sam.mark(.group))\"}",
      headers: [.idempotencyKey: "once"])
    let other = try #require(own.json["id"] as? String, "\(own.text)")
    finder.add(other, CanaryMark(.group, of: .sam))
    finder.add(group.id, CanaryMark(.group, of: .lea))
    values["groups"] = [group.id, other]
    values["members"] = try [CanaryPerson.lea, .wes, .vic, .rex].map { try self.id($0).description }
  }

  /// Open reports, a hidden post with an appeal, a suspended user, trainings.
  func moderate() throws {
    let (ann, pia, moe) = (try browser(.ann), try browser(.pia), try browser(.moe))
    let hidden = try post(
      CanaryPerson.ann.mark(.hidden), "public", described: CanaryPerson.ann.mark(.hidden, 2),
      by: .ann, ann)
    finder.add(String(hidden.suffix(36)), CanaryMark(.hidden, of: .ann))
    pia.report(hidden, "other", note: CanaryPerson.pia.mark(.report))
    let waiting = try instance.onlyCase(moe)
    moe.decide(waiting, "hide", note: CanaryPerson.ann.mark(.decision))
    let appeal = try #require(
      ann.get("/settings/decisions").text
        .firstMatch(of: /action="(\/settings\/decisions\/[^"]+)"/).map { String($0.output.1) })
    ann.post(appeal, ["words": CanaryPerson.ann.mark(.appeal)])
    let open = try #require(values["posts"]?.first)
    pia.report("/posts/\(open)", "other", note: CanaryPerson.pia.mark(.report, 2))
    let comment = try #require(
      ann.call(.get, "/posts/\(open)/comments").list("comments").first?["id"] as? String)
    values["comments", default: []].append(comment)
    pia.report("/comments/\(comment)", "spam")
    pia.report("/couples/\(try couple(.ann))", "other", note: CanaryPerson.pia.mark(.report, 3))
    let moment = try #require(values["moment"]?.first)
    let ofMoment = try browser(.cyd).report("/moments/\(try couple(.ann))/\(moment)")
    try #require(ofMoment.status == 303, "\(ofMoment.text)")
    let ora = try browser(.ora)
    let about = try #require(
      ora.get("/admin/reports?couple=\(try couple(.ann))").cases.first {
        ora.get($0).shows(CanaryPerson.pia.mark(.report, 3))
      })
    try #require(ora.decide(about, "warn", note: CanaryPerson.ann.mark(.verdict)).status == 303)
    let suspended = ora.decide(
      "/admin/users/\(try id(.uli))", "suspend", note: CanaryPerson.uli.mark(.suspended),
      until: "7")
    try #require(suspended.status == 303)
    try talk()
    try makeTrainings(ora)
    _ = try instance.codes(1, by: ora)
  }

  /// A request of Ann to Cyd and Dee, who accept and report a message; Dee reports one of Cyd's.
  private func talk() throws {
    let (ann, cyd) = (try browser(.ann), try browser(.cyd))
    let asked = try ann.writeTo(couple(.cyd), CanaryPerson.ann.mark(.talk))
    try #require(asked.status == 201, "\(asked.text)")
    let own = try couple(.cyd)
    let id = try #require(cyd.conversations().first { $0 != own })
    try #require(cyd.call(.post, "/conversations/\(id)/accept").status == 204)
    let second = ann.message(CanaryPerson.ann.mark(.talk, 2), to: id)
    let message = try #require(second.json["id"] as? String, "\(second.text)")
    try #require(cyd.report("/messages/\(id)/\(message)").status == 303)
    values["messages", default: []].append(id)
    values["conversations", default: []].append(id)
    let dee = try browser(.dee)
    let ofCyd = try #require(
      dee.call(.get, "/conversations/\(own)/messages").list("messages")
        .first { $0["text"] as? String == CanaryPerson.cyd.mark(.message) }?["id"] as? String)
    try #require(dee.report("/messages/\(own)/\(ofCyd)").status == 303)
    // Pushes are made when they are sent: before their recipients read the messages.
    try instance.instance.features.notices.dispatcher.sendDue()
  }

  private func makeTrainings(_ ora: TestClient) throws {
    for (kind, isPublished) in [(CanaryKind.training, true), (.unpublished, false)] {
      let answer = ora.post(
        "\(TestClient.trainings)/new",
        [
          "name": CanaryPerson.ora.mark(kind), "description": CanaryPerson.ora.mark(kind, 2),
          "difficulty": "easy", "minutes_1": "5", "seconds_1": "", "target_1": "power",
          "value_1": "100", "text_1": CanaryPerson.ora.mark(kind, 3),
        ])
      let service = try #require(answer.location, "\(answer.text)")
      if isPublished { ora.post(service, ["button": "publish"]) }
      ora.sendCover(service)
      ora.sendVideo(service)
      let id = String(service.suffix(36))
      values["trainings", default: []].append(id)
      if !isPublished { finder.add(id, CanaryMark(kind, of: .ora)) }
      let pages = [service, "\(service)/edit", service.asPeople].map { ora.get($0) }
      for picture in Set(pages.flatMap(\.pictures)) where picture.contains("/trainings/") {
        addresses.append(CanaryAddress("/media/trainings/:id/:file", picture))
      }
    }
  }
}
