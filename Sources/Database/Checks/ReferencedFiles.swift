/// The files that rows of a module reference: backups include them, and the doctor checks that they
/// exist.
public struct ReferencedFiles: Sendable {
  public let name: String
  /// Finds their paths below the media folder.
  public let find: @Sendable (ReadTransaction) throws -> Set<String>

  public init(_ name: String, find: @escaping @Sendable (ReadTransaction) throws -> Set<String>) {
    self.name = name
    self.find = find
  }
}
