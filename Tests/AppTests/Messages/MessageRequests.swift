import Testing

@testable import App

/// Requests with all statements of messages.
enum MessageRequests {
  static func exercise(_ instance: TestInstance) throws {
    // Many sign-ins from one address hit the rate limit.
    instance.clock.advance(seconds: 61)
    defer { instance.clock.advance(seconds: 61) }
    try instance.couple("Oda & Ole", "oda", "ole")
    try instance.couple("Ona & Odo", "ona", "odo")
    let (oda, ole) = (try instance.signedIn("oda"), try instance.signedIn("ole"))
    let ona = try instance.signedIn("ona")
    let (own, other) = (try oda.coupleID(), try ona.coupleID())
    ole.subscribe("ole")
    let first = oda.message("Words", to: own, pictures: [SmallPicture.png])
    let id = try #require(first.json["id"] as? String, "\(first.text)")
    let pictures = first.json["pictures"] as? [[String: Any]]
    let picture = try #require(pictures?.first?["thumbnail_url"] as? String)
    oda.get(String(picture.dropFirst("http://\(TestInstance.host)".count)))
    ole.message("Answer", to: own, quoted: id)
    _ = try instance.pushed()
    try oda.writeTo(other, "Shall we walk?")
    let asked = try #require(ona.conversations().first { $0 != other })
    oda.get("/messages/\(asked)")
    let request = oda.call(.get, "/conversations/\(asked)/messages").list("messages").first
    let requestID = try #require(request?["id"] as? String)
    instance.clock.advance(seconds: 1000)
    oda.call(.patch, "/conversations/\(asked)/messages/\(requestID)", #"{"text":"Shall we run?"}"#)
    oda.call(.post, "/conversations/\(asked)/withdraw")
    oda.get("/messages")
    try oda.writeTo(other, "Shall we walk, then?")
    ona.call(.post, "/conversations/\(asked)/decline")
    try ona.writeTo(own, "Later")
    for conversation in [own, asked] {
      let path = "/conversations/\(conversation)"
      for query in ["", "?after=0", "?since=2026-01-01T00:00:00Z", "?limit=1"] {
        oda.call(.get, "\(path)/messages\(query)")
      }
      for page in ["", "?before=2", "?from=1", "?day=2026-01-01", "/search?q=a", "/settings"] {
        oda.get("/messages/\(conversation)\(page)")
      }
      ole.call(.put, "\(path)/read", "{}")
      ole.call(.put, "\(path)/writing")
      ole.call(.put, "\(path)/muted-hours", #"{"from":60,"to":120}"#)
      oda.call(.get, "\(path)/events")
    }
    let message = "/conversations/\(own)/messages/\(id)"
    ole.call(.put, "\(message)/reaction", #"{"reaction":"heart"}"#)
    oda.call(.patch, message, #"{"text":"Other words"}"#)
    oda.get("/messages/\(own)/\(id)/pictures/1")
    let later = try #require(
      ona.call(.get, "/conversations/\(asked)/messages").list("messages").first?["id"] as? String)
    oda.report("/messages/\(asked)/\(later)")
    ona.call(.delete, "/conversations/\(asked)/messages/\(later)")
    oda.post(try #require(oda.get("/settings/reports").undo))
    oda.call(.delete, message)
    for path in ["/messages", "/messages/search?q=walk", "/couples/\(other)/message"] {
      oda.get(path)
    }
    oda.call(.patch, "/conversations/settings", #"{"shares_reads":false}"#)
    oda.call(.post, "/couples/\(other)/block")
    oda.get("/messages")
  }
}
