import Core
import Mail

/// Sends each message by Apprise, to a webhook or to a browser.
public struct AllChannelsSender: ChannelSender {
  /// After this time no other call to a webhook or push service is begun, in s; shorter than
  /// messages are held.
  static let longest: Double = 50

  let apprise: AppriseSender
  let webhooks: WebhookSender
  let push: PushChannelSender?

  public init(appriseInterpreter: String, clock: any Clock, push: PushChannelSender? = nil) {
    apprise = AppriseSender(interpreter: appriseInterpreter)
    webhooks = WebhookSender(clock: clock)
    self.push = push
  }

  public func send(_ messages: [OutgoingMessage]) throws -> [ID<QueuedMail>: Bool] {
    let end = ContinuousClock.now.advanced(by: .seconds(Self.longest))
    var results: [ID<QueuedMail>: Bool] = [:]
    var others: [OutgoingMessage] = []
    for message in messages {
      switch message.means {
      case .apprise: others.append(message)
      case .webhook(let webhook) where ContinuousClock.now < end:
        results[message.id] = webhooks.send(message, to: webhook)
      case .push(let target) where ContinuousClock.now < end:
        results[message.id] = push?.send(message, to: target) ?? false
      case .webhook, .push: break
      }
    }
    guard !others.isEmpty else { return results }
    do {
      return results.merging(try apprise.send(others)) { $1 }
    } catch {
      // Those that were sent otherwise are not sent again.
      if results.isEmpty { throw error }
      return others.reduce(into: results) { $0[$1.id] = false }
    }
  }

  public func isReady() -> Bool { apprise.isReady() }
}
