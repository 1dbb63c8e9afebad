import Basics
import Database
import Mail
import Templates

/// The letters about apps: a code that confirms a change, and a device that was released.
struct AppMails {
  private let queue: MailQueue
  private let baseURL: String
  private let confirmCode: Letter<AppLetter>
  private let deviceReleased: Letter<AppLetter>

  init(templates: TemplateSet, queue: MailQueue, baseURL: String) throws {
    self.queue = queue
    self.baseURL = baseURL
    confirmCode = try Letter("confirm-code", templates: templates)
    deviceReleased = try Letter("device-released", templates: templates)
  }

  /// `action` says in words what the code confirms.
  func code(
    _ code: String, for action: String, to member: Recipient, now: Instant, in writer: Writer
  ) throws {
    try send(confirmCode, to: member, code: code, action: action, now: now, in: writer)
  }

  /// `device` is its name, "" for none.
  func released(_ device: String, to member: Recipient, now: Instant, in writer: Writer) throws {
    try send(deviceReleased, to: member, device: device, now: now, in: writer)
  }

  private func send(
    _ letter: Letter<AppLetter>, to member: Recipient, code: String = "", action: String = "",
    device: String = "", now: Instant, in writer: Writer
  ) throws {
    let view = AppLetter(
      link: baseURL + AccountLinks.reset, baseURL: baseURL, name: member.name, code: code,
      action: action, device: device)
    try queue.add(
      letter.written(view, in: member.language), to: member.address, now: now, in: writer)
  }
}

/// What stands in these letters.
struct AppLetter: View {
  let link: String
  let baseURL: String
  let name: String
  let code: String
  let action: String
  let device: String

  static let fields: [String: Field<AppLetter>] = [
    "link": .text { $0.link },
    "base_url": .text { $0.baseURL },
    "name": .name { $0.name },
    "code": .text { $0.code },
    "action": .text { $0.action },
    "minutes": .integer { _ in Int(MailedCodeStore.lifetime / 60) },
    "device": .name { $0.device },
  ]
}
