import Core
import Foundation
import Glibc
import HTTPTypes
import Logging
import Testing
import Web

@testable import App

/// A log file; deleted with the test.
private final class Sheet {
  let descriptor: Int32
  private let path = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID())").path

  init() {
    descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
  }

  deinit {
    close(descriptor)
    try? FileManager.default.removeItem(atPath: path)
  }

  var text: String {
    get throws { try String(contentsOfFile: path, encoding: .utf8) }
  }

  /// All lines, each of which must be a JSON object.
  var lines: [[String: Any]] {
    get throws {
      try text.split(separator: "\n").map { line in
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      }
    }
  }

  /// The lines with this `route`.
  func lines(of route: String) throws -> [[String: Any]] {
    try lines.filter { $0["route"] as? String == route }
  }
}

@Suite("The log of an instance")
struct LogTests {
  private let sheet = Sheet()

  @Test("In production a request is one line, without parameters of its path or its query")
  func requests() throws {
    let instance = try TestInstance.inProduction(log: sheet.descriptor)
    let own: HTTPFields = [.host: "pairspot.example"]
    let browser = instance.browser()
    let answers = [
      browser.get("/verify?token=secretsecret", headers: own),
      browser.get("/couples/secretsecret", headers: own),
      browser.get("/secretsecret", headers: own),
      browser.get("/sign-in", headers: [.host: "secretsecret"]),
    ]
    let lines = try sheet.lines
    #expect(
      lines.map { $0["route"] as? String } == ["GET /verify", "GET /couples/:id", "-", "-"])
    for (line, answer) in zip(lines, answers) {
      #expect(Set(line.keys) == ["at", "id", "route", "status", "ms"])
      #expect(line["id"] as? String == answer.requestID)
      #expect(line["status"] as? Int == answer.status)
      #expect(line["at"] as? Int == Int(TestInstance.start.milliseconds))
      #expect(try #require(line["ms"] as? Double) > 0)
    }
    let text = try sheet.text
    #expect(text.matches(of: /"ms":[0-9]+\.[0-9]{3}}\n/).count == 4)
    #expect(!text.contains("secret"))
  }

  @Test("Where the lines go: in production to standard output, else to files")
  func places() throws {
    let production = try TestInstance.inProduction().instance.configuration
    #expect(production.requestLog() == STDOUT_FILENO)
    #expect(production.logDescriptor == STDOUT_FILENO)
    let instance = try TestInstance()
    let development = instance.instance.configuration
    let file = development.requestLog()
    defer { close(file) }
    #expect(file > STDERR_FILENO)
    let folder = instance.folder.appending(path: "logs").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["requests.log"])
    // With `serve`, both outputs go to a file.
    #expect(development.logDescriptor == STDERR_FILENO)
    for name in ["handlers", "worker"] {
      #expect(development.logFile(name) == "\(folder)/\(name).log")
      #expect(production.logFile(name) == nil)
    }
  }

  @Test("Callers are logged as hashes that distinguish users, without names or ids")
  func people() throws {
    let instance = try TestInstance(log: sheet.descriptor)
    var hashes: [Set<String>] = []
    for name in ["sam", "kim"] {
      let person = try instance.alone(name).id
      let browser = try instance.signedIn(name)
      for _ in 1...2 { browser.get("/settings") }
      let lines = try sheet.lines(of: "GET /settings").suffix(2)
      hashes.append(Set(lines.compactMap { $0["person"] as? String }))
      let text = try sheet.text
      let hex = person.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
      for trace in [person.description, hex.joined(), name, name.capitalized] {
        #expect(!text.contains(trace), "\(trace)")
      }
    }
    #expect(hashes.allSatisfy { $0.count == 1 } && hashes[0] != hashes[1])
    #expect(hashes[0].first?.wholeMatch(of: /[0-9a-f]{12}/) != nil)
    instance.browser().get("/about")
    #expect(try sheet.lines(of: "GET /about").first?["person"] == nil)
  }

  @Test("An error is a line of its own that names its request, the route and the status")
  func errors() throws {
    let instance = try TestInstance(log: sheet.descriptor)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    try instance.database.write { try $0.execute("ALTER TABLE sessions RENAME TO sessions_away") }
    let answer = sam.get("/couples/secretsecret?token=secretsecret")
    #expect(answer.status == 500 && answer.shows(answer.requestID))
    let lines = try sheet.lines.filter { $0["id"] as? String == answer.requestID }
    try #require(lines.count == 2)
    let error = lines[1]
    #expect(Set(error.keys) == ["at", "level", "message", "id", "route", "status"])
    #expect(error["level"] as? String == "error")
    #expect((error["message"] as? String)?.contains("sessions") == true)
    for line in lines {
      #expect(line["route"] as? String == "GET /couples/:id" && line["status"] as? Int == 500)
    }
    #expect(try !sheet.text.contains("secretsecret"))
  }

  @Test("An error in a request that is answered all the same is logged with its status")
  func answered() throws {
    let instance = try TestInstance(log: sheet.descriptor)
    try instance.live()
    try instance.database.write { try $0.execute("DROP TABLE heartbeats") }
    let answer = instance.browser().get("/healthz")
    #expect(answer.status == 503)
    let errors = try sheet.lines.filter { $0["level"] as? String == "error" }
    #expect(errors.count == 7)
    for error in errors {
      #expect(error["id"] as? String == answer.requestID && error["status"] as? Int == 503)
      #expect(error["route"] as? String == "GET /healthz")
      #expect((error["message"] as? String)?.contains("heartbeats") == true)
    }
  }

  @Test("Messages without a request are lines of JSON as well, with any content")
  func others() throws {
    let log = Logger(label: "worker") { [descriptor = sheet.descriptor] _ in
      JSONLineLog(descriptor: descriptor, clock: ManualClock(TestInstance.start))
    }
    log.error("job “mail”: \"no\"\nand then", metadata: ["attempts": "3"])
    log.warning("it waits")
    log.debug("nobody asks for this")
    let lines = try sheet.lines
    #expect(lines.count == 2)
    #expect(lines[0]["message"] as? String == "job “mail”: \"no\"\nand then")
    #expect(lines[0]["attempts"] as? String == "3")
    #expect(Set(lines[1].keys) == ["at", "level", "message"])
    #expect(lines[1]["level"] as? String == "warning")
    #expect(lines[1]["at"] as? Int == Int(TestInstance.start.milliseconds))
  }
}
