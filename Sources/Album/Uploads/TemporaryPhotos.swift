import Core
import Glibc
import PhotoMetadata
import Secrets

/// A photo that waits here for the rest of its form.
struct TemporaryPhoto: Equatable {
  /// What the form carries: only the browser that it was given to can do anything with it.
  let ticket: String
  let path: String
}

/// Why a photo can't wait here.
enum TemporaryPhotoError: Error, Equatable {
  /// There are as many as there may be, or they are as large together.
  case full
  /// The system's error number.
  case disk(Int32)
}

/// The photos that `/stories` keeps between two requests, for minutes
/// (docs/developer/album.md#pages).
///
/// A folder is all there is: a file's name begins with its moment and ends with a keyed hash of the
/// ticket and of the browser's own cookie. So whoever reads the folder has no ticket, and a ticket
/// is worth nothing in another browser. It is one machine's own: where several answer, a browser
/// must stay with one of them for these minutes, else it is asked for its photo again.
struct TemporaryPhotos: Sendable {
  /// How long a photo waits, in s. A round of the job, a minute, may pass until it is gone: then
  /// it is ten minutes old at most.
  static let lifetime: Int64 = .minutes(9)
  /// Everybody's together.
  static let mostFiles = 200
  static let mostBytes: Int64 = 2 << 30

  let folder: String
  var disk = DiskReserve()
  private let key: [UInt8]

  /// Makes the folder, which is nobody's but ours.
  init(folder: String, keys: KeyRing) {
    self.folder = folder
    key = keys.derivedKey(purpose: "stories")
    // Whoever then can't write into it says so.
    if mkdir(folder, 0o700) == 0 { chmod(folder, 0o700) }
  }

  /// Takes a file over from where an upload lies. Throws `TemporaryPhotoError`.
  func keep(_ path: String, for browser: Token, now: Instant) throws(TemporaryPhotoError)
    -> TemporaryPhoto
  {
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw .disk(errno) }
    // Closing it lets the next one in.
    defer { close(lock) }
    let (count, bytes) = space()
    let size = Self.size(path)
    guard count < Self.mostFiles, bytes + size <= Self.mostBytes else { throw .full }
    // The photo lies on this disk already; the finished one is going to take as much again.
    guard disk.holds(size, in: folder) else { throw .disk(ENOSPC) }
    let ticket = "\(now.milliseconds)-\(Token.random().text)"
    guard let name = name(of: ticket, browser) else { throw .disk(EINVAL) }
    let kept = "\(folder)/\(name)"
    guard rename(path, kept) == 0 else { throw .disk(errno) }
    return TemporaryPhoto(ticket: ticket, path: kept)
  }

  /// The photo that this browser has a ticket for; nil when it was never there or is no more.
  func find(_ ticket: String, of browser: Token?, now: Instant) -> TemporaryPhoto? {
    guard let browser, let moment = Self.moment(ticket), !Self.isOver(moment, now: now),
      let name = name(of: ticket, browser)
    else { return nil }
    let path = "\(folder)/\(name)"
    return access(path, R_OK) == 0 ? TemporaryPhoto(ticket: ticket, path: path) : nil
  }

  func remove(_ photo: TemporaryPhoto) { unlink(photo.path) }

  /// A free name for a finished file, which goes with the others if nobody removes it before.
  func place(now: Instant) -> String {
    "\(folder)/\(now.milliseconds)-\(ID<TemporaryPhoto>.random())"
  }

  /// Removes what has waited too long, halves of interrupted saves too.
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

  /// When a file or a ticket was made, by its name; nil for what isn't ours.
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

  private func space() -> (count: Int, bytes: Int64) {
    let names = names()
    return (names.count, names.reduce(0) { $0 + Self.size("\(folder)/\($1)") })
  }

  private static func size(_ path: String) -> Int64 {
    var status = stat()
    return lstat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
