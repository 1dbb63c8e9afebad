import Core
import Mail
import Templates

/// The operator's mail commands.
public struct MailCommands {
  private let instance: Instance

  public init(_ instance: Instance) {
    self.instance = instance
  }

  /// Sends one mail at once, bypassing the queue, in the instance's language. Throws
  /// `MailAddressError` and `MailSendError`.
  public func sendTrial(to address: String) throws -> MailAddress {
    let recipient = try MailAddress(address)
    let baseURL = instance.configuration.baseURL
    let content = instance.testMail.written(
      TestMail(baseURL: baseURL), in: instance.configuration.language)
    try instance.mailQueue.sendNow(content, to: recipient, now: instance.site.clock.now())
    return recipient
  }

  /// The transport of mail, as text.
  public var way: String {
    switch instance.configuration.mail {
    case .file: "a file in \(instance.configuration.mailFolder)"
    case .smtp: "SMTP"
    case .resend: "Resend"
    }
  }

  /// Processes a message that came to a return address. Throws `BounceMessage.Problem` and database
  /// errors.
  public func take(bounce: [UInt8], for address: String?) throws -> BounceHandler.Outcome {
    try BounceHandler(instance.mailQueue, observers: instance.mailObservers)
      .take(bounce, for: address, now: instance.site.clock.now())
  }
}

/// The content of a trial mail.
struct TestMail: View {
  let baseURL: String

  static let fields: [String: Field<TestMail>] = [
    "link": .text { "\($0.baseURL)/" },
    "base_url": .text { $0.baseURL },
  ]
}
