import Core
import Foundation
import Testing

@testable import Mail

@Suite("Mail into files")
final class FileSenderTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "pairspot-file-sender-\(UUID().uuidString)")
  private let clock = ManualClock(Instant(milliseconds: 1_768_266_305_123))
  private var sender: FileSender { FileSender(directory: folder.path, clock: clock) }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func send(_ text: String, id: String) throws {
    try sender.keep(Array(text.utf8), messageID: id)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test("A mail becomes a file named by time and Message-ID that only the owner may read")
  func file() throws {
    try send("Subject: a\r\n\r\nb\r\n", id: "0198-Ab@example.test")
    #expect(try names() == ["1768266305123-0198-ab.eml"])
    let path = folder.path + "/1768266305123-0198-ab.eml"
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("Subject: a\r\n\r\nb\r\n".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let directory = try FileManager.default.attributesOfItem(atPath: folder.path)
    #expect(directory[.posixPermissions] as? Int == 0o700)
  }

  @Test("The file contains the message as it would be sent")
  func whole() throws {
    let message = MailMessage(
      fromName: "PairSpot", from: try MailAddress("hello@example.test"),
      to: try MailAddress("mei@example.test"), subject: "Hello", text: "a\n", html: "<p>a</p>\n",
      messageID: "m1@example.test", date: clock.now(), language: .english)
    try sender.send(message, returnPath: try MailAddress("hello+b2@example.test"))
    let path = folder.path + "/1768266305123-m1.eml"
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(message.rendered()))
  }

  @Test("A Message-ID cannot lead out of the folder")
  func path() throws {
    try send("a", id: "../../etc/passwd@example.test")
    try send("b", id: "@")
    #expect(try names().count == 2)
    #expect(try names().first { $0.contains("etcpasswd") } == "1768266305123-etcpasswd.eml")
  }

  @Test("A second sending of a mail is another file with the same id")
  func again() throws {
    try send("a", id: "x@example.test")
    clock.advance(seconds: 1)
    try send("a", id: "x@example.test")
    #expect(try names() == ["1768266305123-x.eml", "1768266306123-x.eml"])
  }

  @Test("Files of before a moment are removed, and nothing else that lies there")
  func purge() throws {
    for name in ["a", "b", "c"] {
      try send(name, id: "\(name)@example.test")
      clock.advance(seconds: 60)
    }
    let others = ["notes.txt", "x-y.eml", ".1-half.eml.tmp"]
    for other in others {
      #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(other)", contents: nil))
    }
    try sender.purge(before: clock.now().adding(seconds: -120))
    #expect(
      try Set(names()) == Set(others + ["1768266365123-b.eml", "1768266425123-c.eml"]))
  }

  @Test("A folder that cannot be written is a temporary failure and leaves nothing")
  func unwritable() throws {
    let sender = FileSender(directory: "/proc/nowhere/mail", clock: clock)
    do {
      try sender.keep([], messageID: "x@y.z")
      Issue.record("it was sent")
    } catch {
      guard case .temporary(let text) = error else { throw error }
      #expect(text.contains("/proc/nowhere/mail"))
    }
  }
}
