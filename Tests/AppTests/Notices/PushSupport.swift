import Core
import Crypto
import Foundation
import Secrets
import Synchronization
import WebPush

@testable import App

/// A fake sender that records pushes and returns configured outcomes.
final class PushLog: PushSender {
  private let sent = Mutex<[PushMessage]>([])
  private let outcome = Mutex<PushOutcome>(.sent)
  private let stuck = Mutex<StuckService?>(nil)

  func send(_ message: PushMessage, now: Instant) -> PushOutcome {
    if let service = stuck.withLock({ $0 }), service.host == message.endpoint.host {
      service.take()
      return .later(after: nil, because: "no answer")
    }
    sent.withLock { $0.append(message) }
    return outcome.withLock { $0 }
  }

  /// Sets the service's outcome from now on.
  func answer(_ new: PushOutcome) { outcome.withLock { $0 = new } }

  /// Uses this stuck service from now on.
  func stand(in service: StuckService) { stuck.withLock { $0 = service } }

  /// Number of pushes to a service since the last call.
  func count(to host: String) -> Int {
    sent.withLock { all in all.count { $0.endpoint.host == host } }
  }

  /// The pushes sent since the last call.
  func take() -> [PushMessage] {
    sent.withLock { all in
      defer { all = [] }
      return all
    }
  }
}

extension PushMessage {
  private var payload: [String: String] {
    (try? JSONDecoder().decode([String: String].self, from: Data(content))) ?? [:]
  }

  var body: String? { payload["body"] }
  var url: String? { payload["url"] }
  /// The words of the button that checks in; empty if there is none.
  var action: String? { payload["action"] }
  /// The pseudonym of the user that the button checks in; empty if there is none.
  var user: String? { payload["user"] }
}

extension TestClient {
  /// The subscription of this browser.
  static func subscription(_ endpoint: String) -> String {
    let point =
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    return """
      {"endpoint":"\(endpoint)","expirationTime":null,\
      "keys":{"p256dh":"\(point)","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}
      """
  }

  static let pushEndpoint = "https://fcm.googleapis.com/fcm/send/"

  @discardableResult
  func subscribe(_ name: String = "one") -> TestResponse {
    call(.post, "/push/subscriptions", Self.subscription(Self.pushEndpoint + name))
  }
}

extension TestInstance {
  /// Sends the pushes that are due, and returns them.
  func pushed() throws -> [PushMessage] {
    try instance.features.notices.dispatcher.sendDue()
    return pushes.take()
  }
}
