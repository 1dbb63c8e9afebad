import Core

/// A place for pictures and other uploaded files: a folder, or a bucket. Files have paths like
/// "couples/…/thumb_….jpg"; a file never changes under its path.
///
/// A stored file is durable when a call returns. A row that names it is committed after that, so a
/// crash leaves at most a file that no row names.
public protocol MediaStore: Sendable {
  /// Calls `make` with a folder of this machine for new files, and stores what it leaves there, with
  /// the same names, in `folder`. Names that begin with a dot are unfinished and not stored. Throws
  /// the errors of `make`, and by `failure` those of storing.
  func write<Result, Failure: Error>(
    into folder: String, orThrow failure: (MediaError) -> Failure,
    _ make: (String) throws(Failure) -> Result
  ) throws(Failure) -> Result

  func put(_ bytes: [UInt8], as path: String) throws(MediaError)

  /// Moves a file of this machine into the store.
  func put(file: String, as path: String) throws(MediaError)

  /// Calls `use` with the path of a file of this machine that has the bytes of a stored file: the file
  /// itself, or a copy that is removed afterwards. Nil if there is none. Throws the errors of `use`,
  /// and by `failure` those of reading.
  func read<Result, Failure: Error>(
    _ path: String, orThrow failure: (MediaError) -> Failure,
    _ use: (String) throws(Failure) -> Result
  ) throws(Failure) -> Result?

  /// The bytes of a file of at most `limit` bytes; nil if there is none.
  func get(_ path: String, limit: Int) throws(MediaError) -> [UInt8]?

  /// The size of a file in bytes; nil if there is none.
  func size(of path: String) throws(MediaError) -> Int?

  /// Gives files further paths. All exist afterwards; if it throws, none of the new ones does.
  func link(_ paths: [MediaLink]) throws(MediaError)

  /// Deletes files; no error if there are none.
  func delete(_ paths: [String]) throws(MediaError)

  /// Deletes a file, or a folder with all in it; no error if there is none.
  func deleteAll(at path: String) throws(MediaError)

  /// The files below a folder, in the order of their paths: those after `mark`, or the first. A
  /// folder that does not exist has none.
  func page(below folder: String, after mark: String?) throws(MediaError) -> MediaPage

  /// The internal location (`X-Accel-Redirect`) from which nginx sends a file.
  func location(of path: String) -> String

  /// Whether the files are on a disk of this machine, so that checks may read all of them.
  var isLocal: Bool { get }
}

/// A further path for a file.
public struct MediaLink: Sendable, Equatable {
  public let old: String
  public let new: String

  public init(_ old: String, to new: String) {
    self.old = old
    self.new = new
  }
}

/// A file in a store.
public struct MediaFile: Sendable, Equatable {
  public let path: String
  /// Size in bytes.
  public let size: Int
  /// When it got its path, by the clock of the store.
  public let storedAt: Instant

  public init(path: String, size: Int, storedAt: Instant) {
    self.path = path
    self.size = size
    self.storedAt = storedAt
  }

  /// The name, without the folder.
  public var name: Substring { path.split(separator: "/").last ?? "" }
}

/// A part of a list of files.
public struct MediaPage: Sendable, Equatable {
  public let files: [MediaFile]
  /// The mark of the next page; nil for the last one.
  public let next: String?

  public init(files: [MediaFile], next: String? = nil) {
    self.files = files
    self.next = next
  }
}

extension MediaStore {
  /// All files below a folder of a few files.
  public func files(below folder: String) throws(MediaError) -> [MediaFile] {
    var found: [MediaFile] = []
    var mark: String?
    repeat {
      let page = try page(below: folder, after: mark)
      found += page.files
      mark = page.next
    } while mark != nil
    return found
  }

  /// `write` for makers that throw any error.
  public func write<Result>(
    into folder: String, _ make: (String) throws -> Result
  ) throws -> Result {
    try write(into: folder, orThrow: { (error: MediaError) -> any Error in error }, make)
  }

  /// `read` for users that throw any error.
  public func read<Result>(
    _ path: String, _ use: (String) throws -> Result
  ) throws -> Result? {
    try read(path, orThrow: { (error: MediaError) -> any Error in error }, use)
  }
}
