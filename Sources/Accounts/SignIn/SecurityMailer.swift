import Core
import Database
import Mail
import Templates

/// Queues mails about a user's security: a code that confirms an action, and a released device.
struct SecurityMailer {
  private let queue: MailQueue
  private let baseURL: String
  private let confirmCode: MailTemplate<SecurityMail>
  private let deviceReleased: MailTemplate<SecurityMail>

  init(templates: TemplateSet, queue: MailQueue, baseURL: String) throws {
    self.queue = queue
    self.baseURL = baseURL
    confirmCode = try MailTemplate("accounts/confirm-code", templates: templates)
    deviceReleased = try MailTemplate("accounts/device-released", templates: templates)
  }

  /// `action` names what the code confirms.
  func code(
    _ code: String, for action: String, to member: Recipient, now: Instant,
    in writer: WriteTransaction
  ) throws {
    try send(confirmCode, to: member, code: code, action: action, now: now, in: writer)
  }

  /// `device` is its name; empty if it has none.
  func released(_ device: String, to member: Recipient, now: Instant, in writer: WriteTransaction)
    throws
  {
    try send(deviceReleased, to: member, device: device, now: now, in: writer)
  }

  private func send(
    _ template: MailTemplate<SecurityMail>, to member: Recipient, code: String = "",
    action: String = "",
    device: String = "", now: Instant, in writer: WriteTransaction
  ) throws {
    let view = SecurityMail(
      link: baseURL + AccountLinks.reset, baseURL: baseURL, name: member.name, code: code,
      action: action, device: device)
    try queue.add(
      template.written(view, in: member.language), to: member.address, now: now, in: writer)
  }
}

/// Template values of these mails.
struct SecurityMail: View {
  let link: String
  let baseURL: String
  let name: String
  let code: String
  let action: String
  let device: String

  static let fields: [String: Field<SecurityMail>] = [
    "link": .text { $0.link },
    "base_url": .text { $0.baseURL },
    "name": .name { $0.name },
    "code": .text { $0.code },
    "action": .text { $0.action },
    "minutes": .integer { _ in Int(MailedCodeStore.lifetime / 60) },
    "device": .name { $0.device },
  ]
}
