import Testing

@testable import App

/// Requests with all statements of moments.
enum MomentRequests {
  static func exercise(_ instance: TestInstance) throws {
    // Many sign-ins from one address hit the rate limit.
    instance.clock.advance(seconds: 61)
    defer { instance.clock.advance(seconds: 61) }
    try instance.couple("Xena & Xavi", "xena", "xavi")
    try instance.couple("Yuna & Yves", "yuna", "yves")
    let (xena, xavi) = (try instance.signedIn("xena"), try instance.signedIn("xavi"))
    let yuna = try instance.signedIn("yuna")
    let couple = try xena.coupleID()
    yuna.post("/couples/\(couple)/follow")
    let moment = try xena.share("Snow")
    let other = try xena.share("For us", audience: "couple")
    for browser in [xena, xavi, yuna] {
      for page in ["/", "/moments/\(couple)", moment, "\(moment)/viewers"] { browser.get(page) }
    }
    xena.get(try #require(xena.get(moment).pictures.first { $0.contains("/moments/") }))
    xavi.post("\(moment)/keep")
    let call = "/moments/\(moment.suffix(36))"
    let kept = try #require(xavi.call(.post, "\(call)/keep").json["photo_id"] as? String)
    xavi.post("/album/\(kept)/delete")
    xavi.call(.post, "\(call)/keep")
    xavi.post("/album/\(kept)/delete")
    xavi.post("/album/\(kept)/erase")
    xavi.call(.post, "\(call)/keep")
    xavi.call(.post, "\(call)/answers", #"{"client_id":"x","text":"Lovely"}"#)
    yuna.post("\(moment)/answer", ["client_id": "a", "text": "Cold?"])
    yuna.call(.put, "\(call)/seen")
    _ = xena.viewers(of: moment)
    _ = yuna.circles()
    _ = yuna.moments(of: couple)
    yuna.report(moment)
    yuna.post(try #require(yuna.get("/settings/reports").undo))
    yuna.report(moment)
    xavi.post("\(other)/delete")
    let moderator = try instance.moderator("zora")
    let waiting = try #require(
      moderator.get("/admin/reports").cases.first { moderator.get($0).shows("/media/moments/") })
    moderator.get(try #require(moderator.get(waiting).pictures.first))
    moderator.decide(waiting, "dismiss")
    instance.clock.advance(seconds: 1)
    yuna.report(moment)
    yuna.post(try #require(yuna.get("/settings/reports").undo))
    moderator.decide(waiting, "hide")
  }
}
