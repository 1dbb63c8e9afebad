import Mail

/// The settings of mail: transport and sender.
extension ConfigurationReader {
  mutating func mail(isDevelopment: Bool) -> Configuration.MailTransport {
    switch choice("PAIRSPOT_MAIL", ["file", "smtp", "resend"], isDevelopment ? "file" : "smtp") {
    case "smtp": return .smtp(smtp())
    case "resend": return .resend(resend(isDevelopment: isDevelopment))
    default:
      if !isDevelopment { note("PAIRSPOT_MAIL: file is only allowed in development") }
      return .file
    }
  }

  private mutating func smtp() -> SMTPSender {
    let host = text("SMTP_HOST", "")
    if host.isEmpty { note("SMTP_HOST: missing") }
    let security = choice("SMTP_TLS", ["none", "starttls", "tls"], "starttls")
    let user = text("SMTP_USER", "")
    return SMTPSender(
      host: host, port: number("SMTP_PORT", security == "tls" ? 465 : 587, 1...65_535),
      login: user.isEmpty ? nil : .init(user: user, password: text("SMTP_PASSWORD", "")),
      security: SMTPSender.Security(rawValue: security) ?? .starttls)
  }

  private mutating func resend(isDevelopment: Bool) -> ResendSender {
    let key = text("RESEND_API_KEY", "")
    if key.isEmpty {
      note("RESEND_API_KEY: missing")
    } else if !key.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) {
      note("RESEND_API_KEY: contains an invalid character")
    }
    let url = text("RESEND_URL", ResendSender.standardURL)
    if !url.hasPrefix("https://") && !(isDevelopment && url.hasPrefix("http://")) {
      note("RESEND_URL: must start with https://")
    }
    return ResendSender(key: key, url: url)
  }

  /// Nil if unset; nil with an error added if invalid.
  mutating func webhookSignature(_ name: String) -> WebhookSignature? {
    let secret = text(name, "")
    if secret.isEmpty { return nil }
    let signature = WebhookSignature(secret: secret)
    if signature == nil { note("\(name): must be whsec_ followed by base64, as shown by Resend") }
    return signature
  }

  /// Nil, with an error added, if there is no valid sender address.
  mutating func sender(isDevelopment: Bool) -> MailAddress? {
    let entered = text("FROM_EMAIL", isDevelopment ? "pairspot@localhost.example" : "")
    do throws(MailAddressError) {
      let address = try MailAddress(entered)
      // A signed return address must fit, or bounces would be lost.
      if address.localPart.utf8.count > ReturnAddress.maximumOwnLocalPartBytes {
        note(
          "FROM_EMAIL: more than \(ReturnAddress.maximumOwnLocalPartBytes) characters before the @")
      }
      return address
    } catch {
      note(
        entered.isEmpty ? "FROM_EMAIL: missing" : "FROM_EMAIL: “\(entered)” is not an email address"
      )
      return nil
    }
  }
}
