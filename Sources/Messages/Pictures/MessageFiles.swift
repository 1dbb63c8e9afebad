import Accounts
import Core
import Database
import Films
import Foundation
import Images
import Web

/// The files of messages, pictures and voice notes: a folder for each message, in that of its conversation.
struct MessageFiles {
  private static let root = "messages"
  /// Younger folders, in s, may be about to get files.
  private static let grace: Int64 = .hours(1)

  let mediaFolder: String

  static func folder(of conversation: ID<Conversation>) -> String { "\(root)/\(conversation)" }

  static func folder(_ message: ID<Message>, of conversation: ID<Conversation>) -> String {
    "\(folder(of: conversation))/\(message)"
  }

  /// Makes the files of uploaded pictures. Throws a problem with errors by picture (`pictures`, and
  /// `pictures.0` …), with nothing left in the folder. `note` gets the reasons of internal errors.
  func make(
    _ pictures: [NewMessagePicture], of message: ID<Message>, in conversation: ID<Conversation>,
    with processor: ImageProcessor, note: (String) -> Void
  ) throws -> [StoredPicture] {
    guard !pictures.isEmpty else { return [] }
    let folder = "\(mediaFolder)/\(Self.folder(message, of: conversation))"
    var stored: [StoredPicture] = []
    var fields: [String: FieldError] = [:]
    var first: PictureError?
    for (place, picture) in pictures.enumerated() {
      do throws(PictureError) {
        guard !picture.isTooLarge else { throw .tooManyBytes }
        try PictureFiles.makeFolder(folder)
        let made = try processor.process(file: picture.path, kind: .post, into: folder)
        guard let id = ID<MessagePicture>(made.id) else {
          throw .failed("no identifier: \(made.id)")
        }
        stored.append(
          StoredPicture(
            id: id, made: made,
            description: MessageRules.descriptionLimits.beginning(
              of: picture.description.asOneLine)))
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
  ) throws -> MessageVoice? {
    guard let voice else { return nil }
    let folder = "\(mediaFolder)/\(Self.folder(message, of: conversation))"
    do throws(FilmError) {
      guard films.isAvailable else { throw .unavailable }
      guard !voice.isTooLarge else { throw .tooManyBytes }
      try Self.makeFolder(folder)
      let made = try films.voice(
        file: voice.path, maximumSeconds: MessageRules.voiceLength, into: folder)
      guard let id = ID<MessageVoice>(made.id) else { throw .failed("no identifier: \(made.id)") }
      return MessageVoice(id: id, milliseconds: made.milliseconds)
    } catch {
      remove(folderOf: message, in: conversation)
      if case .failed(let reason) = error { note("voice note: \(reason)") }
      throw error.voiceProblem
    }
  }

  private static func makeFolder(_ path: String) throws(FilmError) {
    do throws(PictureError) {
      try PictureFiles.makeFolder(path)
    } catch {
      throw error == .diskFull ? FilmError.diskFull : .failed("cannot make \(path)")
    }
  }

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

  /// Removes the files of a message; no error if there are none.
  func remove(folderOf message: ID<Message>, in conversation: ID<Conversation>) {
    try? FileManager.default.removeItem(
      atPath: "\(mediaFolder)/\(Self.folder(message, of: conversation))")
  }
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
