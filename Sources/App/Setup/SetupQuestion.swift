import Foundation
import Glibc

/// A question of `pairspot setup`; its answer is the value of one setting
/// (docs/operator/settings.md).
public struct SetupQuestion: Sendable {
  public let setting: String
  public let text: String
  /// Whether the answer is a password, which is not shown.
  public var isSecret = false
  /// The setting and the values of it with which the question is asked; nil: always.
  var condition: (setting: String, values: Set<String>)?
  /// The answer where nothing is entered; nil if one is needed.
  var fallback: String?
  /// Whether the question may be left without an answer.
  var isOptional = false
  /// Answers that stand for other values.
  var values: [String: String] = [:]
  /// Put before an answer that does not begin with it.
  var prefix = ""

  /// The value for an answer.
  public func value(of answer: String) -> String {
    let answer = answer.trimmingCharacters(in: .whitespaces)
    return values[answer] ?? (answer.hasPrefix(prefix) ? answer : prefix + answer.lowercased())
  }

  /// The answer that stands for a value.
  func answer(for value: String) -> String {
    values.first { $0.value == value }?.key
      ?? (value.hasPrefix(prefix) ? String(value.dropFirst(prefix.count)) : value)
  }

  func isAsked(_ settings: SettingsFile) -> Bool {
    if isSecret, settings["\(setting)_FILE"] != nil { return false }
    guard let condition else { return true }
    return condition.values.contains(settings[condition.setting] ?? "")
  }

  /// The questions in their order. A later one may depend on the answers to earlier ones.
  public static let all: [SetupQuestion] = [
    SetupQuestion(
      setting: "PAIRSPOT_BASE_URL", text: "Domain of this server, like pairspot.example.com",
      prefix: "https://"),
    SetupQuestion(
      setting: "PAIRSPOT_TLS",
      text: "Certificates: acme (from Let's Encrypt), files (your own), proxy (https ends before)",
      fallback: "acme", values: ["proxy": "0"]),
    SetupQuestion(
      setting: "PAIRSPOT_TLS_CERTIFICATE", text: "File with the certificate chain",
      condition: ("PAIRSPOT_TLS", ["files"])),
    SetupQuestion(
      setting: "PAIRSPOT_TLS_KEY", text: "File with its private key",
      condition: ("PAIRSPOT_TLS", ["files"])),
    SetupQuestion(
      setting: "PAIRSPOT_TRUSTED_PROXIES", text: "Addresses of the proxy",
      condition: ("PAIRSPOT_TLS", ["0"]), fallback: "127.0.0.1,::1"),
    SetupQuestion(
      setting: "PAIRSPOT_TIME_ZONE", text: "Time zone, like Asia/Taipei",
      fallback: TimeZone.current.identifier == "GMT" ? "Etc/UTC" : TimeZone.current.identifier),
    SetupQuestion(
      setting: "PAIRSPOT_LANGUAGE", text: "Language: en, zh-Hant or zh-Hans", fallback: "en"),
    SetupQuestion(setting: "FROM_EMAIL", text: "Address from which mails are sent"),
    SetupQuestion(
      setting: "PAIRSPOT_MAIL", text: "Mails leave by: smtp or resend", fallback: "smtp"),
    SetupQuestion(
      setting: "SMTP_HOST", text: "Mail server", condition: ("PAIRSPOT_MAIL", ["smtp"])),
    SetupQuestion(
      setting: "SMTP_TLS", text: "Its encryption: starttls, tls or none",
      condition: ("PAIRSPOT_MAIL", ["smtp"]), fallback: "starttls"),
    SetupQuestion(
      setting: "SMTP_PORT", text: "Its port, if it is not the usual one",
      condition: ("PAIRSPOT_MAIL", ["smtp"]), isOptional: true),
    SetupQuestion(
      setting: "SMTP_USER", text: "User at the mail server, if it asks for one",
      condition: ("PAIRSPOT_MAIL", ["smtp"]), isOptional: true),
    SetupQuestion(
      setting: "SMTP_PASSWORD", text: "Password of that user", isSecret: true,
      condition: ("PAIRSPOT_MAIL", ["smtp"]), isOptional: true),
    SetupQuestion(
      setting: "RESEND_API_KEY", text: "Key of Resend's API", isSecret: true,
      condition: ("PAIRSPOT_MAIL", ["resend"])),
  ]
}
