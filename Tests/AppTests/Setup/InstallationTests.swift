import Core
import Foundation
import Testing

@testable import App

@Suite("Installed programs")
struct InstallationTests {
  @Test("A program in bin beside share/pairspot has an installation's folders")
  func installed() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/share/pairspot", withIntermediateDirectories: true)
    let defaults = Installation.defaults(program: "\(folder.path)/bin/pairspot")
    #expect(defaults["PAIRSPOT_SHARE"] == "\(folder.path)/share/pairspot")
    #expect(defaults["PAIRSPOT_DATA"] == "/var/lib/pairspot")
  }

  @Test("A program that was only built has none", arguments: ["bin", "release"])
  func built(folder: String) {
    #expect(Installation.defaults(program: "/nowhere/\(folder)/pairspot").isEmpty)
  }

  @Test("The file wins over an installation's folders, the environment over both")
  func order() throws {
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/pairspot.conf"
    try "PAIRSPOT_DATA=/from-file\nPAIRSPOT_PORT=1001\nPAIRSPOT_ENV=development\n"
      .write(toFile: file, atomically: true, encoding: .utf8)
    let configuration = try Configuration(
      environment: ["PAIRSPOT_PORT": "1002"],
      defaults: [
        "PAIRSPOT_CONFIG": file, "PAIRSPOT_SHARE": "/share", "PAIRSPOT_DATA": "/default",
      ], now: TestInstance.start, cores: 1)
    #expect(configuration.share == "/share")
    #expect(configuration.data == "/from-file")
    #expect(configuration.port == 1002)
    #expect(configuration.variables["PAIRSPOT_CONFIG"] == file)
  }
}
