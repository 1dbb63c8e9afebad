import Core
import Foundation
import Logging
import Mail
import Processes

/// A message ready for sending.
public struct OutgoingMessage: Sendable {
  enum Means: Sendable {
    /// The URL may hold secrets of the operator.
    case apprise(url: String)
    case webhook(ChannelWebhook)
    case push(PushTarget)
  }

  let id: ID<QueuedMail>
  let means: Means
  let title: String
  let body: String
  /// The path of the recipient's page.
  let path: String
  let language: Language
}

/// Sends messages by services outside.
public protocol ChannelSender: Sendable {
  /// Sends the messages in order; returns of each that was tried to the end whether the service took
  /// it over. Throws if none could be tried.
  func send(_ messages: [OutgoingMessage]) throws -> [ID<QueuedMail>: Bool]

  /// Whether messages can be sent at all, as far as that is known without sending one.
  func isReady() -> Bool
}

/// The end of an attempt to send a message by a channel.
enum ChannelResult {
  case sent
  case failed
  /// A message before took too long.
  case untried
}

extension ChannelSender {
  /// Sends messages; returns the result of each, in order. Of those without an answer the first took
  /// too long, and the others were not tried. With an error, all have failed.
  func results(of messages: [OutgoingMessage], _ logger: Logger) -> [ChannelResult] {
    do {
      let answers = try send(messages)
      var hasHung = false
      return messages.map { message in
        if let isSent = answers[message.id] { return isSent ? .sent : .failed }
        defer { hasHung = true }
        return hasHung ? .untried : .failed
      }
    } catch {
      logger.error("channels: \(error)")
      return messages.map { _ in .failed }
    }
  }
}

/// Sends by Apprise (https://github.com/caronc/apprise) in a child process.
///
/// URLs and texts are passed in the environment of the child, which other users of the machine
/// cannot read, unlike its arguments.
public struct AppriseSender: ChannelSender {
  /// The time that one child may take, in s.
  static let timeout: Double = 60
  /// The time that loading Apprise may take, in s.
  static let startTimeout: Double = 20

  /// Reads `MESSAGES`, and writes a line for each message as soon as it is sent.
  private static let program = """
    import json, os
    import apprise
    for message in json.loads(os.environ.pop("MESSAGES")):
        service = apprise.Apprise()
        sent = service.add(message["url"]) and service.notify(
            title=message["title"], body=message["body"])
        print(message["id"], "sent" if sent else "failed", flush=True)
    """

  /// A Python interpreter that has Apprise.
  let interpreter: String

  public init(interpreter: String) {
    self.interpreter = interpreter
  }

  public func send(_ messages: [OutgoingMessage]) throws -> [ID<QueuedMail>: Bool] {
    let list: [[String: String]] = messages.compactMap {
      guard case .apprise(let url) = $0.means else { return nil }
      return ["id": $0.id.description, "url": url, "title": $0.title, "body": $0.body]
    }
    let json = String(decoding: try JSONEncoder().encode(list), as: UTF8.self)
    let result = try ChildProcess.run(
      interpreter, ["-I", "-c", Self.program],
      environment: ["MESSAGES": json, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"],
      timeout: Self.timeout)
    let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
    guard result.status == 0 || result.timedOut || !lines.isEmpty else {
      throw Failed(status: result.status)
    }
    return lines.reduce(into: [:]) { results, line in
      let words = line.split(separator: " ")
      guard words.count == 2, let id = ID<QueuedMail>(words[0]) else { return }
      results[id] = words[1] == "sent"
    }
  }

  /// Whether the interpreter can be started and has Apprise.
  public func isReady() -> Bool {
    let result = try? ChildProcess.run(
      interpreter, ["-I", "-c", "import apprise"], environment: ["PATH": "/usr/bin:/bin"],
      timeout: Self.startTimeout)
    return result?.status == 0
  }

  /// The child ended before it tried a message. Its output may contain secrets and is not kept.
  struct Failed: Error, CustomStringConvertible {
    let status: Int32
    var description: String { "Apprise ended with status \(status)" }
  }
}
