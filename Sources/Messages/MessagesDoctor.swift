import Core
import Database
import Secrets

/// The invariants of messages.
struct MessagesDoctor {
  let keys: KeyRing
  let files: MessageFiles

  var checks: [DoctorCheck] {
    [Self.countsPictures, Self.hasMembers, everythingOpens, filesOpen]
  }

  private static let countsPictures = DoctorCheck(
    "counts of pictures of messages are correct",
    find: {
      try $0.rows(
        """
        SELECT m.id FROM messages m WHERE m.deleted_at IS NULL AND m.removed_at IS NULL
          AND m.picture_count <> (SELECT count(*) FROM message_pictures p WHERE p.message_id = m.id)
        """
      ) { "message \(try $0.next(ID<Message>.self)) has another number of pictures" }
    })

  private static let hasMembers = DoctorCheck(
    "every conversation has a member",
    find: {
      try $0.rows(
        """
        SELECT c.id FROM conversations c WHERE NOT EXISTS (
          SELECT 1 FROM conversation_members m WHERE m.conversation_id = c.id)
        """
      ) { "conversation \(try $0.next(ID<Conversation>.self)) has no members" }
    },
    repair: {
      try $0.execute(
        """
        DELETE FROM conversations WHERE NOT EXISTS (
          SELECT 1 FROM conversation_members m WHERE m.conversation_id = conversations.id)
        """)
    })

  private var everythingOpens: DoctorCheck {
    DoctorCheck("the keys decrypt messages") { reader in
      keys.problems("messages", opening: try MessageStore.text.samples(in: reader))
        + keys.problems(
          "descriptions of pictures", opening: try MessageStore.description.samples(in: reader))
        + keys.problems(
          "keys of pictures", opening: try MessageFileStore.pictureKey.samples(in: reader))
        + keys.problems(
          "keys of voice notes", opening: try MessageFileStore.voiceKey.samples(in: reader))
        + keys.problems(
          "texts of reported messages", opening: try MessageReportStore.text.samples(in: reader))
    }
  }

  /// Missing files are found with those of other modules.
  private var filesOpen: DoctorCheck {
    DoctorCheck(
      "files of messages can be decrypted",
      findIn: { database in
        let samples = try database.read { try MessageFileStore.samples(in: $0) }
        return samples.flatMap { media in
          media.names.compactMap { name -> String? in
            do {
              _ = try files.read(name, of: media)
              return nil
            } catch {
              return "\(error)"
            }
          }
        }
      }, repairInSteps: nil)
  }
}
