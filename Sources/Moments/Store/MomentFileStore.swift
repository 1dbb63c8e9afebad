import Core
import Database

/// The files that rows of moments name.
struct MomentFileStore {
  /// Files referenced by rows of this module.
  static let named = ReferencedFiles("files of moments") { reader in
    let files = try reader.rows(
      "SELECT id, file_id, extension, has_webp, milliseconds, has_sound FROM moments"
    ) { row -> [String] in
      let folder = MomentFiles.folder(try row.next())
      let file = try row.next(ID<MomentFile>.self)
      let fileExtension = try row.next(String.self)
      let hasWebP = try row.next(Bool.self)
      let milliseconds = try row.next(Int?.self)
      let content = MomentStore.content(
        fileExtension, hasWebP: hasWebP, milliseconds, hasSound: try row.next())
      return MomentFiles.names(file, content).map { "\(folder)/\($0)" }
    }
    return Set(files.joined())
  }
}
