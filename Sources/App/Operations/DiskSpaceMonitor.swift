import Glibc

/// What room there is where the data lie. Media and database may have disks of their own.
struct DiskSpaceMonitor: Sendable {
  /// What a file system has left.
  struct FreeSpace: Equatable {
    let bytes: UInt64
    /// How many more files it can hold; nil where it knows no limit.
    let files: UInt64?
  }

  /// Something there is too little of, and where.
  struct LowSpace: Equatable, CustomStringConvertible {
    enum Kind {
      case bytes
      case files
    }

    let kind: Kind
    /// As operators know it; says nothing of where on the machine it lies.
    let place: String

    var description: String {
      switch kind {
      case .bytes: "less than 100 MiB are free for \(place)"
      case .files: "fewer than 1000 more files can be made for \(place)"
      }
    }
  }

  private static let leastBytes: UInt64 = 100 << 20
  private static let leastFiles: UInt64 = 1000

  private let places: [(name: String, path: String)]
  /// Nil for what isn't there, which others look at. Tests bring their own.
  var space: @Sendable (_ path: String) -> FreeSpace? = { DiskSpaceMonitor.ask($0) }

  init(_ configuration: Configuration) {
    places = [
      ("PAIRSPOT_DATA", configuration.data), ("media/", configuration.mediaFolder),
      // Itself, which may be a link to another disk.
      ("pairspot.sqlite", configuration.databasePath),
    ]
  }

  /// Where there is too little room.
  var shortages: [LowSpace] {
    places.flatMap { name, path -> [LowSpace] in
      guard let space = space(path) else { return [] }
      return [
        space.bytes < Self.leastBytes ? LowSpace(kind: .bytes, place: name) : nil,
        space.files.map { $0 < Self.leastFiles } == true
          ? LowSpace(kind: .files, place: name) : nil,
      ].compactMap { $0 }
    }
  }

  /// The fewest bytes that are free in any of the places.
  var freeBytes: UInt64 { places.compactMap { space($0.path)?.bytes }.min() ?? 0 }

  private static func ask(_ path: String) -> FreeSpace? {
    var info = statvfs()
    guard statvfs(path, &info) == 0 else { return nil }
    return FreeSpace(
      bytes: UInt64(info.f_bavail) * UInt64(info.f_frsize),
      // btrfs, for one, makes room for names as it goes, and says 0 of 0.
      files: info.f_files == 0 ? nil : UInt64(info.f_favail))
  }
}
