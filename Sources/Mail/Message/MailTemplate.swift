import Core
import Templates

/// A mail as three templates (subject, text, HTML), compiled once.
public struct MailTemplate<V: View>: Sendable {
  private let subject: Template<V>
  private let text: Template<V>
  private let html: Template<V>

  /// Compiles `mail/<name>.subject`, `.text` and `.html`; the name begins with the folder, as in
  /// `settings/email-changed`. Throws `TemplateError`.
  public init(_ name: String, templates: TemplateSet) throws {
    subject = try templates.template("mail/\(name).subject")
    text = try templates.template("mail/\(name).text")
    html = try templates.template("mail/\(name).html")
  }

  /// The mail's content in one language, with headers beyond the common ones.
  public func written(
    _ view: V, in language: Language, headers: [MailMessage.Header] = []
  ) -> MailContent {
    func rendered(_ template: Template<V>) -> String {
      String(decoding: template.render(view, in: language), as: UTF8.self)
    }
    return MailContent(
      subject: rendered(subject).asOneLine, text: rendered(text), html: rendered(html),
      language: language,
      headers: headers)
  }
}

/// The content of a mail, for any recipient.
public struct MailContent: Codable, Sendable {
  public let subject: String
  public let text: String
  public let html: String
  public let language: Language
  /// Headers beyond the common ones.
  public let headers: [MailMessage.Header]
}
