import Core
import Foundation
import Testing
import WebPush

@testable import App

/// Output other than pages: mails, pushes, exports, logs, errors.
extension CanaryVisits {
  mutating func lookElsewhere() throws {
    try readMails()
    try readPushes()
    try readExports()
    try tryWhatIsRefused()
    for person in CanaryPerson.staff {
      let log = try fixture.browser(person).post("/admin/log")
      if person == .ora { #expect(log.status == 200) }
      note(log, at: "POST /admin/log", for: .person(person))
    }
    let log = try Data(contentsOf: URL(filePath: fixture.logPath))
    #expect(log.count > 100_000)
    note(Array(log), at: "the logs", for: .logs)
  }

  /// Every mail, and the pages of its links.
  private mutating func readMails() throws {
    var mailboxes: [String: CanaryViewer] = [:]
    for person in CanaryPerson.allCases {
      for kind in [CanaryKind.email, .changed] {
        mailboxes[person.address(kind)] = .mailbox(person)
      }
      mailboxes[person.address(.reach)] = .mailboxOfContact(person)
      mailboxes[person.address(.invited)] = .mailboxOfInvited(person)
    }
    let mails = try fixture.instance.allMails()
    #expect(mails.count > 60)
    var followed: Set<String> = []
    for mail in mails {
      let viewer = try #require(mailboxes[mail.recipient], "\(mail.recipient)")
      let headers = mail.mail.headers.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
      let text = [headers, mail.subject, mail.visibleText, mail.mail.html].joined(separator: "\n")
      var marks = fixture.finder.marks(in: Array(text.replacing("\u{2060}", with: "").utf8))
      if fixture.mailsBeforeLeaving.contains(mail.mail.header("message-id")) {
        marks = marks.filter { $0.kind != .deleted }
      }
      note(marks, at: "the mail “\(mail.subject)”", for: viewer)
      for link in mail.text.matches(of: /http:\/\/127\.0\.0\.1:8099(\/[^\s>]+)/) {
        let path = String(link.output.1)
        guard followed.insert(path).inserted else { continue }
        note(fixture.instance.browser().get(path), at: path, for: viewer)
      }
    }
  }

  private mutating func readPushes() throws {
    let pushes = try fixture.instance.pushed()
    #expect(pushes.count > 5)
    for push in pushes {
      let person = try #require(
        CanaryPerson.allCases.first { push.endpoint.address.contains($0.mark(.endpoint)) })
      note(push.content, at: "a push", for: .person(person))
      // The target is not shown before it is opened.
      let payload = try #require(
        JSONSerialization.jsonObject(with: Data(push.content)) as? [String: String])
      for field in ["title", "body"] {
        note(Array(try #require(payload[field]).utf8), at: "a push", for: .lockScreen(person))
      }
    }
  }

  /// Each user's own export, unpacked with another program.
  private mutating func readExports() throws {
    let folder = fixture.instance.folder.appending(path: "exports").path
    var archives: [(CanaryPerson, String)] = []
    for (person, browser) in fixture.browsers where ![.ivy, .tom].contains(person) {
      let page = browser.get("/settings/export").text
      let link = try #require(page.firstMatch(of: /\/settings\/export\/[0-9a-f-]{36}/), "\(person)")
      let path = try #require(browser.get(String(link.output)).headers[.accelRedirect])
      archives.append((person, String(path.dropFirst("/protected-media/".count))))
    }
    let program = """
      import sys, zipfile
      for archive in sys.argv[3:]:
          zipfile.ZipFile(sys.argv[1] + "/" + archive).extractall(sys.argv[2] + "/" + archive)
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments =
      ["-c", program, fixture.instance.instance.configuration.mediaFolder, folder]
      + archives.map(\.1)
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    for (person, archive) in archives {
      let names =
        FileManager.default.enumerator(atPath: "\(folder)/\(archive)")?
        .compactMap { $0 as? String } ?? []
      #expect(names.count > 10, "\(person)")
      for name in names {
        let bytes = FileManager.default.contents(atPath: "\(folder)/\(archive)/\(name)") ?? Data()
        note(Array(bytes), at: "\(name) in the export", for: .person(person))
      }
    }
  }

  /// Errors contain nothing about the refused item.
  private mutating func tryWhatIsRefused() throws {
    let couple = "/couples/\(try fixture.couple(.ann))"
    let code = try fixture.browser(.lea).code(
      of: TestGroup(page: "/groups/\(fixture.values["groups"]?.first ?? "")"))
    let posts = fixture.values["posts", default: []].prefix(4).map { "/posts/\($0)" }
    for person in [CanaryPerson.sam, .nik, .kim, .rex, .gia, .uli] {
      let browser = try fixture.browser(person)
      for post in posts.dropFirst() {
        note(browser.call(.post, "\(post)/like"), at: "\(post)/like", for: .person(person))
        note(browser.post("\(post)/report", ["reason": "spam"]), at: post, for: .person(person))
      }
      guard [.nik, .kim, .gia, .uli].contains(person) else { continue }
      note(browser.post("\(couple)/follow"), at: "\(couple)/follow", for: .person(person))
    }
    note(try fixture.browser(.rex).join(code), at: "POST /join", for: .person(.rex))
    let visitor = fixture.instance.browser()
    let email = CanaryPerson.ann.address(.email)
    for (path, fields) in [
      ("/sign-in", ["email": email, "password": "wrong", "next": "/"]),
      ("/reset", ["email": email]),
    ] {
      // The form contains the submitted values again.
      let answer = visitor.post(path, all: fields.map { ($0.key, $0.value) })
      let marks = fixture.finder.marks(in: answer.body)
        .subtracting([CanaryMark(.email, of: .ann)])
      note(marks, at: "POST \(path)", for: .nobody)
    }
  }
}
