import Accounts
import Core
import Foundation
import Secrets
import Testing

@testable import App

extension TestClient {
  /// Deletes the account signed in here.
  @discardableResult
  func leave(_ password: String = TestInstance.password) -> TestResponse {
    post("/settings/delete", ["current_password": password])
  }

  /// Signs in to a deleted account and presses the button.
  @discardableResult
  func comeBack(_ email: String, _ password: String = TestInstance.password) -> TestResponse {
    let answer = signIn(email, password)
    return answer.location == "/restore" ? post("/restore") : answer
  }
}

extension TestInstance {
  /// A browser of a guest without address and password.
  func plainGuest(_ name: String = "Somebody") throws -> (id: ID<Person>, browser: TestClient) {
    let (id, token) = (ID<Person>(now: clock.now()), Token.random())
    try database.write { writer in
      try writer.execute(
        """
        INSERT INTO users (id, role, display_name, terms_version, terms_accepted_at, created_at)
        VALUES (\(id), 1, \(name), '2026-01-01', \(clock.now()), \(clock.now()))
        """)
      try writer.execute(
        """
        INSERT INTO sessions (token_hash, user_id, created_at, seen_at, expires_at, browser)
        VALUES (\(token.sha256), \(id), \(clock.now()), \(clock.now()),
          \(clock.now().adding(seconds: .days(365))), '')
        """)
    }
    let browser = browser()
    browser.take(cookie: "session", token.text)
    return (id, browser)
  }

  /// Purges a user; returns the files and folders to remove.
  @discardableResult
  func purge(_ person: ID<Person>) throws -> [String] {
    try database.write { writer in
      try instance.participants.flatMap { try $0.purge(person, now: clock.now(), in: writer) }
    }
  }

  /// Contents of the database and its log after a purge.
  func databaseBytes() throws -> Data {
    try database.checkpoint()
    let copy = folder.appending(path: "vacuumed-\(UUID()).sqlite")
    let program = """
      import sqlite3, sys
      sqlite3.connect(sys.argv[1]).execute("VACUUM INTO ?", (sys.argv[2],))
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["-c", program, instance.configuration.databasePath, copy.path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return try Data(contentsOf: copy)
  }

  /// SHA-256 of every file below the media folder.
  func mediaHashes() throws -> Set<[UInt8]> {
    Set(
      try mediaFiles().map {
        try Digests.sha256(file: "\(instance.configuration.mediaFolder)/\($0)")
      })
  }

  func coupleStatus(_ id: ID<Couple>) throws -> String? {
    try database.read {
      try $0.value("SELECT status FROM couples WHERE id = \(id)", as: String.self)
    }
  }
}

/// Deletes accounts in every way once, to collect the query plans.
enum AccountDeletionRequests {
  static func exercise(_ instance: TestInstance) throws {
    try instance.couple("Ivy & Ida", "ivy", "ida")
    let ivy = try instance.signedIn("ivy")
    try ivy.writeWithPicture("Words of Ivy")
    ivy.get("/settings/export")
    for _ in 1...2 { ivy.post("/settings/export") }
    try instance.work()
    let page = ivy.get("/settings/export").text
    let link = try #require(page.firstMatch(of: /\/settings\/export\/[0-9a-f-]{36}/)?.output)
    ivy.get(String(link))
    ivy.get("/settings/delete")
    ivy.leave("not the password")
    ivy.leave()
    ivy.signIn("ivy@example.test", TestInstance.password)
    ivy.get("/restore")
    ivy.post("/restore")
    ivy.leave()
    let guest = try instance.guest("Gil")
    let code = try guest.recoveryCode()
    for how in ["here", "everywhere"] {
      guest.post("/settings/delete", all: [("recovery_code", code), (how, "1")])
      guest.post("/recover", ["recovery_code": code])
    }
    let waiting = instance.browser()
    _ = RegisterCoupleTests.register(waiting, "una@example.test", "udo@example.test")
    try RegisterCoupleTests.complete(waiting, instance.link(to: "una@example.test"), "Una")
    waiting.leave()
  }
}
