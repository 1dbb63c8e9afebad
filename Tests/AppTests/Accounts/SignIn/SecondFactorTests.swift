import Core
import Foundation
import Testing
import Web

@testable import Accounts
@testable import App

@Suite("A second factor: turning it on and off")
struct SecondFactorTests {
  private static let page = "/settings/second-factor"

  @Test("A first right code turns it on, and shows ten recovery codes this once")
  func turningOn() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(!sam.get(Self.page).shows("class=\"qr\""))
    #expect(
      sam.post(Self.page, ["begin": "1", "current_password": TestInstance.password]).location
        == Self.page)
    let setup = sam.get(Self.page)
    let app = try Authenticator(setup, instance)
    #expect(setup.shows("class=\"qr\"") && app.secret.count == 32)
    #expect(setup.headers[.cacheControl] == "no-store")
    for code in ["", app.wrong, app.code(later: 2), app.code(later: -2)] {
      let refused = sam.post(
        Self.page, ["current_password": TestInstance.password, "code": code])
      #expect(refused.status == 422 && refused.shows("id=\"code_note\""))
      #expect(try Authenticator(refused, instance).secret == app.secret)
    }
    #expect(instance.browser().signIn("sam@example.test", TestInstance.password).location == "/")
    let done = sam.post(
      Self.page, ["current_password": TestInstance.password, "code": app.code()])
    #expect(done.status == 200 && done.headers[.cacheControl] == "no-store")
    #expect(Set(done.recoveryCodes).count == 10)
    let later = sam.get(Self.page)
    #expect(later.recoveryCodes == [] && !later.shows("class=\"secret\""))
    #expect(later.shows("You have 10 recovery codes left"))
    #expect(
      try instance.mails(to: "sam@example.test").map(\.subject) == [
        "Two-step verification is on"
      ]
    )
  }

  @Test("The password comes first, then the code alone, also after a wrong one")
  func wrongCode() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (sam, other) = (try instance.signedIn("sam"), try instance.signedIn("sam"))
    let password = "name=\"current_password\""
    for entered in ["", "not the password"] {
      let first = sam.post(Self.page, ["begin": "1", "current_password": entered])
      #expect(first.status == 422 && first.shows(password) && !first.shows("class=\"qr\""))
    }
    sam.post(Self.page, ["begin": "1", "current_password": TestInstance.password])
    let setup = sam.get(Self.page)
    let app = try Authenticator(setup, instance)
    #expect(!setup.shows(password))
    let wrong = sam.post(Self.page, ["code": app.wrong])
    #expect(wrong.status == 422 && wrong.shows("id=\"code_note\""))
    #expect(!wrong.shows(password) && !sam.get(Self.page).shows(password))
    // Another browser of the same user must confirm.
    #expect(other.get(Self.page).shows(password))
    #expect(other.post(Self.page, ["code": app.code()]).status == 422)
    #expect(sam.post(Self.page, ["code": app.code()]).status == 200)
  }

  @Test("The password is asked for again ten minutes after it was given")
  func askedAgain() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.post(Self.page, ["begin": "1", "current_password": TestInstance.password])
    let app = try Authenticator(sam.get(Self.page), instance)
    sam.post(Self.page, ["current_password": TestInstance.password, "code": app.wrong])
    instance.clock.advance(seconds: 600)
    #expect(sam.get(Self.page).shows("name=\"current_password\""))
    #expect(sam.post(Self.page, ["code": app.code()]).status == 422)
  }

  @Test("Turning it on gives this browser a new session id and signs the others out")
  func sessions() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let (sam, other) = (try instance.signedIn("sam"), try instance.signedIn("sam"))
    let (stale, before) = (sam.copy(), sam.cookie("session"))
    _ = try sam.turnOnSecondFactor(instance)
    #expect(sam.cookie("session") != before && sam.isSignedIn)
    #expect(!stale.isSignedIn && !other.isSignedIn)
    #expect(sam.post("/theme", ["theme": "dark"]).status == 303)
  }

  @Test("An unconfirmed secret expires after an hour, and starting again makes another")
  func unconfirmed() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.post(Self.page, ["begin": "1", "current_password": TestInstance.password])
    let first = try Authenticator(sam.get(Self.page), instance)
    sam.post(Self.page, ["begin": "1", "current_password": TestInstance.password])
    let second = try Authenticator(sam.get(Self.page), instance)
    #expect(first.secret != second.secret)
    #expect(
      sam.post(
        Self.page, ["current_password": TestInstance.password, "code": first.code()]
      ).status == 422)
    instance.clock.advance(seconds: 3600)
    #expect(
      sam.post(
        Self.page, ["current_password": TestInstance.password, "code": second.code()]
      ).status == 422)
    #expect(!sam.get(Self.page).shows("class=\"secret\""))
    instance.clock.advance(seconds: 3600)
    try instance.work()
    #expect(try instance.count("SELECT count(*) FROM totp_secrets") == 0)
  }

  @Test("While it is on, beginning again changes nothing")
  func beginningAgain() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let (app, _) = try sam.turnOnSecondFactor(instance)
    sam.post(Self.page, ["begin": "1", "current_password": TestInstance.password])
    #expect(!sam.get(Self.page).shows("class=\"secret\""))
    #expect(try instance.halfSignedIn("sam").enter(app.next()).location == "/")
  }

  @Test("An open browser alone turns nothing on: it takes the password")
  func openBrowser() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.post(Self.page, ["begin": "1", "current_password": TestInstance.password])
    let app = try Authenticator(sam.get(Self.page), instance)
    let other = try instance.signedIn("sam")
    for round in 1...11 {
      let entered = round == 1 ? "" : "not the password"
      let answer = other.post(Self.page, ["current_password": entered, "code": app.code()])
      #expect(answer.status == 422 && answer.shows("href=\"#current_password\""))
    }
    #expect(
      other.post(Self.page, ["current_password": TestInstance.password, "code": app.code()]).status
        == 429)
    #expect(try instance.count("SELECT count(*) FROM totp_secrets WHERE confirmed_at > 0") == 0)
  }

  @Test("Turning it off takes the password and a code, and the recovery codes go too")
  func turningOff() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let (app, codes) = try sam.turnOnSecondFactor(instance)
    let off = "\(Self.page)/off"
    #expect(sam.get(off).status == 200)
    func tryOff(_ password: String, _ code: String) -> TestResponse {
      sam.post(off, ["current_password": password, "code": code])
    }
    let right = app.next()
    let empty = tryOff("", "")
    #expect(empty.status == 422 && empty.shows("id=\"current_password_note\""))
    #expect(tryOff("not the password", right).status == 422)
    let wrong = tryOff(TestInstance.password, app.wrong)
    #expect(wrong.status == 422 && !wrong.shows(TestInstance.password) && !wrong.shows(app.wrong))
    // A code sent with a wrong password is not used up.
    #expect(tryOff(TestInstance.password, right).location == Self.page)
    #expect(instance.browser().signIn("sam@example.test", TestInstance.password).location == "/")
    #expect(try instance.count("SELECT count(*) FROM recovery_codes") == 0 && codes.count == 10)
    #expect(
      try instance.mails(to: "sam@example.test").last?.subject
        == "Two-step verification is off")
  }

  @Test("New recovery codes take password and code, and end the old ones")
  func newCodes() throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let (app, old) = try sam.turnOnSecondFactor(instance)
    let path = "\(Self.page)/codes"
    #expect(sam.get(path).status == 200)
    #expect(sam.post(path, ["current_password": "", "code": app.next()]).status == 422)
    let made = sam.post(path, ["current_password": TestInstance.password, "code": app.next()])
    #expect(made.status == 200 && made.headers[.cacheControl] == "no-store")
    #expect(Set(made.recoveryCodes).union(old).count == 20)
    let half = try instance.halfSignedIn("sam")
    #expect(half.enter(old[0]).status == 422)
    #expect(half.enter(made.recoveryCodes[0]).location == "/")
    let subjects = try instance.mails(to: "sam@example.test").map(\.subject)
    #expect(subjects.contains("You have new recovery codes"))
  }

  @Test("Where nothing is on there is nothing to turn off or renew", arguments: ["off", "codes"])
  func nothingOn(change: String) throws {
    let instance = try TestInstance()
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    sam.post(Self.page, ["begin": "1", "current_password": TestInstance.password])
    #expect(sam.get("\(Self.page)/\(change)").status == 404)
    let fields: KeyValuePairs = ["current_password": TestInstance.password, "code": "000000"]
    #expect(sam.post("\(Self.page)/\(change)", fields).status == 404)
  }

  @Test("Wrong codes in settings count like those at sign-in")
  func counted() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let (app, _) = try sam.turnOnSecondFactor(instance)
    for round in 1...11 {
      let answer = sam.post(
        "\(Self.page)/off", ["current_password": TestInstance.password, "code": app.wrong])
      #expect(answer.status == (round > 10 ? 429 : 422))
    }
    sam.get("/")
    sam.post("/sign-out")
    sam.signIn("sam@example.test", TestInstance.password)
    #expect(sam.enter(app.next()).status == 429)
  }

  @Test("A recovery code of before still works, and the others get slow hashes in time")
  func rehashed() throws {
    let instance = try TestInstance()
    let person = try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let (_, codes) = try sam.turnOnSecondFactor(instance)
    try instance.database.write { writer in
      try writer.execute("DELETE FROM recovery_codes")
      for code in codes {
        let code = RecoveryCode(text: code.replacing(" ", with: ""))
        try writer.execute(
          """
          INSERT INTO recovery_codes (user_id, code_hash)
          VALUES (\(person.id), \(code.keyedHash(of: person.id, keys: instance.instance.site.keys)))
          """)
      }
    }
    #expect(try instance.halfSignedIn("sam").enter(codes[0]).location == "/")
    #expect(try instance.halfSignedIn("sam").enter(codes[0]).status == 422)
    instance.clock.advance(seconds: 2 * 3600)
    try instance.work()
    #expect(
      try instance.count("SELECT count(*) FROM recovery_codes WHERE length(code_hash) = 32") == 0)
    #expect(try instance.halfSignedIn("sam").enter(codes[0]).status == 422)
    #expect(try instance.halfSignedIn("sam").enter(codes[1]).location == "/")
    #expect(try instance.halfSignedIn("sam").enter(codes[1]).status == 422)
  }

  @Test(
    "Neither secret nor recovery codes are in the database in clear, nor in an export",
    .onSQLite("it reads the file"))
  func stored() throws {
    let instance = try TestInstance()
    let person = try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let (app, codes) = try sam.turnOnSecondFactor(instance)
    let files = try instance.database.read { reader in
      try instance.instance.participants.flatMap { try $0.export(person.id, from: reader) }
    }
    let export = try #require(files.first { $0.name == "second-factor.json" })
    let text = String(decoding: export.json, as: UTF8.self)
    #expect(text.contains("\"recoveryCodesLeft\" : 10") && !text.contains(app.secret))
    let rows = try instance.database.read { reader in
      try reader.values("SELECT secret_sealed FROM totp_secrets", as: [UInt8].self)
        + reader.values("SELECT code_hash FROM recovery_codes", as: [UInt8].self)
    }
    #expect(rows.count == 11 && rows[0].count == 4 + 12 + 20 + 16)
    #expect(
      rows.dropFirst().allSatisfy { $0.starts(with: Array("{sha384}$2b$".utf8)) })
    try instance.database.checkpoint()
    let path = instance.instance.configuration.databasePath
    for file in [path, "\(path)-wal"] {
      let bytes = (try? Data(contentsOf: URL(filePath: file))) ?? Data()
      for secret in [app.secret] + codes + codes.map({ $0.replacing(" ", with: "") }) {
        #expect(bytes.range(of: Data(secret.utf8)) == nil)
      }
    }
    _ = try instance.halfSignedIn("sam")
    try instance.purge(person.id)
    for table in ["totp_secrets", "recovery_codes", "waiting_sign_ins"] {
      #expect(try instance.count("SELECT count(*) FROM \(name: table)") == 0)
    }
  }
}
