import Foundation
import Testing

@testable import Backup

@Suite("Places where something else is mounted")
struct MountPointsTests {
  private static let table = """
    22 1 0:20 / / rw,relatime - ext4 /dev/root rw
    30 22 0:20 /disk/album /srv/pair\\040spot/media rw shared:1 - ext4 /dev/root rw
    31 22 0:31 / /srv/other rw - tmpfs tmpfs rw
    """

  @Test("A bind mount is found at its own path and from above, with any name")
  func table() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mounts-\(UUID())")
    let media = folder.appending(path: "pair spot/media")
    try FileManager.default.createDirectory(at: media, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let mounts = MountPoints(
      table: Self.table.replacing("/srv/pair", with: "\(folder.path)/pair").utf8)
    #expect(mounts.first(in: media.path) == media.path)
    #expect(mounts.first(in: folder.path) == media.path)
    #expect(mounts.first(in: "\(media.path)/nothing") == nil)
    try FileManager.default.createDirectory(
      at: folder.appending(path: "pair"), withIntermediateDirectories: true)
    #expect(mounts.first(in: folder.appending(path: "pair").path) == nil)
  }

  @Test("The kernel's own table is read")
  func own() {
    #expect(MountPoints().first(in: "/proc") != nil)
    #expect(MountPoints().first(in: "/proc/self/cwd/nowhere") == nil)
  }
}
