import Glibc
import Synchronization

/// Counters by name in memory that the processes of an instance share: any process reads the totals
/// of all, those from before an upgrade included.
///
/// The memory is a header and rows; a row is a name and its cells. Rows are only appended, with the
/// file locked, and are published once complete; cells are only incremented, atomically. So a
/// process that is killed leaves nothing half-done.
final class SharedCounters {
  /// The number of cells in a row.
  static let cells = 13

  private static let mark: UInt64 = 0x5061_6972_5370_6F31
  private static let headBytes = 16
  private static let nameBytes = 104
  private static let rowBytes = nameBytes + cells * 8
  private static let maximumRows = 1024
  private static let size = headBytes + maximumRows * rowBytes

  private let memory: UnsafeMutableRawPointer
  /// -1 if the memory is not shared.
  private let file: Int32
  /// The rows of known names: all of the first `known` rows.
  private var places: [String: Int] = [:]
  private var known = 0

  /// A table of this process alone.
  init() {
    file = -1
    memory = .allocate(byteCount: Self.size, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.size)
  }

  /// The table in a file, which is created if missing. Throws `SharedCountersError`.
  init(sharedIn path: String) throws {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw SharedCountersError(path, errno) }
    do {
      guard flock(file, LOCK_EX) == 0 else { throw SharedCountersError(path, errno) }
      defer { flock(file, LOCK_UN) }
      // Allocated, not sparse: a full disk would end the process at a later count.
      let status = posix_fallocate(file, 0, off_t(Self.size))
      guard status == 0 else { throw SharedCountersError(path, status) }
      guard let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
        memory != MAP_FAILED
      else { throw SharedCountersError(path, errno) }
      let first = Self.number(memory)
      if first.pointee.load(ordering: .relaxed) == 0 {
        first.pointee.store(Self.mark, ordering: .relaxed)
      }
      let rows = Self.number(memory + 8).pointee.load(ordering: .relaxed)
      guard first.pointee.load(ordering: .relaxed) == Self.mark, rows <= Self.maximumRows else {
        munmap(memory, Self.size)
        throw SharedCountersError(path, EINVAL)
      }
      self.memory = memory
    } catch {
      close(file)
      throw error
    }
    self.file = file
  }

  deinit {
    if file >= 0 {
      munmap(memory, Self.size)
      close(file)
    } else {
      memory.deallocate()
    }
  }

  /// Adds to one cell of a name's row. If the table is full, a new name is not counted.
  func add(_ amount: UInt64, to cell: Int, of name: String) {
    guard let row = place(of: name) else { return }
    cells(of: row)[cell].wrappingAdd(amount, ordering: .relaxed)
  }

  /// All rows, by name.
  func rows() -> [(name: String, cells: [UInt64])] {
    readNew()
    return places.sorted { $0.key < $1.key }.map { name, row in
      let cells = cells(of: row)
      return (name, (0..<Self.cells).map { cells[$0].load(ordering: .relaxed) })
    }
  }

  // MARK: Rows

  private func place(of name: String) -> Int? {
    if let place = places[name] { return place }
    if file >= 0 { flock(file, LOCK_EX) }
    defer { if file >= 0 { flock(file, LOCK_UN) } }
    readNew()
    if let place = places[name] { return place }
    let row = count
    guard row < Self.maximumRows, name.utf8.count < Self.nameBytes else { return nil }
    let start = start(of: row)
    start.storeBytes(of: UInt8(name.utf8.count), as: UInt8.self)
    for (offset, byte) in name.utf8.enumerated() {
      start.storeBytes(of: byte, toByteOffset: offset + 1, as: UInt8.self)
    }
    Self.number(memory + 8).pointee.store(UInt64(row + 1), ordering: .releasing)
    readNew()
    return row
  }

  /// Reads the names that other processes added.
  private func readNew() {
    while known < count {
      let start = start(of: known)
      let length = min(Int(start.load(as: UInt8.self)), Self.nameBytes - 1)
      let bytes = UnsafeRawBufferPointer(start: start + 1, count: length)
      places[String(decoding: bytes, as: UTF8.self)] = known
      known += 1
    }
  }

  /// How many rows there are.
  private var count: Int {
    Int(truncatingIfNeeded: Self.number(memory + 8).pointee.load(ordering: .acquiring))
  }

  private func start(of row: Int) -> UnsafeMutableRawPointer {
    memory + Self.headBytes + row * Self.rowBytes
  }

  private func cells(of row: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (start(of: row) + Self.nameBytes).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  private static func number(
    _ place: UnsafeMutableRawPointer
  ) -> UnsafeMutablePointer<Atomic<UInt64>> {
    place.assumingMemoryBound(to: Atomic<UInt64>.self)
  }
}

/// The reason why processes can't share their counters.
struct SharedCountersError: Error, CustomStringConvertible {
  let description: String

  init(_ path: String, _ code: Int32) {
    description = "\(path): \(String(cString: strerror(code)))"
  }
}
