import Core
import Glibc

/// Writes a ZIP archive straight to disk (APPNOTE.TXT 6.3): names are UTF-8, and only a piece of a
/// file is in memory at a time.
///
/// Files are stored uncompressed: pictures are compressed already. Texts can be compressed. ZIP64
/// is not supported.
public final class ZipWriter {
  /// The maximum size of an archive without ZIP64, in bytes.
  public static let maximumBytes: UInt64 = 0xFFFF_FFFE
  private static let maximumEntries = 0xFFFE
  private static let pieceLength = 256 << 10
  private static let localSignature: UInt32 = 0x0403_4B50
  private static let centralSignature: UInt32 = 0x0201_4B50
  private static let endSignature: UInt32 = 0x0605_4B50
  /// The offset of the checksum in the header of an entry.
  private static let checksumOffset: UInt64 = 14
  private static let stored: UInt16 = 0
  private static let deflated: UInt16 = 8

  private struct Entry {
    let name: [UInt8]
    let offset: UInt32
    let method: UInt16
    var checksum: UInt32 = 0
    /// The uncompressed length.
    var length: UInt32 = 0
    var storedLength: UInt32 = 0
  }

  private let descriptor: Int32
  private let path: String
  private let moment: (time: UInt16, day: UInt16)
  private var entries: [Entry] = []
  private var names: Set<String> = []
  private var position: UInt64 = 0

  /// Creates the file, which must not exist yet, with mode 600. `moment` is the time of all
  /// entries. Throws `ZipError`.
  public init(path: String, moment: Instant) throws(ZipError) {
    self.path = path
    self.moment = Self.dosMoment(moment)
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor < 0 { throw .system("make \(path)", errno) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Adds bytes under a name, compressed if requested and smaller.
  public func add(_ name: String, bytes: [UInt8], packing: Bool = false) throws {
    let packed = packing ? Deflate.pack(bytes) : nil
    try entry(name, packedFrom: packed == nil ? nil : bytes.count) { checksum in
      bytes.withUnsafeBytes { checksum.update($0) }
      try (packed ?? bytes).withUnsafeBytes { try append($0) }
    }
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
    // Checked before copying gigabytes in vain.
    guard fstat(input, &status) == 0, position + UInt64(status.st_size) <= Self.maximumBytes else {
      throw ZipError.tooLarge
    }
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 16)
    defer { piece.deallocate() }
    try entry(name) { checksum in
      while true {
        let count = read(input, piece.baseAddress, piece.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw ZipError.system("read \(source)", errno) }
        if count == 0 { return }
        let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
        checksum.update(bytes)
        try append(bytes)
        try progress(count)
      }
    }
  }

  /// Writes the central directory and syncs the file to disk; returns its length in bytes.
  public func finish() throws -> UInt64 {
    let start = position
    for entry in entries { try append(central(entry)) }
    let length = position - start
    guard position <= Self.maximumBytes - 22 else { throw ZipError.tooLarge }
    var end = Bytes()
    end.add(Self.endSignature)
    end.add(UInt16(0))
    end.add(UInt16(0))
    end.add(UInt16(entries.count))
    end.add(UInt16(entries.count))
    end.add(UInt32(length))
    end.add(UInt32(start))
    end.add(UInt16(0))
    try append(end)
    guard fsync(descriptor) == 0 else { throw ZipError.system("keep \(path)", errno) }
    return position
  }

  // MARK: Entries

  /// `packedFrom` is the uncompressed length, nil for a stored entry.
  private func entry(
    _ name: String, packedFrom: Int? = nil, content: (inout CRC32) throws -> Void
  ) throws {
    guard Self.isGood(name), !names.contains(name) else { throw ZipError.badName(name) }
    guard entries.count < Self.maximumEntries, position <= Self.maximumBytes else {
      throw ZipError.tooLarge
    }
    var entry = Entry(
      name: Array(name.utf8), offset: UInt32(position),
      method: packedFrom == nil ? Self.stored : Self.deflated)
    var checksum = CRC32()
    try append(local(entry))
    let start = position
    try content(&checksum)
    entry.checksum = checksum.value
    entry.storedLength = UInt32(position - start)
    guard let length = UInt32(exactly: packedFrom ?? Int(entry.storedLength)) else {
      throw ZipError.tooLarge
    }
    entry.length = length
    // Known only now, so the header on disk is updated.
    var sizes = Bytes()
    sizes.add(entry.checksum)
    sizes.add(entry.storedLength)
    sizes.add(entry.length)
    try write(sizes.bytes, at: UInt64(entry.offset) + Self.checksumOffset)
    entries.append(entry)
    names.insert(name)
  }

  private static func isGood(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return name.utf8.count <= 1000 && !name.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: "\\") }
      && parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
  }

  private func local(_ entry: Entry) -> Bytes {
    var header = Bytes()
    header.add(Self.localSignature)
    addShared(entry, to: &header)
    header.add(UInt16(entry.name.count))
    header.add(UInt16(0))
    header.bytes += entry.name
    return header
  }

  private func central(_ entry: Entry) -> Bytes {
    var header = Bytes()
    header.add(Self.centralSignature)
    // Made by a Unix system, so that the mode below is used.
    header.add(UInt16(3 << 8 | 20))
    addShared(entry, to: &header)
    header.add(UInt16(entry.name.count))
    header.add(UInt16(0))
    header.add(UInt16(0))
    header.add(UInt16(0))
    header.add(UInt16(0))
    header.add(UInt32(0o100_600) << 16)
    header.add(entry.offset)
    header.bytes += entry.name
    return header
  }

  /// The fields that the two headers of an entry have in common.
  private func addShared(_ entry: Entry, to header: inout Bytes) {
    header.add(UInt16(20))
    // Names are UTF-8.
    header.add(UInt16(1 << 11))
    header.add(entry.method)
    header.add(moment.time)
    header.add(moment.day)
    header.add(entry.checksum)
    header.add(entry.storedLength)
    header.add(entry.length)
  }

  /// A moment in MS-DOS format, in UTC and from 1980 on.
  private static func dosMoment(_ instant: Instant) -> (time: UInt16, day: UInt16) {
    let seconds = max(instant.milliseconds / 1000, 315_532_800)
    let (year, month, day) = LocalDay(number: Int(seconds / 86_400)).components
    let rest = Int(seconds % 86_400)
    let time = rest / 3600 << 11 | rest % 3600 / 60 << 5 | rest % 60 / 2
    return (UInt16(time), UInt16(min(year - 1980, 127) << 9 | month << 5 | day))
  }

  // MARK: Writing

  private func append(_ bytes: Bytes) throws {
    try bytes.bytes.withUnsafeBytes { try append($0) }
  }

  private func append(_ bytes: UnsafeRawBufferPointer) throws {
    guard position + UInt64(bytes.count) <= Self.maximumBytes else { throw ZipError.tooLarge }
    try write(bytes, at: position)
    position += UInt64(bytes.count)
  }

  private func write(_ bytes: [UInt8], at offset: UInt64) throws {
    try bytes.withUnsafeBytes { try write($0, at: offset) }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw ZipError.system("write \(path)", errno) }
      done += count
    }
  }
}

/// A buffer for numbers in ZIP's byte order: little-endian.
private struct Bytes {
  var bytes: [UInt8] = []

  mutating func add(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
