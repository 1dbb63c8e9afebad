import Glibc
import Web

/// The free space of the data's file systems. Media and database may have disks of their own.
struct DiskSpaceMonitor: Sendable {
  /// The free space of a file system.
  struct FreeSpace: Equatable {
    let bytes: UInt64
    /// The number of files that can be added; nil if there is no limit.
    let files: UInt64?
  }

  /// A shortage: its kind and place.
  struct LowSpace: Equatable, CustomStringConvertible {
    enum Kind {
      case bytes
      case files
    }

    let kind: Kind
    /// The place as operators know it; not a path on the machine.
    let place: String

    var description: String {
      switch kind {
      case .bytes: "less than 100 MiB free for \(place)"
      case .files: "fewer than 1000 files can be created for \(place)"
      }
    }
  }

  private static let minimumBytes: UInt64 = 100 << 20
  private static let minimumFiles: UInt64 = 1000

  private var places: [(name: String, path: String)]
  /// Nil for a missing path, which other checks report. Tests set it.
  var space: @Sendable (_ path: String) -> FreeSpace? = { DiskSpaceMonitor.ask($0) }

  init(_ configuration: Configuration) {
    places = [("PAIRSPOT_DATA", configuration.data), ("media/", configuration.mediaFolder)]
    // The file itself, which may be a link to another disk.
    if case .sqlite(let path) = configuration.database { places.append(("pairspot.sqlite", path)) }
  }

  /// The places with too little space.
  var shortages: [LowSpace] {
    places.flatMap { name, path -> [LowSpace] in
      guard let space = space(path) else { return [] }
      return [
        space.bytes < Self.minimumBytes ? LowSpace(kind: .bytes, place: name) : nil,
        space.files.map { $0 < Self.minimumFiles } == true
          ? LowSpace(kind: .files, place: name) : nil,
      ].compactMap { $0 }
    }
  }

  /// The fewest free bytes of all places.
  var freeBytes: UInt64 { places.compactMap { space($0.path)?.bytes }.min() ?? 0 }

  /// The free bytes of each place; a missing path has none.
  var gauges: [Gauge] {
    places.map { name, path in
      Gauge(
        "pairspot_disk_free_bytes", "Free bytes of the file system of this place.",
        label: ("place", name)
      ) { _ in Int(clamping: space(path)?.bytes ?? 0) }
    }
  }

  private static func ask(_ path: String) -> FreeSpace? {
    var info = statvfs()
    guard statvfs(path, &info) == 0 else { return nil }
    return FreeSpace(
      bytes: UInt64(info.f_bavail) * UInt64(info.f_frsize),
      // btrfs, for example, allocates inodes as needed, and reports 0 of 0.
      files: info.f_files == 0 ? nil : UInt64(info.f_favail))
  }
}
