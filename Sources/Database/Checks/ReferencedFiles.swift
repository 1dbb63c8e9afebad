/// The files that rows of a module name: a backup has them all, and the doctor looks for them.
public struct ReferencedFiles: Sendable {
  public let name: String
  /// Their paths below the media folder.
  public let find: @Sendable (ReadTransaction) throws -> Set<String>

  public init(_ name: String, find: @escaping @Sendable (ReadTransaction) throws -> Set<String>) {
    self.name = name
    self.find = find
  }
}
