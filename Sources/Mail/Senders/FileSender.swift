import Core
import Foundation
import Glibc
import Secrets

/// Writes each mail as a file into a folder, for trials (docs/developer/web-security.md:
/// `<ms>-<id>.eml`, mode 0600).
public struct FileSender: MailSender {
  private let directory: String
  private let clock: any Clock

  /// `directory` is made with mode 700 if missing; its parent must exist.
  public init(directory: String, clock: any Clock) {
    self.directory = directory
    self.clock = clock
  }

  public func send(_ message: MailMessage, returnPath: MailAddress) throws(MailSendError) {
    try keep(message.rendered(), messageID: message.messageID)
  }

  func keep(_ message: [UInt8], messageID: String) throws(MailSendError) {
    let name = "\(clock.now().milliseconds)-\(Self.id(of: messageID)).eml"
    let path = "\(directory)/\(name)"
    let temporary = "\(directory)/.\(name).\(Base64URL.text(RandomBytes.make(6)))"
    guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw Self.failure(directory) }
    do throws(MailSendError) {
      try Self.write(message, to: temporary)
      guard rename(temporary, path) == 0 else { throw Self.failure(path) }
    } catch {
      unlink(temporary)
      throw error
    }
    try Self.syncFolder(directory)
  }

  /// Deletes mails that were written before a moment; other files are left alone.
  public func purge(before moment: Instant) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory)
    where name.hasSuffix(".eml") {
      guard let written = name.split(separator: "-").first.flatMap({ Int64($0) }),
        written < moment.milliseconds
      else { continue }
      unlink("\(directory)/\(name)")
    }
  }

  /// The part of a Message-ID before the @, limited to characters of a file name, so that a mail
  /// sent twice can be recognised.
  private static func id(of messageID: String) -> String {
    let id = messageID.prefix { $0 != "@" }
      .filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    return id.isEmpty ? ID<FileSender>.random().description : id.prefix(100).lowercased()
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(MailSendError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw failure(path) }
      written += count
    }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  private static func syncFolder(_ path: String) throws(MailSendError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> MailSendError {
    .temporary("\(path): \(String(cString: strerror(errno)))")
  }
}
