import Core
import Foundation
import Web

/// Reads variables one by one and collects their errors.
struct ConfigurationReader {
  private(set) var variables: [String: String] = [:]
  private(set) var problems: [String] = []

  /// Every known name.
  private static let known: Set<String> = [
    "PAIRSPOT_ENV", "PAIRSPOT_SHARE", "PAIRSPOT_DATA", "PAIRSPOT_PORT", "PAIRSPOT_BASE_URL",
    "PAIRSPOT_DATABASE_URL", "PAIRSPOT_DATABASE_URL_FILE", "PAIRSPOT_REDIS_URL",
    "PAIRSPOT_REDIS_URL_FILE", "PAIRSPOT_SECRETS",
    "PAIRSPOT_THREADS", "PAIRSPOT_PROCESSES", "PAIRSPOT_RATE_LIMITS", "PAIRSPOT_MAIL",
    "PAIRSPOT_LANGUAGE", "PAIRSPOT_TIME_ZONE", "PAIRSPOT_TRUSTED_PROXIES", "PAIRSPOT_TERMS_FILE",
    "PAIRSPOT_PRIVACY_FILE", "PAIRSPOT_DEMO", "PAIRSPOT_TLS", "PAIRSPOT_NOW",
    "PAIRSPOT_CLOCK_OFFSET", "PAIRSPOT_OUTAGE_GRACE", "PAIRSPOT_PING_URL", "PAIRSPOT_TILE_URL",
    "PAIRSPOT_REPORT_THRESHOLD", "PAIRSPOT_GUEST_PHOTOS", "PAIRSPOT_MEMBER_PHOTOS",
    "PAIRSPOT_PUSH_HOSTS", "PAIRSPOT_VAPID_SUBJECT",
    "PAIRSPOT_CONFIG", "PAIRSPOT_LISTEN", "PAIRSPOT_HTTP_PORT", "PAIRSPOT_TLS_CERTIFICATE",
    "PAIRSPOT_TLS_KEY", "PAIRSPOT_ACME_EMAIL", "PAIRSPOT_ACME_URL",
    "PAIRSPOT_APPLE_ROOT_CERTIFICATE", "PAIRSPOT_APPLE_BUNDLE_ID", "PAIRSPOT_APPLE_ENVIRONMENT",
    "PAIRSPOT_APPLE_PRODUCTS", "PAIRSPOT_COIN_PACKS", "PAIRSPOT_PROMOTION_PRICES",
    "PAIRSPOT_COINS", "PAIRSPOT_VOUCHERS_IN_APPS", "PAIRSPOT_NAME", "PAIRSPOT_NOTE",
    "PAIRSPOT_REGISTRATION",
    "PAIRSPOT_OIDC_PROVIDERS", "PAIRSPOT_CHANNELS", "PAIRSPOT_APPRISE",
    "PAIRSPOT_WATCHMAN_AFTER", "PAIRSPOT_WATCHMAN_GRACE", "PAIRSPOT_WATCHMAN_OPERATORS",
    "PAIRSPOT_WATCHMAN_CLOCKS",
    "PAIRSPOT_MEDIA", "PAIRSPOT_MEDIA_URL", "PAIRSPOT_S3_ENDPOINT", "PAIRSPOT_S3_BUCKET",
    "PAIRSPOT_S3_REGION", "PAIRSPOT_S3_ACCESS_KEY", "PAIRSPOT_S3_SECRET_KEY",
    "PAIRSPOT_S3_SECRET_KEY_FILE", "PAIRSPOT_S3_PATH_STYLE",
    "SMTP_HOST", "SMTP_PORT",
    "SMTP_USER", "SMTP_PASSWORD", "SMTP_TLS", "RESEND_API_KEY", "RESEND_URL",
    "RESEND_WEBHOOK_SECRET", "FROM_EMAIL", "FROM_NAME",
    "SMTP_PASSWORD_FILE", "RESEND_API_KEY_FILE", "RESEND_WEBHOOK_SECRET_FILE",
  ]

  /// Those whose value may be in a file instead.
  private static let secrets = [
    "SMTP_PASSWORD", "RESEND_API_KEY", "RESEND_WEBHOOK_SECRET", "PAIRSPOT_DATABASE_URL",
    "PAIRSPOT_REDIS_URL", "PAIRSPOT_S3_SECRET_KEY",
  ]

  /// Throws if the file can't be read or has a line that is not `NAME=value`.
  init(environment: [String: String], defaults: [String: String]) throws {
    variables = defaults
    if let path = environment["PAIRSPOT_CONFIG"] ?? defaults["PAIRSPOT_CONFIG"], !path.isEmpty {
      variables.merge(try Self.file(path)) { $1 }
    }
    for (name, value) in environment where Self.isOurs(name) { variables[name] = value }
    for name in variables.keys.sorted()
    where !Self.known.contains(name) && !ProviderSettings.isKnown(name, in: variables) {
      problems.append("\(name): unknown variable")
    }
    for name in Self.secrets + ProviderSettings.secrets(in: variables) {
      readSecret(name, credentials: environment["CREDENTIALS_DIRECTORY"])
    }
  }

  /// Takes a secret from the file that `NAME_FILE` names, else from systemd's credential of that
  /// name (systemd.exec(5)), if the variable itself is unset.
  private mutating func readSecret(_ name: String, credentials: String?) {
    guard !isSet(name) else { return }
    let given = text("\(name)_FILE", "")
    let credential = credentials.map { "\($0)/\(name)" } ?? ""
    let path = given.isEmpty ? credential : given
    guard !given.isEmpty || FileManager.default.fileExists(atPath: credential) else { return }
    let secret = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    variables[name] = secret.trimmingCharacters(in: .newlines)
    if !isSet(name) { problems.append("\(name)_FILE: cannot read a secret from \(path)") }
  }

  private static func isOurs(_ name: String) -> Bool {
    ["PAIRSPOT_", "SMTP_", "RESEND_", "FROM_"].contains { name.hasPrefix($0) }
      && !name.hasPrefix("PAIRSPOT_TEST_") && name != "PAIRSPOT_STRICT"
  }

  private static func file(_ path: String) throws -> [String: String] {
    var variables: [String: String] = [:]
    var problems: [String] = []
    guard let content = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw Configuration.Invalid(problems: ["PAIRSPOT_CONFIG: cannot read \(path)"])
    }
    // Files from other systems end lines with CRLF, which is one `Character`.
    let lines = content.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (number, line) in lines.enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let equals = line.firstIndex(of: "=") else {
        problems.append("\(path):\(number + 1): expected NAME=value")
        continue
      }
      variables[String(line[..<equals])] = String(line[line.index(after: equals)...])
    }
    guard problems.isEmpty else { throw Configuration.Invalid(problems: problems) }
    return variables
  }

  /// Adds an error.
  mutating func note(_ problem: String) { problems.append(problem) }

  // MARK: Kinds of values

  func text(_ name: String, _ fallback: String) -> String {
    let value = variables[name] ?? ""
    return value.isEmpty ? fallback : value
  }

  func isSet(_ name: String) -> Bool { !text(name, "").isEmpty }

  mutating func choice(_ name: String, _ choices: [String], _ fallback: String) -> String {
    let value = text(name, fallback)
    if !choices.contains(value) {
      problems.append("\(name): must be \(choices.joined(separator: " or ")), found “\(value)”")
    }
    return value
  }

  mutating func number(_ name: String, _ fallback: Int, _ range: ClosedRange<Int>) -> Int {
    guard let value = Int(text(name, String(fallback))), range.contains(value) else {
      problems.append(
        "\(name): must be a number from \(range.lowerBound) to \(range.upperBound)")
      return fallback
    }
    return value
  }

  /// A URL to request; nil if unset.
  mutating func address(_ name: String) -> String? {
    let value = text(name, "")
    if value.isEmpty { return nil }
    let isAddress = ["https://", "http://"].contains {
      value.hasPrefix($0) && value.count > $0.count
    }
    if !isAddress { problems.append("\(name): must start with https:// or http://") }
    return value
  }

  /// A tile URL; nil if unset.
  mutating func tiles(_ name: String) -> TileServer? {
    let value = text(name, "")
    if value.isEmpty { return nil }
    let tiles = TileServer(value)
    if tiles == nil {
      problems.append("\(name): must be a URL like https://tiles.example/{z}/{x}/{y}.png")
    }
    return tiles
  }

  /// Whole hours, in s; nil if unset.
  mutating func hours(_ name: String) -> Int64? {
    let value = text(name, "")
    if value.isEmpty { return nil }
    guard let hours = Int64(value), 0...8760 ~= hours else {
      problems.append("\(name): must be a number of hours, 0 for none")
      return nil
    }
    return .hours(hours)
  }

  func folder(_ name: String, _ fallback: String, below parent: String? = nil) -> String {
    let path = text(name, fallback)
    if path.hasPrefix("/") { return path }
    let base = parent ?? FileManager.default.currentDirectoryPath
    return URL(fileURLWithPath: "\(base)/\(path)").standardizedFileURL.path
  }

  mutating func file(_ name: String) -> String? {
    let path = text(name, "")
    if path.isEmpty { return nil }
    if !FileManager.default.isReadableFile(atPath: path) {
      problems.append("\(name): cannot read \(path)")
    }
    return path
  }

  mutating func baseURL(_ fallback: String) -> String {
    let value = text("PAIRSPOT_BASE_URL", fallback)
    let rest = value.drop { $0 != ":" }.dropFirst(3)
    let isURL = value.hasPrefix("http://") || value.hasPrefix("https://")
    if !isURL || rest.isEmpty || rest.contains("/") || value != value.lowercased() {
      problems.append(
        "PAIRSPOT_BASE_URL: must be a URL like https://pairspot.example, without a path")
    }
    return value
  }

  mutating func language(_ name: String) -> Language {
    let value = text(name, Language.english.rawValue)
    guard let language = Language(rawValue: value) else {
      problems.append("\(name): must be en, zh-Hant or zh-Hans")
      return .english
    }
    return language
  }

  mutating func timeZone(_ name: String, _ fallback: String) -> String {
    let value = text(name, fallback)
    if TimeZone(named: value) == nil { problems.append("\(name): unknown time zone “\(value)”") }
    return value
  }

  mutating func proxies(_ name: String) -> TrustedProxies {
    guard let proxies = TrustedProxies(text(name, "")) else {
      problems.append("\(name): must be IP addresses or networks, like 10.0.0.1,192.168.0.0/16")
      return .none
    }
    return proxies
  }

  /// The texts for visitors, and the rule for registering.
  mutating func profile() -> InstanceProfile {
    let name = line(
      "PAIRSPOT_NAME", InstanceProfile.standardName, maximum: InstanceProfile.maximumName)
    let note = line("PAIRSPOT_NOTE", "", maximum: InstanceProfile.maximumNote)
    let modes = InstanceProfile.Registration.allCases.map(\.rawValue)
    let mode = choice("PAIRSPOT_REGISTRATION", modes, InstanceProfile.Registration.open.rawValue)
    return InstanceProfile(
      name: name, note: note, registration: InstanceProfile.Registration(rawValue: mode) ?? .closed)
  }

  /// A text for pages, at most `maximum` characters long.
  private mutating func line(_ name: String, _ fallback: String, maximum: Int) -> String {
    let value = text(name, fallback)
    if value.count > maximum { problems.append("\(name): at most \(maximum) characters") }
    return value
  }

  // MARK: Clock

  /// The clock offset. `serve` reads `PAIRSPOT_NOW` once and passes the offset on, so that all
  /// processes share it and restarted ones keep it.
  mutating func clockOffset(machine: Instant) -> Int64 {
    let moved = text("PAIRSPOT_CLOCK_OFFSET", "")
    if !moved.isEmpty {
      guard let offset = Int64(moved) else {
        problems.append("PAIRSPOT_CLOCK_OFFSET: must be a number of ms")
        return 0
      }
      return offset
    }
    let value = text("PAIRSPOT_NOW", "")
    if value.isEmpty { return 0 }
    guard let now = Instant(rfc3339: value) else {
      problems.append("PAIRSPOT_NOW: must be a time like 2026-01-13T01:05:00Z")
      return 0
    }
    return now.milliseconds - machine.milliseconds
  }

  /// Rejects settings that are for trials and unsafe in public
  /// (docs/operator/settings.md#development).
  mutating func refuseInProduction(baseURL: String, hasDemo: Bool) {
    for name in ["PAIRSPOT_NOW", "PAIRSPOT_CLOCK_OFFSET"] where !text(name, "").isEmpty {
      problems.append("\(name): not allowed in production")
    }
    if text("PAIRSPOT_RATE_LIMITS", "on") == "off" {
      problems.append("PAIRSPOT_RATE_LIMITS: off is not allowed in production")
    }
    if hasDemo { problems.append("PAIRSPOT_DEMO: not allowed in production") }
    if !baseURL.hasPrefix("https://") {
      problems.append("PAIRSPOT_BASE_URL: must be https in production")
    }
  }
}
