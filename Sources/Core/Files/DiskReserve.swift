import Glibc

/// The room that large things, photos and backups, leave on the disk, so that everything smaller, a
/// check-in above all, can still be written when it is nearly full.
public struct DiskReserve: Sendable {
  /// What a disk holds and has left, in bytes.
  public struct Usage: Sendable {
    public let total: Int64
    public let free: Int64

    public init(total: Int64, free: Int64) {
      self.total = total
      self.free = free
    }
  }

  /// Bytes that stay free, of a disk of any size.
  public static let mostReserve: Int64 = 256 << 20

  private let figures: @Sendable (String) -> Usage?

  /// `figures` says what the disk holds and has left on which a folder lies, nil when the system
  /// doesn't tell; tests bring their own.
  public init(figures: @escaping @Sendable (String) -> Usage? = { DiskReserve.ask($0) }) {
    self.figures = figures
  }

  /// Whether so many bytes more leave the reserve alone: 256 MiB, of a small disk a twentieth.
  public func holds(_ bytes: Int64, in folder: String) -> Bool {
    // Whoever then writes into a folder that isn't there says so.
    guard let disk = figures(folder) else { return true }
    return disk.free - bytes >= min(Self.mostReserve, disk.total / 20)
  }

  /// The system's own figures.
  public static func ask(_ folder: String) -> Usage? {
    var info = statvfs()
    guard statvfs(folder, &info) == 0 else { return nil }
    let block = UInt64(info.f_frsize)
    return Usage(
      total: bytes(UInt64(info.f_blocks), of: block), free: bytes(UInt64(info.f_bavail), of: block))
  }

  /// A disk may claim to be of any size.
  private static func bytes(_ blocks: UInt64, of block: UInt64) -> Int64 {
    let (bytes, isTooMany) = blocks.multipliedReportingOverflow(by: block)
    return isTooMany ? .max : Int64(clamping: bytes)
  }
}
