import Accounts
import Core
import Database
import Films
import Foundation
import Images
import Media
import Secrets
import Web

/// The files of messages, pictures and voice notes: a folder for each message, in that of its
/// conversation. They are encrypted, each picture and voice note with a key of its own.
struct MessageFiles: Sendable {
  private static let root = "messages"
  /// Younger folders, in s, may be about to get files.
  private static let grace: Int64 = .hours(1)
  /// The end of the name of an encrypted file.
  private static let ending = ".sealed"
  /// The maximum size of a file, which is decrypted in memory.
  private static let maximumBytes = 64 << 20

  let media: any MediaStore
  /// The folder of the store if it is one of this machine.
  let mediaFolder: String
  /// The folder of files while they are made.
  let uploadFolder: String
  let keys: KeyRing

  static func folder(of conversation: ID<Conversation>) -> String { "\(root)/\(conversation)" }

  static func folder(_ message: ID<Message>, of conversation: ID<Conversation>) -> String {
    "\(folder(of: conversation))/\(message)"
  }

  /// The path of a file below the media folder.
  static func path(_ name: String, in folder: String, isEncrypted: Bool) -> String {
    "\(folder)/\(name)\(isEncrypted ? ending : "")"
  }

  // MARK: Making

  /// Makes the files of uploaded pictures. Throws a problem with errors by picture (`pictures`, and
  /// `pictures.0` …), with nothing left in the folder. `note` gets the reasons of internal errors.
  func make(
    _ pictures: [NewMessagePicture], of message: ID<Message>, in conversation: ID<Conversation>,
    with processor: ImageProcessor, note: (String) -> Void
  ) throws -> [StoredPicture] {
    guard !pictures.isEmpty else { return [] }
    let folder = Self.folder(message, of: conversation)
    let plain = plainFolder(of: message)
    defer { try? FileManager.default.removeItem(atPath: plain) }
    var stored: [StoredPicture] = []
    var fields: [String: FieldError] = [:]
    var first: PictureError?
    for (place, picture) in pictures.enumerated() {
      do throws(PictureError) {
        guard !picture.isTooLarge else { throw .tooManyBytes }
        try PictureFiles.makeFolder(plain)
        let made = try processor.process(file: picture.path, kind: .post, into: plain)
        guard let id = ID<MessagePicture>(made.id) else {
          throw .failed("no identifier: \(made.id)")
        }
        let names = MessagePicture.fileNames(
          of: id, fileExtension: made.fileExtension, hasWebP: made.hasWebP)
        let key = FileKey.random()
        try encrypt(names, from: plain, into: folder, with: key)
        stored.append(
          StoredPicture(
            id: id, made: made,
            description: MessageRules.descriptionLimits.beginning(
              of: picture.description.asOneLine), key: key))
      } catch {
        if first == nil { first = error }
        if case .failed(let reason) = error { note("picture: \(reason)") }
        fields["pictures.\(place)"] = error.fieldError
      }
    }
    guard let first else { return stored }
    remove(folderOf: message, in: conversation)
    fields["pictures"] = FieldError("error.images_some", ["count": String(fields.count)])
    throw first.problem(fields: fields)
  }

  /// Makes the file of an uploaded voice note; nil without one. Throws a problem with an error of
  /// `voice`. `note` gets the reason of an internal error.
  func make(
    _ voice: NewMessageVoice?, of message: ID<Message>, in conversation: ID<Conversation>,
    with films: FilmProcessor, note: (String) -> Void
  ) throws -> StoredVoice? {
    guard let voice else { return nil }
    let plain = plainFolder(of: message)
    defer { try? FileManager.default.removeItem(atPath: plain) }
    do throws(FilmError) {
      guard films.isAvailable else { throw .unavailable }
      guard !voice.isTooLarge else { throw .tooManyBytes }
      try Self.makeFolder(plain)
      let made = try films.voice(
        file: voice.path, maximumSeconds: MessageRules.voiceLength, into: plain)
      return try store(made, from: plain, into: Self.folder(message, of: conversation))
    } catch {
      remove(folderOf: message, in: conversation)
      if case .failed(let reason) = error { note("voice note: \(reason)") }
      throw error.voiceProblem
    }
  }

  private func store(
    _ made: ProcessedVoice, from plain: String, into folder: String
  ) throws(FilmError) -> StoredVoice {
    guard let id = ID<MessageVoice>(made.id) else { throw .failed("no identifier: \(made.id)") }
    let key = FileKey.random()
    do throws(PictureError) {
      try encrypt([FilmFiles.voice(made.id)], from: plain, into: folder, with: key)
    } catch {
      throw FilmError(error)
    }
    return StoredVoice(id: id, milliseconds: made.milliseconds, key: key)
  }

  /// The folder of a message's files before they are encrypted. `serve` removes what an
  /// interruption leaves there.
  private func plainFolder(of message: ID<Message>) -> String {
    "\(uploadFolder)/upload-\(message)"
  }

  private static func makeFolder(_ path: String) throws(FilmError) {
    do throws(PictureError) {
      try PictureFiles.makeFolder(path)
    } catch {
      throw FilmError(error)
    }
  }

  // MARK: Encrypting

  /// Encrypts files of a folder of this machine into one of the store, where none is left after an
  /// error.
  func encrypt(
    _ names: [String], from plain: String, into folder: String, with key: FileKey
  ) throws(PictureError) {
    try media.write(into: folder, orThrow: PictureError.init) {
      (path) throws(PictureError) -> Void in
      do throws(PictureError) {
        for name in names {
          let bytes = try PictureFile.read("\(plain)/\(name)", of: Self.maximumBytes)
          try write(bytes, as: name, of: folder, in: path, with: key)
        }
        try PictureFile.keepNames(in: path)
      } catch {
        for name in names { unlink(Self.path(name, in: path, isEncrypted: true)) }
        throw error
      }
    }
  }

  /// Writes an encrypted file of a folder of the store into one of this machine.
  private func write(
    _ bytes: [UInt8], as name: String, of folder: String, in path: String, with key: FileKey
  ) throws(PictureError) {
    let file = Self.path(name, in: path, isEncrypted: true)
    let unfinished = "\(path)/.\(name)\(Self.ending)\(PictureVariant.File.unfinished)"
    let content: [UInt8]
    do {
      content = try key.encrypt(bytes, named: "\(folder)/\(name)")
    } catch {
      throw .failed("cannot encrypt \(file): \(error)")
    }
    // An interrupted attempt may have left one.
    unlink(unfinished)
    do throws(PictureError) {
      try PictureFile.write(content, to: unfinished)
      guard rename(unfinished, file) == 0 else { throw PictureFile.failure("cannot name \(file)") }
    } catch {
      unlink(unfinished)
      throw error
    }
  }

  /// Removes encrypted files of this machine whose message is gone, and its folder if it is empty.
  func removeEncrypted(_ names: [String], in folder: String) {
    for name in names {
      unlink("\(mediaFolder)/\(Self.path(name, in: folder, isEncrypted: true))")
    }
    rmdir("\(mediaFolder)/\(folder)")
  }

  // MARK: Reading

  /// The content of a file; nil if there is none. Throws `UnreadableFile`, and `MediaError` if the
  /// store does not answer.
  func read(_ name: String, of media: StoredMedia) throws -> [UInt8]? {
    let path = media.path(of: name)
    do {
      guard let bytes = try self.media.get(path, limit: Self.maximumBytes) else { return nil }
      guard let sealedKey = media.sealedKey else { return bytes }
      let key = try FileKey(sealedKey, for: media.owner.key, with: keys)
      return try key.decrypt(bytes, named: "\(media.folder)/\(name)")
    } catch MediaError.unavailable(let reason) {
      throw MediaError.unavailable(reason)
    } catch {
      throw UnreadableFile(path: path, reason: "\(error)")
    }
  }

  /// Whether all files are on this machine.
  func arePresent(_ media: StoredMedia) -> Bool {
    media.paths.allSatisfy { PictureFile.size("\(mediaFolder)/\($0)") != nil }
  }

  // MARK: Removing

  /// Removes the empty folders of conversations. Ages are measured by the system clock, as file
  /// times are, and not by the application's clock, which may be offset.
  func removeEmptyFolders(now: Instant = Instant(date: Date())) {
    let root = "\(mediaFolder)/\(Self.root)"
    let latest = now.adding(seconds: -Self.grace)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] {
      var status = stat()
      guard ID<Conversation>(name) != nil, lstat("\(root)/\(name)", &status) == 0,
        Instant(milliseconds: Int64(status.st_mtim.tv_sec) * 1000) < latest
      else { continue }
      // Fails if the folder is not empty.
      rmdir("\(root)/\(name)")
    }
  }

  /// Removes the files of a message without a row. Those that can't be removed are left to the
  /// cleanup job.
  func remove(folderOf message: ID<Message>, in conversation: ID<Conversation>) {
    try? media.deleteAll(at: Self.folder(message, of: conversation))
  }
}

/// A file that cannot be read or decrypted.
struct UnreadableFile: Error, CustomStringConvertible {
  /// Below the media folder.
  let path: String
  let reason: String

  var description: String { "media/\(path): \(reason)" }
}

extension PictureError {
  /// The error text for the picture.
  fileprivate var fieldError: FieldError {
    switch self {
    case .busy: FieldError("error.image_busy")
    case .tooManyBytes: FieldError("error.image_large")
    case .tooManyPixels: FieldError("error.image_pixels")
    case .unsupportedFormat: FieldError("error.image_format")
    case .damaged: FieldError("error.image_broken")
    case .diskFull: FieldError("error.image_full")
    case .failed: FieldError("error.image_failed")
    }
  }
}
