import Core
import Glibc
import PhotoMetadata
import Secrets

/// A photo that is stored until its form is complete.
struct TemporaryPhoto: Equatable {
  /// The value in the form; valid only in the browser that it was issued to.
  let ticket: String
  let path: String
}

/// Why a photo can't be stored temporarily.
enum TemporaryPhotoError: Error, Equatable {
  /// The number or the total size of stored photos has reached its limit.
  case full
  /// The system's error number.
  case disk(Int32)
}

/// Stores the photos of `/stories` between two requests, for minutes
/// (docs/developer/album.md#pages).
///
/// The folder is the only state: a file's name begins with its time and ends with a keyed hash of
/// the ticket and of the browser's cookie. So reading the folder reveals no ticket, and a ticket is
/// useless in another browser. The folder is local to a machine: with several servers, a browser
/// must stay on one of them for these minutes, or it is asked for its photo again.
struct TemporaryPhotos: Sendable {
  /// How long a photo is stored, in s. It takes up to a minute until the job removes it, so it is
  /// ten minutes old at most.
  static let lifetime: Int64 = .minutes(9)
  /// The limits of all photos together.
  static let maximumFiles = 200
  static let maximumBytes: Int64 = 2 << 30

  let folder: String
  var disk = DiskReserve()
  private let key: [UInt8]

  /// Creates the folder, which only the service can read.
  init(folder: String, keys: KeyRing) {
    self.folder = folder
    key = keys.derivedKey(purpose: "stories")
    // A failure is reported when a file is written.
    if mkdir(folder, 0o700) == 0 { chmod(folder, 0o700) }
  }

  /// Moves an uploaded file into the folder. Throws `TemporaryPhotoError`.
  func keep(_ path: String, for browser: Token, now: Instant) throws(TemporaryPhotoError)
    -> TemporaryPhoto
  {
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw .disk(errno) }
    // Closing it releases the lock.
    defer { close(lock) }
    let (count, bytes) = usage()
    let size = Self.size(path)
    guard count < Self.maximumFiles, bytes + size <= Self.maximumBytes else { throw .full }
    // The photo is on this disk already; the finished one will take as much space again.
    guard disk.hasSpace(size, in: folder) else { throw .disk(ENOSPC) }
    let ticket = "\(now.milliseconds)-\(Token.random().text)"
    guard let name = name(of: ticket, browser) else { throw .disk(EINVAL) }
    let kept = "\(folder)/\(name)"
    guard rename(path, kept) == 0 else { throw .disk(errno) }
    return TemporaryPhoto(ticket: ticket, path: kept)
  }

  /// The photo of this browser's ticket; nil if it never existed or is gone.
  func find(_ ticket: String, of browser: Token?, now: Instant) -> TemporaryPhoto? {
    guard let browser, let moment = Self.moment(ticket), !Self.isOver(moment, now: now),
      let name = name(of: ticket, browser)
    else { return nil }
    let path = "\(folder)/\(name)"
    return access(path, R_OK) == 0 ? TemporaryPhoto(ticket: ticket, path: path) : nil
  }

  func remove(_ photo: TemporaryPhoto) { unlink(photo.path) }

  /// A free path for a finished file, which is cleaned up with the others if it is not removed
  /// before.
  func place(now: Instant) -> String {
    "\(folder)/\(now.milliseconds)-\(ID<TemporaryPhoto>.random())"
  }

  /// Removes expired files, including those of interrupted saves.
  func removeOld(now: Instant) {
    for name in names() {
      let isOver = Self.moment(name).map { Self.isOver($0, now: now) } ?? true
      if isOver { unlink("\(folder)/\(name)") }
    }
  }

  // MARK: Names

  private func name(of ticket: String, _ browser: Token) -> String? {
    let parts = ticket.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, Int64(parts[0]) != nil, let token = Token(parts[1]) else { return nil }
    let mark = Digests.hmac(browser.bytes + token.bytes, key: key)
    return "\(parts[0])-\(Base64URL.text(mark))"
  }

  /// The creation time in the name of a file or ticket; nil for other names.
  private static func moment(_ name: String) -> Instant? {
    let digits = name.drop { $0 == "." }.prefix { $0 != "-" }
    return Int64(digits).map { Instant(milliseconds: $0) }
  }

  private static func isOver(_ moment: Instant, now: Instant) -> Bool {
    now.seconds(since: moment) >= lifetime
  }

  // MARK: Folder

  private func names() -> [String] {
    guard let listing = opendir(folder) else { return [] }
    defer { closedir(listing) }
    var found: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { found.append(name) }
    }
    return found
  }

  private func usage() -> (count: Int, bytes: Int64) {
    let names = names()
    return (names.count, names.reduce(0) { $0 + Self.size("\(folder)/\($1)") })
  }

  private static func size(_ path: String) -> Int64 {
    var status = stat()
    return lstat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
