import Core
import Crypto
import Foundation
import Testing

@testable import App

@Suite("Settings of OpenID providers")
struct ProviderConfigurationTests {
  private static let home = [
    "PAIRSPOT_OIDC_PROVIDERS": "home", "PAIRSPOT_OIDC_HOME_ISSUER": "https://login.example.test",
    "PAIRSPOT_OIDC_HOME_CLIENT_ID": "web", "PAIRSPOT_OIDC_HOME_CLIENT_SECRET": "s3cret",
  ]

  private func problems(_ variables: [String: String]) -> [String] {
    let environment = variables.merging([
      "PAIRSPOT_ENV": "development", "PAIRSPOT_DATA": "/var/lib/example",
    ]) { $1 }
    do {
      _ = try Configuration(environment: environment, now: TestInstance.start, cores: 2)
      return []
    } catch let error as Configuration.Invalid {
      return error.problems
    } catch {
      return ["\(error)"]
    }
  }

  @Test("A name, an issuer and a client id are enough")
  func fine() throws {
    #expect(problems(Self.home).isEmpty)
    var google = ["PAIRSPOT_OIDC_PROVIDERS": "google,home"].merging(Self.home) { first, _ in first }
    google["PAIRSPOT_OIDC_GOOGLE_CLIENT_ID"] = "g"
    google["PAIRSPOT_OIDC_GOOGLE_CLIENT_SECRET"] = "s"
    #expect(problems(google).isEmpty)
  }

  @Test(
    "A wrong setting is named in one line",
    arguments: [
      ("PAIRSPOT_OIDC_PROVIDERS", "Home", "must be up to 8 different names"),
      ("PAIRSPOT_OIDC_PROVIDERS", "home,home", "must be up to 8 different names"),
      ("PAIRSPOT_OIDC_HOME_ISSUER", "http://login.example.test", "https address"),
      ("PAIRSPOT_OIDC_HOME_ISSUER", "", "missing"),
      ("PAIRSPOT_OIDC_HOME_CLIENT_ID", "", "missing"),
      ("PAIRSPOT_OIDC_HOME_COLOUR", "red", "unknown variable"),
      ("PAIRSPOT_OIDC_WORK_CLIENT_ID", "web", "unknown variable"),
      ("PAIRSPOT_OIDC_HOME_PRIVATE_NETWORK", "maybe", "must be 0 or 1"),
      ("PAIRSPOT_OIDC_HOME_CLIENT_SECRET_FILE", "/nothing", "cannot read a secret"),
    ])
  func wrong(name: String, value: String, problem: String) {
    var variables = Self.home.merging([name: value]) { $1 }
    if name.hasSuffix("_FILE") { variables["PAIRSPOT_OIDC_HOME_CLIENT_SECRET"] = nil }
    let found = problems(variables)
    #expect(found.contains { $0.hasPrefix("\(name): ") && $0.contains(problem) }, "\(found)")
  }

  @Test("The provider is asked whether it knows this site, and the answer is one line")
  func asks() throws {
    let provider = StandInProvider(clock: ManualClock(TestInstance.start))
    let problems = { (variables: [String: String]) throws -> [String] in
      let environment = variables.merging([
        "PAIRSPOT_ENV": "development", "PAIRSPOT_DATA": "/var/lib/example",
      ]) { $1 }
      do {
        try Configuration(environment: environment, now: TestInstance.start, cores: 2)
          .checkProviders(provider, now: TestInstance.start)
        return []
      } catch let error as Configuration.Invalid {
        return error.problems
      }
    }
    #expect(try problems(Self.home).isEmpty)
    let secret = "PAIRSPOT_OIDC_HOME_CLIENT_SECRET"
    #expect(
      try problems(Self.home.merging([secret: "wrong"]) { $1 }) == [
        "\(secret): the provider refuses the client id or its secret"
      ])
    let issuer = "PAIRSPOT_OIDC_HOME_ISSUER"
    #expect(
      try problems(Self.home.merging([issuer: "\(StandInProvider.issuer)/"]) { $1 }) == [
        "\(issuer): the provider's issuer is \(StandInProvider.issuer)"
      ])
    provider.isDown = true
    #expect(try problems(Self.home) == ["\(issuer): it is down"])
  }

  @Test("Apple needs a team, a key id and a key that is one")
  func apple() throws {
    let folder = try TemporaryFolder()
    let key = folder.path + "/key.p8"
    var variables = [
      "PAIRSPOT_OIDC_PROVIDERS": "apple", "PAIRSPOT_OIDC_APPLE_CLIENT_ID": "test.example.web",
      "PAIRSPOT_OIDC_APPLE_TEAM_ID": "TEAM123456", "PAIRSPOT_OIDC_APPLE_KEY_ID": "KEY1234567",
      "PAIRSPOT_OIDC_APPLE_KEY_FILE": key,
    ]
    try Data("nothing".utf8).write(to: URL(filePath: key))
    #expect(problems(variables).contains { $0.contains("no key that Apple issued") })
    let pem = P256.Signing.PrivateKey().pemRepresentation
    try Data(pem.utf8).write(to: URL(filePath: key))
    #expect(problems(variables).isEmpty)
    variables["PAIRSPOT_OIDC_APPLE_TEAM_ID"] = nil
    #expect(problems(variables) == ["PAIRSPOT_OIDC_APPLE_TEAM_ID: missing"])
  }
}
