import Accounts
import Core
import Database
import Foundation
import Glibc
import Logging
import Secrets
import Synchronization
import Templates
import Web
import WebPush

/// Sends pushes to their services, on threads of its own: a slow or unavailable service delays
/// neither mails and alerts nor the pushes of other services (each may use a part of the threads at
/// most). Several dispatchers may share an outbox.
public final class PushDispatcher: Sendable {
  /// Maximum number of concurrent pushes; below, to one service.
  static let threads = 8
  static let threadsOfOne = 3
  /// Pause when the outbox is empty, in µs.
  private static let pause: UInt32 = 1_000_000
  /// Delays before retries, in s.
  private static let delays: [Int64] = [
    30, .minutes(2), .minutes(10), .minutes(30), .hours(1), .hours(3),
  ]

  /// Upper limit of a delay requested by a service, in s.
  private static let maximumPause: Int64 = .hours(1)

  private let site: AppEnvironment
  private let services: PushServices
  private let sender: any PushSender
  private let texts: any PushTexts
  private let directory: UserDirectory
  private let outbox = PushOutbox()
  private let busy = Mutex<[String: Int]>([:])
  private let turn = Mutex(())
  private let stopping = Atomic(false)

  init(
    site: AppEnvironment, services: PushServices, sender: any PushSender,
    texts: any PushTexts = PlainPushTexts()
  ) {
    self.texts = texts
    self.site = site
    self.services = services
    self.sender = sender
    directory = UserDirectory(keys: site.keys)
  }

  /// Starts sending; returns at once.
  public func start() {
    for _ in 0..<Self.threads {
      Thread.detachNewThread { [self] in run() }
    }
  }

  /// Stops the threads soon.
  public func stop() { stopping.store(true, ordering: .relaxed) }

  private func run() {
    while !stopping.load(ordering: .relaxed) {
      do {
        if try sendOne() { continue }
      } catch {
        // A locked database or a full disk is temporary.
        site.logger.error("push: \(error)")
      }
      usleep(Self.pause)
    }
  }

  /// Sends all pushes that are due, one after the other.
  public func sendDue() throws {
    while try sendOne() {}
  }

  private func sendOne() throws -> Bool {
    let now = site.clock.now()
    guard let entry = try claim(now: now) else { return false }
    defer {
      busy.withLock {
        let left = ($0[entry.host] ?? 1) - 1
        $0[entry.host] = left > 0 ? left : nil
      }
    }
    try note(try outcome(of: entry, now: now), of: entry)
    return true
  }

  /// One thread at a time, so that no service exceeds its limit.
  private func claim(now: Instant) throws -> PushOutbox.Entry? {
    try turn.withLock { _ in
      let saturated = busy.withLock { Set($0.filter { $0.value >= Self.threadsOfOne }.keys) }
      let entry = try outbox.claim(in: site.database, busy: saturated, now: now)
      if let entry { busy.withLock { $0[entry.host, default: 0] += 1 } }
      return entry
    }
  }

  private func outcome(of entry: PushOutbox.Entry, now: Instant) throws -> PushOutcome {
    let life = entry.endsAt.seconds(since: now)
    guard life > 0 else { return .refused(0) }
    // The operator may have changed the allowed push services.
    guard let endpoint = services.endpoint(entry.endpoint),
      let kind = NoticeKind(rawValue: entry.kind),
      let keys = PushKeys(point: entry.point, secret: entry.secret),
      let card = try site.database.read({ try directory.card(entry.person, in: $0) })
    else { return .gone }
    let text = try site.database.read {
      try texts.text(of: kind, subject: entry.subject, for: entry.person, in: $0)
    }
    guard let text else { return .refused(0) }
    return sender.send(
      PushMessage(
        endpoint: endpoint, keys: keys,
        content: PushPayload(catalogues: site.catalogues).content(
          kind, text, path: entry.path, topic: entry.topic,
          user: site.browserUser(entry.person),
          in: card.language ?? site.defaultLanguage),
        life: life, urgency: entry.isUrgent ? .high : .normal, topic: Self.sealed(entry)),
      now: now)
  }

  /// The `Topic` header (RFC 8030, 5.4): replaces an undelivered push about the same subject. An
  /// HMAC with the subscription's secret, so the service learns neither the subject nor which other
  /// users receive the same.
  private static func sealed(_ entry: PushOutbox.Entry) -> String {
    Base64URL.text(Digests.hmac(Array(entry.topic.utf8), key: entry.secret).prefix(18))
  }

  private func note(_ outcome: PushOutcome, of entry: PushOutbox.Entry) throws {
    let now = site.clock.now()
    switch outcome {
    case .refused(let status) where status > 0:
      site.logger.warning("push: \(entry.host) returned status \(status)")
    case .later(_, let reason) where entry.attempts == 0:
      site.logger.info("push: \(entry.host): \(reason)")
    default: break
    }
    try site.database.writeWithoutHooks { writer in
      switch outcome {
      case .sent, .refused: try outbox.remove(entry, in: writer)
      case .gone: try outbox.end(entry, in: writer)
      case .later(let seconds, _):
        let delay = Self.delays[min(entry.attempts, Self.delays.count - 1)]
        try outbox.postpone(
          entry, to: now.adding(seconds: max(delay, min(seconds ?? 0, Self.maximumPause))),
          in: writer)
      }
    }
  }
}

/// The payload sent to the service worker of the page.
struct PushPayload {
  let catalogues: Catalogues

  /// JSON: `title` and `body` to show, `url` to open, `tag` by which a later push replaces it. A push
  /// that asks for a check-in also has `action`, the words of a button that checks in, `done`, what is
  /// shown then, and `user`, the pseudonym of the user that the button checks in; elsewhere these are
  /// empty.
  func content(
    _ kind: NoticeKind, _ text: PushText = .plain, path: String, topic: String,
    user: String, in language: Language
  ) -> [UInt8] {
    // A timer, which a check-in does not end, has another page and a text of its own.
    let asksToCheckIn = kind == .checkIn && path == AccountLinks.checkIn
    let isOfTimer = kind == .checkIn && !asksToCheckIn
    func textIfAsked(_ key: String) -> String {
      asksToCheckIn ? catalogues.text(key, in: language) : ""
    }
    var output = JSONOutput()
    PushContent(
      title: catalogues.text("brand", in: language),
      body: isOfTimer
        ? catalogues.text("push.text_timer", in: language)
        : text.text(of: kind, catalogues, in: language),
      url: path, tag: topic,
      action: textIfAsked("push.check_in_action"), done: textIfAsked("push.check_in_done"),
      user: asksToCheckIn ? user : "", language: language
    ).write(to: &output)
    return output.bytes
  }
}

private struct PushContent: JSONResponse {
  let title: String
  let body: String
  let url: String
  let tag: String
  let action: String
  let done: String
  let user: String
  let language: Language

  static let jsonFields: [JSONField<Self>] = [
    JSONField("title") { $0.title },
    JSONField("body") { $0.body },
    JSONField("url") { $0.url },
    JSONField("tag") { $0.tag },
    JSONField("action") { $0.action },
    JSONField("done") { $0.done },
    JSONField("user") { $0.user },
    JSONField("lang") { $0.language },
  ]
}
