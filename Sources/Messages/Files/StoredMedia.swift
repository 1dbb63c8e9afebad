import Core
import Database
import Films
import Images
import Secrets

/// A picture or voice note of a message, with its files.
struct StoredMedia: Sendable {
  /// The row that has the key of the files.
  enum Owner: Sendable {
    case picture(ID<MessagePicture>)
    /// The voice note of a message.
    case voice(ID<Message>)

    /// The identifier of the row.
    var bytes: [UInt8] {
      switch self {
      case .picture(let id): id.bytes
      case .voice(let id): id.bytes
      }
    }

    /// The location of the key.
    var key: AssociatedData {
      switch self {
      case .picture(let id): MessageFileStore.pictureKey.context(id)
      case .voice(let id): MessageFileStore.voiceKey.context(id)
      }
    }
  }

  let owner: Owner
  /// Their folder, below the media folder.
  let folder: String
  /// The names of the files in addresses.
  let names: [String]
  /// Nil for files of an earlier version, which are not encrypted yet.
  let sealedKey: [UInt8]?

  /// Reads the columns of a picture.
  init(picture row: inout RowReader) throws {
    let conversation = try row.next(ID<Conversation>.self)
    folder = MessageFiles.folder(try row.next(), of: conversation)
    let id = try row.next(ID<MessagePicture>.self)
    owner = .picture(id)
    names = MessagePicture.fileNames(
      of: id, fileExtension: try row.next(), hasWebP: try row.next())
    sealedKey = try row.next()
  }

  /// Reads the columns of a voice note.
  init(voice row: inout RowReader) throws {
    let conversation = try row.next(ID<Conversation>.self)
    let message = try row.next(ID<Message>.self)
    folder = MessageFiles.folder(message, of: conversation)
    owner = .voice(message)
    names = [FilmFiles.voice(try row.next(ID<MessageVoice>.self).description)]
    sealedKey = try row.next()
  }

  /// The paths of the files, below the media folder.
  var paths: [String] { names.map { path(of: $0) } }

  /// The path of the file with this name.
  func path(of name: String) -> String {
    MessageFiles.path(name, in: folder, isEncrypted: sealedKey != nil)
  }
}

extension MessagePicture {
  /// The names of all files of a picture.
  static func fileNames(
    of id: ID<MessagePicture>, fileExtension: String, hasWebP: Bool
  ) -> [String] {
    PictureKind.post.files(fileExtension: fileExtension, hasWebP: hasWebP).map {
      $0.name(id: id.description)
    }
  }
}
