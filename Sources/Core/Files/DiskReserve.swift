import Glibc

/// The free disk space that large files (photos and backups) must leave, so that small writes,
/// check-ins above all, still succeed when the disk is nearly full.
public struct DiskReserve: Sendable {
  /// The total and free space of a disk, in bytes.
  public struct Usage: Sendable {
    public let total: Int64
    public let free: Int64

    public init(total: Int64, free: Int64) {
      self.total = total
      self.free = free
    }
  }

  /// The reserve of a large disk, in bytes.
  public static let maximumReserve: Int64 = 256 << 20

  private let figures: @Sendable (String) -> Usage?

  /// `figures` returns the usage of the disk of a folder, or nil if it is unknown; tests provide
  /// their own.
  public init(figures: @escaping @Sendable (String) -> Usage? = { DiskReserve.ask($0) }) {
    self.figures = figures
  }

  /// Whether the reserve remains after writing this many bytes: 256 MiB, or a twentieth of a small
  /// disk.
  public func hasSpace(_ bytes: Int64, in folder: String) -> Bool {
    // If the folder does not exist, the write itself reports it.
    guard let disk = figures(folder) else { return true }
    return disk.free - bytes >= min(Self.maximumReserve, disk.total / 20)
  }

  /// The usage that the system reports.
  public static func ask(_ folder: String) -> Usage? {
    var info = statvfs()
    guard statvfs(folder, &info) == 0 else { return nil }
    let block = UInt64(info.f_frsize)
    return Usage(
      total: bytes(UInt64(info.f_blocks), of: block), free: bytes(UInt64(info.f_bavail), of: block))
  }

  /// Multiplies with saturation: a disk may report any size.
  private static func bytes(_ blocks: UInt64, of block: UInt64) -> Int64 {
    let (bytes, isTooMany) = blocks.multipliedReportingOverflow(by: block)
    return isTooMany ? .max : Int64(clamping: bytes)
  }
}
