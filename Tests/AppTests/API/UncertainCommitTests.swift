import Core
import Database
import Messages
import Moments
import Testing

@testable import App

@Suite("A connection that is lost during a commit, so that a row may be stored")
struct UncertainCommitTests {
  /// Makes a request whose transaction with a result of this type ends so.
  private func losing<Made: Sendable>(
    _: Made.Type, _ request: () -> TestResponse
  ) -> TestResponse {
    let hook = TransactionHook { _, result in
      if result is Made { throw StorageError.uncertain }
    }
    return TransactionHook.$step.withValue(hook) { request() }
  }

  @Test("The files that the row would name stay, and the answer says 503")
  func files() throws {
    let scenario = try MessageFileScenario()
    let (instance, ann) = (scenario.instance, scenario.people.ann)
    let message = losing(Message.self) {
      ann.message("", to: scenario.conversation, pictures: [SmallPicture.png])
    }
    #expect(message.status == 503 && message.code == "unavailable", "\(message.text)")
    #expect(try scenario.stored().count == 3)

    let moment = losing(ID<Moment>.self) {
      ann.upload(
        "/moments", [("nonce", "n"), ("words", "Snow"), ("audience", "followers")],
        files: [("file", SmallPicture.png)])
    }
    #expect(moment.status == 503)
    #expect(try instance.mediaFiles().contains { $0.hasPrefix("moments/") })

    let post = losing(String.self) {
      ann.send("/posts", [("content", "Snow")], files: [("images[]", SmallPicture.png)])
    }
    #expect(post.status == 503 && post.code == "unavailable", "\(post.text)")
    #expect(try instance.mediaFiles().contains { $0.contains("/posts/") })
  }
}
