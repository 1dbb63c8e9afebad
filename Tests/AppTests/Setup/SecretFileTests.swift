import Core
import Foundation
import Testing

@testable import App
@testable import Mail

@Suite("Secrets in files")
struct SecretFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try "from file\n".write(toFile: path("SMTP_PASSWORD"), atomically: true, encoding: .utf8)
  }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  /// The password that settings give.
  private func password(_ more: [String: String]) throws -> String? {
    var environment = [
      "PAIRSPOT_ENV": "development", "PAIRSPOT_MAIL": "smtp", "SMTP_HOST": "mail.example",
      "SMTP_USER": "us",
    ]
    environment.merge(more) { $1 }
    let configuration = try Configuration(
      environment: environment, now: TestInstance.start, cores: 1)
    guard case .smtp(let sender) = configuration.mail else { return nil }
    return sender.login?.password
  }

  @Test("A file that is named gives the secret, without its line end")
  func named() throws {
    #expect(try password(["SMTP_PASSWORD_FILE": path("SMTP_PASSWORD")]) == "from file")
  }

  @Test("A credential of systemd gives the secret")
  func credential() throws {
    #expect(try password(["CREDENTIALS_DIRECTORY": folder.path]) == "from file")
  }

  @Test("The variable itself wins, as in the processes to which `serve` passes it")
  func variable() throws {
    let files = [
      "CREDENTIALS_DIRECTORY": folder.path, "SMTP_PASSWORD_FILE": path("SMTP_PASSWORD"),
      "SMTP_PASSWORD": "given",
    ]
    #expect(try password(files) == "given")
  }

  @Test("A file that is missing or empty is named")
  func problems() throws {
    try "\n".write(toFile: path("empty"), atomically: true, encoding: .utf8)
    let cases: [([String: String], String)] = [
      (
        ["SMTP_PASSWORD_FILE": "/nowhere"],
        "SMTP_PASSWORD_FILE: cannot read a secret from /nowhere"
      ),
      (
        ["SMTP_PASSWORD_FILE": path("empty")],
        "SMTP_PASSWORD_FILE: cannot read a secret from \(path("empty"))"
      ),
    ]
    for (variables, problem) in cases {
      let found = #expect(throws: Configuration.Invalid.self) { try password(variables) }
      #expect(found?.problems == [problem])
    }
  }
}
