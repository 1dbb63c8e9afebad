import Core
import Database

/// The files that rows of moments name.
struct MomentFileStore {
  /// Files referenced by rows of this module.
  static let named = ReferencedFiles("files of moments") { try paths(in: $0) }

  /// Those of these files, `moments/{moment}/{name}`, that no row names.
  static func unnamed(_ paths: [String], in reader: ReadTransaction) throws -> [String] {
    let files = paths.compactMap { path -> (path: String, moment: ID<Moment>)? in
      let parts = path.split(separator: "/")
      guard parts.count == 3, let moment = ID<Moment>(parts[1]) else { return nil }
      return (path, moment)
    }
    let known = try self.paths(
      "WHERE id IN \(IDList(Set(files.map(\.moment))))", in: reader)
    return files.map(\.path).filter { !known.contains($0) }
  }

  /// The paths of the files of moments of a condition; of all without one.
  private static func paths(
    _ condition: Query = "", in reader: ReadTransaction
  ) throws -> Set<String> {
    let files = try reader.rows(
      "SELECT id, file_id, extension, has_webp, milliseconds, has_sound FROM moments \(condition)"
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
