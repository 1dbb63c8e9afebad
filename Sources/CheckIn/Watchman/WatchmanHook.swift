import Core
import Foundation
import Secrets
import Web

/// The address at which a watchman asks (docs/developer/watchman.md#questions); exempt from CSRF,
/// since a key is needed.
struct WatchmanHook: Sendable {
  static let path = "/webhooks/watchman"
  /// The maximum size of a question, in bytes.
  static let bodyLimit = 1 << 20
  /// The number of questions with a wrong key from one address.
  static let wrongKeys = RateLimit("watchman-wrong", maximum: 30, window: .hours(1))
  private static let purpose = "watchman question"

  private let services: CheckInEnvironment

  init(_ services: CheckInEnvironment) {
    self.services = services
  }

  /// None without a watchman.
  var routes: [Route] {
    guard services.watchmanKey != nil else { return [] }
    return [
      Route(
        .post, Self.path, .anyone,
        options: [.noStore, .withoutCSRF, .rawBody, .withoutViewer], bodyLimit: Self.bodyLimit,
        handler: answer)
    ]
  }

  /// The credential of the questions.
  static func credential(_ key: SharedKey) -> String { Base64URL.text(key.derived(purpose)) }

  @Sendable private func answer(_ context: Context) throws -> Response {
    let body = try context.request.wholeBody(limit: Self.bodyLimit)
    let key = try services.limits.attempt(Self.wrongKeys, context.address, now: context.now) {
      services.watchmanKey.flatMap { key in
        let given = Array((context.request.bearerToken ?? "").utf8)
        return ConstantTime.equal(given, Array(Self.credential(key).utf8)) ? key : nil
      }
    }
    guard let key else {
      context.note(.signatureRefused)
      return .text("wrong key\n", status: .unauthorized)
    }
    guard let question = try? JSONDecoder().decode(WatchmanQuestion.self, from: Data(body)),
      question.silentAfter > 0
    else { return .text("not a question\n", status: .badRequest) }
    let answer = try WatchmanService(services: services).answer(question, key, now: context.now)
    return .json(Array(try JSONEncoder().encode(answer)))
  }
}
