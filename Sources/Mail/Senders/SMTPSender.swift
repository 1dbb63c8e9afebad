import Ccurl

/// Sends mail through a server (RFC 5321) with libcurl.
public struct SMTPSender: MailSender {
  /// The encryption of the connection.
  public enum Security: String, Sendable {
    /// None: for a server on the same machine.
    case none
    /// Begins in plain text, then TLS or failure (RFC 3207), usually on port 587.
    case starttls
    /// TLS from the first byte (RFC 8314), usually on port 465.
    case tls
  }

  /// A user name and a password for the server.
  public struct Login: Sendable {
    let user: String
    let password: String

    public init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  let host: String
  let port: Int
  let login: Login?
  let security: Security
  let timeout: Double
  /// The default timeout of a whole sending, in s.
  public static let defaultTimeout = 60.0
  let certificates: String?

  /// `timeout` in s applies to a whole sending; `certificates` is a PEM file of authorities to
  /// trust instead of the system's.
  public init(
    host: String, port: Int, login: Login? = nil, security: Security,
    timeout: Double = SMTPSender.defaultTimeout, certificates: String? = nil
  ) {
    self.host = host
    self.port = port
    self.login = login
    self.security = security
    self.timeout = timeout
    self.certificates = certificates
  }

  public func send(_ message: MailMessage, returnPath: MailAddress) throws(MailSendError) {
    try send(message.rendered(), from: returnPath, to: message.to)
  }

  /// Sends a message (RFC 5322, lines ending in CRLF) from one address to one address.
  func send(
    _ message: [UInt8], from: MailAddress, to: MailAddress
  ) throws(MailSendError) {
    let transfer = SMTPTransfer(message)
    let result = try transfer.perform(self, from: from, to: to)
    guard result != CURLE_OK else { return }
    throw SMTPVerdict.failure(
      result, reason: transfer.reason, command: transfer.dialogue.command,
      reply: transfer.dialogue.reply)
  }
}
