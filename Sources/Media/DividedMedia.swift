/// A folder of this machine, with some of its folders in another store.
public struct DividedMedia: MediaStore {
  private let folder: MediaFolder
  private let other: any MediaStore
  private let moved: [String]

  /// `moved` are the names of the first folders of paths in the other store.
  public init(_ folder: MediaFolder, _ other: any MediaStore, moved: [String]) {
    self.folder = folder
    self.other = other
    self.moved = moved
  }

  private func store(of path: String) -> any MediaStore {
    let first = path.prefix { $0 != "/" }
    return moved.contains { $0 == first } ? other : folder
  }

  public func write<Result, Failure: Error>(
    into folder: String, orThrow failure: (MediaError) -> Failure,
    _ make: (String) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try store(of: folder).write(into: folder, orThrow: failure, make)
  }

  public func put(_ bytes: [UInt8], as path: String) throws(MediaError) {
    try store(of: path).put(bytes, as: path)
  }

  public func put(file: String, as path: String) throws(MediaError) {
    try store(of: path).put(file: file, as: path)
  }

  public func read<Result, Failure: Error>(
    _ path: String, orThrow failure: (MediaError) -> Failure,
    _ use: (String) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    try store(of: path).read(path, orThrow: failure, use)
  }

  public func get(_ path: String, limit: Int) throws(MediaError) -> [UInt8]? {
    try store(of: path).get(path, limit: limit)
  }

  public func size(of path: String) throws(MediaError) -> Int? {
    try store(of: path).size(of: path)
  }

  /// Both paths of a link must be in the same store.
  public func link(_ paths: [MediaLink]) throws(MediaError) {
    guard let first = paths.first else { return }
    try store(of: first.old).link(paths)
  }

  public func delete(_ paths: [String]) throws(MediaError) {
    for path in paths { try store(of: path).delete([path]) }
  }

  public func deleteAll(at path: String) throws(MediaError) {
    try store(of: path).deleteAll(at: path)
  }

  public func page(below folder: String, after mark: String?) throws(MediaError) -> MediaPage {
    try store(of: folder).page(below: folder, after: mark)
  }

  public func location(of path: String) -> String { store(of: path).location(of: path) }

  public var isLocal: Bool { false }
}
