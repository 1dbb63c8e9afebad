import Core
import Secrets

/// A mail with a plain text and the same as HTML.
public struct MailMessage: Sendable {
  /// A header beyond the common ones, such as `List-Unsubscribe`.
  public struct Header: Codable, Hashable, Sendable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    /// The name without characters that a name cannot have.
    var plainName: String { name.filter { MailMessage.isVisible($0) && $0 != ":" } }
  }

  public let fromName: String
  public let from: MailAddress
  public let to: MailAddress
  public let subject: String
  public let text: String
  public let html: String
  /// "id@domain" without angle brackets; the same for each sending of the same mail.
  public let messageID: String
  public let date: Instant
  public let language: Language
  public let headers: [Header]

  public init(
    fromName: String, from: MailAddress, to: MailAddress, subject: String, text: String,
    html: String, messageID: String, date: Instant, language: Language, headers: [Header] = []
  ) {
    self.fromName = fromName
    self.from = from
    self.to = to
    self.subject = subject
    self.text = text
    self.html = html
    self.messageID = messageID
    self.date = date
    self.language = language
    self.headers = headers
  }

  /// The message as it is sent (RFC 5322): lines end in CRLF, all bytes are ASCII, and the same
  /// message gives the same bytes each time. A line break in any field becomes a space.
  public func rendered() -> [UInt8] {
    // "=_" occurs in neither quoted-printable nor base64 (RFC 2045, section 6.7).
    let seed = Array("\(messageID)\n\(text)\n\(html)".utf8)
    let boundary = "=_" + Hex.text(Digests.sha256(seed).prefix(16))
    let message =
      head(boundary: boundary)
      + part("text/plain", text, boundary: boundary)
      + part("text/html", html, boundary: boundary)
      + "\r\n--\(boundary)--\r\n"
    return Array(message.utf8)
  }

  private func head(boundary: String) -> String {
    MIMEHeader.line("From", fromName, from)
      + MIMEHeader.line("To", "", to)
      + MIMEHeader.line("Subject", subject)
      + MIMEHeader.line("Date", MailDate.text(date))
      + MIMEHeader.line("Message-ID", "<\(messageID.filter(Self.isVisible))>")
      + headers.map { MIMEHeader.line($0.plainName, $0.value) }.joined()
      + MIMEHeader.line("Auto-Submitted", "auto-generated")
      + MIMEHeader.line("Content-Language", language.rawValue)
      + MIMEHeader.line("MIME-Version", "1.0")
      + MIMEHeader.line("Content-Type", "multipart/alternative; boundary=\"\(boundary)\"")
  }

  private func part(_ type: String, _ content: String, boundary: String) -> String {
    let body = MIMEBody(content)
    // The line end before a boundary belongs to it (RFC 2046, section 5.1.1).
    return "\r\n--\(boundary)\r\n"
      + MIMEHeader.line("Content-Type", "\(type); charset=utf-8")
      + MIMEHeader.line("Content-Transfer-Encoding", body.encoding)
      + "\r\n" + body.text
  }

  fileprivate static func isVisible(_ character: Character) -> Bool {
    character.asciiValue.map { 0x21...0x7E ~= $0 } ?? false
  }
}
