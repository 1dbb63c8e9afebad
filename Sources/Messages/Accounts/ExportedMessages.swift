/// The file `messages.json` of an export: a user's own side.
struct ExportedMessages: Encodable {
  let messages: [ExportedMessage]
  let reactions: [ExportedReaction]
  let conversations: [ExportedMembership]
  let settings: ExportedSettings
}

struct ExportedMessage: Encodable {
  let id: String
  let conversation: String
  let text: String
  let createdAt: String
  let editedAt: String?
  let voice: ExportedVoice?
  let pictures: [ExportedPicture]
}

struct ExportedVoice: Encodable {
  /// The file's name in the export.
  let file: String
  let milliseconds: Int
}

struct ExportedPicture: Encodable {
  /// The file's name in the export.
  let file: String
  let description: String
}

/// A conversation of the user, with the hours without notices: the same time twice for always.
struct ExportedMembership: Encodable {
  let conversation: String
  let mutedFrom: String?
  let mutedTo: String?
  let lastReadAt: String?
}

struct ExportedReaction: Encodable {
  let message: String
  let reaction: String
  let createdAt: String
}

struct ExportedSettings: Encodable {
  let showsContent: Bool
  let sharesReads: Bool

  init(_ settings: MessageSettings) {
    showsContent = settings.showsContent
    sharesReads = settings.sharesReads
  }
}
