import Carchive
import Core
import Glibc

/// Writes a ZIP archive straight to disk with libarchive: names are UTF-8, and only a piece of a
/// file is in memory at a time. Above 4 GiB or 65,535 entries it is a ZIP64 archive.
///
/// Files are stored uncompressed: pictures are compressed already. Texts can be compressed. After
/// an error in the middle of an entry, the archive can't be continued.
public final class ZipWriter {
  private static let pieceLength = 256 << 10
  /// The length of libarchive's buffer, in bytes.
  private static let blockLength: Int32 = 64 << 10

  private let archive: OpaquePointer
  private let output: ZipOutput
  private let locale: locale_t
  private let path: String
  private let moment: Instant
  private var names: Set<String> = []

  /// Creates the file, which must not exist yet, with mode 600. `moment` is the time of all
  /// entries. Throws `ZipError`.
  public convenience init(path: String, moment: Instant) throws(ZipError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if file < 0 { throw .system("make \(path)", errno) }
    try self.init(ZipOutput(file), path: path, moment: moment)
  }

  /// Writes to an open file; `path` is named in errors.
  init(_ output: ZipOutput, path: String, moment: Instant) throws(ZipError) {
    self.output = output
    self.path = path
    self.moment = moment
    guard let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) else {
      throw .system("make \(path)", errno)
    }
    guard let archive = archive_write_new() else {
      freelocale(locale)
      throw .system("make \(path)", ENOMEM)
    }
    self.locale = locale
    self.archive = archive
    try check(archive_write_set_format_zip(archive))
    try check(archive_write_set_format_option(archive, "zip", "compression-level", "1"))
    try check(archive_write_set_bytes_per_block(archive, Self.blockLength))
    // The last block is not filled up.
    try check(archive_write_set_bytes_in_last_block(archive, 1))
    // The output lives as long as this object, and the archive no longer.
    let context = Unmanaged.passUnretained(output).toOpaque()
    try check(
      archive_write_open(
        archive, context, nil,
        { _, context, bytes, count in
          guard let context else { return -1 }
          Unmanaged<ZipOutput>.fromOpaque(context).takeUnretainedValue()
            .write(UnsafeRawBufferPointer(start: bytes, count: count))
          return count
        }, nil))
  }

  deinit {
    // Otherwise an unfinished archive would be completed here.
    output.giveUp()
    archive_write_free(archive)
    freelocale(locale)
  }

  /// Adds bytes under a name, compressed if requested.
  public func add(_ name: String, bytes: [UInt8], packing: Bool = false) throws {
    try begin(name, length: bytes.count, packing: packing)
    try bytes.withUnsafeBytes { try append($0) }
    try check(archive_write_finish_entry(archive))
  }

  /// Adds `length` bytes under a name, compressed, which `write` passes on piece by piece. Throws
  /// `changed` if they are more or fewer.
  public func add(
    _ name: String, length: Int, _ write: ((_ piece: [UInt8]) throws -> Void) throws -> Void
  ) throws {
    try begin(name, length: length, packing: true)
    var rest = length
    try write { piece in
      guard piece.count <= rest else { throw ZipError.changed(name) }
      try piece.withUnsafeBytes { try append($0) }
      rest -= piece.count
    }
    guard rest == 0 else { throw ZipError.changed(name) }
    try check(archive_write_finish_entry(archive))
  }

  /// Adds a file under a name, piece by piece; `progress` gets each piece's length and can stop the
  /// writing by throwing. A file that can't be opened throws `missing` and leaves the archive
  /// unchanged.
  public func add(
    _ name: String, file source: String, progress: (Int) throws -> Void = { _ in }
  ) throws {
    let input = open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard input >= 0 else { throw ZipError.missing(source) }
    defer { close(input) }
    var status = stat()
    guard fstat(input, &status) == 0 else { throw ZipError.system("read \(source)", errno) }
    try begin(name, length: status.st_size)
    var rest = status.st_size
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 16)
    defer { piece.deallocate() }
    while true {
      let count = read(input, piece.baseAddress, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw ZipError.system("read \(source)", errno) }
      // The length stands before the content.
      guard count <= rest, count > 0 || rest == 0 else { throw ZipError.changed(source) }
      if count == 0 { break }
      try append(UnsafeRawBufferPointer(rebasing: piece[..<count]))
      rest -= count
      try progress(count)
    }
    try check(archive_write_finish_entry(archive))
  }

  /// Writes the central directory and syncs the file to disk; returns its length in bytes.
  public func finish() throws -> UInt64 {
    try check(archive_write_close(archive))
    guard output.sync() else { throw ZipError.system("keep \(path)", errno) }
    return output.length
  }

  /// Writes the header of an entry.
  private func begin(_ name: String, length: Int, packing: Bool = false) throws(ZipError) {
    guard Self.isGood(name), !names.contains(name) else { throw .badName(name) }
    guard let entry = archive_entry_new() else { throw .system("write \(path)", ENOMEM) }
    defer { archive_entry_free(entry) }
    archive_entry_set_pathname(entry, name)
    archive_entry_set_filetype(entry, S_IFREG)
    archive_entry_set_perm(entry, 0o600)
    archive_entry_set_mtime(entry, Int(moment.milliseconds / 1000), 0)
    archive_entry_set_size(entry, Int64(length))
    try check(
      packing
        ? archive_write_zip_set_compression_deflate(archive)
        : archive_write_zip_set_compression_store(archive))
    // libarchive marks names as UTF-8 if that is the encoding of the thread's locale.
    let former = uselocale(locale)
    defer { _ = uselocale(former) }
    try check(archive_write_header(archive, entry))
    names.insert(name)
  }

  private static func isGood(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return name.utf8.count <= 1000 && !name.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "\\") }
      && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
  }

  private func append(_ bytes: UnsafeRawBufferPointer) throws(ZipError) {
    var rest = bytes
    while !rest.isEmpty {
      // At most 2 GiB at once.
      let count = archive_write_data(archive, rest.baseAddress, rest.count)
      try check(count > 0 ? ARCHIVE_OK : ARCHIVE_FATAL)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Throws what went wrong while writing to the file, or else in libarchive.
  private func check(_ result: Int32) throws(ZipError) {
    if output.failure != 0 { throw .system("write \(path)", output.failure) }
    if result != ARCHIVE_OK { throw .system("write \(path)", archive_errno(archive)) }
  }
}
