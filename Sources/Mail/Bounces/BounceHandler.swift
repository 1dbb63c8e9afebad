import Core

/// Processes messages that a mail server received for a return address (`pairspot mail bounce`).
public struct BounceHandler {
  /// The outcome.
  public enum Outcome: Equatable, Sendable, CustomStringConvertible {
    case noted(ID<QueuedMail>, reason: String)
    case ignored(String)

    public var description: String {
      switch self {
      case .noted(let mail, let reason): "mail \(mail) came back: \(reason)"
      case .ignored(let why): "ignored: \(why)"
      }
    }
  }

  private let queue: MailQueue
  private let observers: [any DeliveryObserver]

  public init(_ queue: MailQueue, observers: [any DeliveryObserver]) {
    self.queue = queue
    self.observers = observers
  }

  /// Reads a message sent to `address`, by default to the addresses in its header, and records the
  /// bounce if it is one. Throws `BounceMessage.Problem` and `StorageError`.
  public func take(_ bytes: [UInt8], for address: String?, now: Instant) throws -> Outcome {
    let message = try BounceMessage(bytes)
    let addresses = address.map { [$0] } ?? message.recipients
    let mails = addresses.compactMap { queue.returnAddress.mail(comingBackTo: $0.withoutBrackets) }
    guard let mail = mails.first else {
      return .ignored("not a return address of PairSpot, or an invalid signature")
    }
    switch message.verdict {
    case .ignored(let why): return .ignored(why)
    case .failed(let reason): return try note(mail, reason, isLost: false, now: now)
    case .lost(let reason): return try note(mail, reason, isLost: true, now: now)
    }
  }

  private func note(
    _ mail: ID<QueuedMail>, _ reason: String, isLost: Bool, now: Instant
  ) throws -> Outcome {
    let reason = reason.withoutAddresses
    try queue.bounced(mail, reason, isLost: isLost, now: now, observers: observers)
    return .noted(mail, reason: reason)
  }
}

extension String {
  /// An address of an envelope, without white space and angle brackets.
  fileprivate var withoutBrackets: String {
    let text = asTrimmed
    return text.hasPrefix("<") && text.hasSuffix(">") ? String(text.dropFirst().dropLast()) : text
  }
}
