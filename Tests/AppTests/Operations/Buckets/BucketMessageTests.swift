import FakeObjectStore
import Foundation
import Testing

@testable import App

@Suite("Files of messages in a bucket")
struct BucketMessageTests {
  private let scenario: BucketScenario
  private let ann: TestClient
  private let conversation: String

  init() throws {
    scenario = try BucketScenario()
    ann = try scenario.instance.signedIn("ann")
    conversation = try ann.coupleID()
  }

  /// Sends a picture; returns the message and the addresses of its files.
  private func send() throws -> (message: String, addresses: [String]) {
    let sent = ann.message("Words", to: conversation, pictures: [SmallPicture.png])
    let message = try #require(sent.json["id"] as? String, "\(sent.text)")
    let files = try scenario.stored("messages").filter { $0.contains(message) }
    try #require(files.count == 3 && files.allSatisfy { $0.hasSuffix(".sealed") })
    return (message, files.map { "/media/\($0.dropLast(".sealed".count))" })
  }

  @Test("A picture is encrypted in the bucket alone, and sent to those who see the message")
  func view() throws {
    let (_, addresses) = try send()
    for name in ["ann", "ben"] {
      let answer = try scenario.instance.signedIn(name).get(addresses[0])
      #expect(answer.status == 200 && answer.headers[.accelRedirect] == nil)
      #expect(answer.body.starts(with: MessageFileScenario.pngSignature))
    }
    let part = ann.get(addresses[0], headers: [.range: "bytes=1-3"])
    #expect(part.status == 206 && part.text == "PNG")
    try scenario.instance.alone("sam")
    #expect(try scenario.instance.signedIn("sam").get(addresses[0]).status == 404)
    let path = try #require(try scenario.stored("messages").first)
    let bytes = try #require(try scenario.media.get(path, limit: 1 << 20))
    #expect(Data(bytes).range(of: Data("PNG".utf8)) == nil)
    #expect(try scenario.instance.mediaFiles().isEmpty)
  }

  @Test("While the store fails, nothing is sent, the words are kept, and pictures wait")
  func failing() throws {
    let (_, addresses) = try send()
    let before = try scenario.stored("messages")
    try scenario.server.fail(BucketScenario.slow)
    let refused = ann.upload(
      "/messages/\(conversation)", [("client_id", "a-1"), ("text", "Our words")],
      files: [("pictures", SmallPicture.png)])
    #expect(refused.status == 503 && refused.shows("Our words"))
    #expect(ann.get(addresses[0]).status == 503)
    try scenario.server.fail([])
    #expect(try scenario.stored("messages") == before)
    #expect(ann.messages(of: conversation) == ["Words"])
    #expect(ann.get(addresses[0]).status == 200)
  }

  @Test("A message without a picture asks the store for nothing")
  func words() throws {
    _ = try scenario.server.requests()
    let sent = ann.message("Words", to: conversation)
    let message = try #require(sent.json["id"] as? String)
    let path = "/conversations/\(conversation)/messages/\(message)"
    #expect(ann.call(.delete, path).status == 204)
    #expect(try scenario.server.requests().isEmpty)
  }

  @Test("The files of a deleted message are deleted, later if the store does not answer")
  func deleted() throws {
    let (message, _) = try send()
    try scenario.server.fail(BucketScenario.slow)
    let path = "/conversations/\(conversation)/messages/\(message)"
    #expect(ann.call(.delete, path).status == 204)
    try scenario.server.fail([])
    #expect(try scenario.stored("messages").count == 3)
    scenario.instance.clock.advance(seconds: 301)
    try scenario.instance.work()
    #expect(try scenario.stored("messages").isEmpty)
    #expect(try scenario.instance.count("SELECT count(*) FROM file_removals") == 0)
  }

  @Test("The doctor names a missing file, and a file that no row names goes after a week")
  func missing() throws {
    _ = try send()
    let named = try scenario.stored("messages")
    #expect(try scenario.findings() == [])
    let orphan = named[0].replacing(/[0-9a-f]{8}-/, with: "3f2504e0-")
    for path in [orphan, "messages/readme"] { try scenario.media.put([1], as: path) }
    #expect(try scenario.clean(days: 6, "messages").contains(orphan))
    #expect(try Set(scenario.clean(days: 8, "messages")) == Set(named + ["messages/readme"]))
    try scenario.media.delete([named[0]])
    #expect(try scenario.findings() == ["\(named[0]) is missing"])
  }
}
