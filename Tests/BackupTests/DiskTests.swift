import Core
import Foundation
import Glibc
import Testing

@testable import Backup

@Suite("Backups and where they lie")
struct DiskTests {
  /// A disk of 1 GiB with this number of bytes left above the reserve.
  private func disk(_ free: Int64) -> DiskReserve {
    DiskReserve { _ in DiskReserve.Usage(total: 1 << 30, free: (1 << 30) / 20 + free) }
  }

  @Test("On the disk of the data a backup leaves space for writers, or isn't started")
  func space() throws {
    let place = try Place()
    try place.write(String(repeating: "x", count: 1 << 20), to: "media/couples/a/large.jpg")
    try place.write("half", to: "20200101T000001Z.partial/media/a", in: place.directory)
    let said = errorMessage { try place.back(space: disk(1 << 20)) }
    #expect(said?.contains("on the same disk as the data") == true, "\(said ?? "nothing")")
    // All backups that could be removed are gone.
    #expect(place.names(place.directory) == [".pairspot-backups"])
    try place.back(space: disk(2 << 20))
    // Files shared with the previous backup take no more space.
    try place.back(up: 60, space: disk(1 << 20))
  }

  @Test("A backup on another disk is none of the data's business")
  func otherDisk() throws {
    let place = try Place()
    let isInMemory = PlainFile.disk("/dev/shm") == PlainFile.disk(place.data.folder)
    let other = isInMemory ? "/var/tmp" : "/dev/shm"
    let directory = "\(other)/\(UUID())"
    try PlainFile.makeFolder(directory)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try #require(PlainFile.disk(directory) != PlainFile.disk(place.data.folder))
    _ = try Backups(in: directory, space: disk(-1)).make(
      of: place.data, migrations: Place.migrations.map(\.name), named: [Place.named],
      now: Place.moment, keep: nil, keysFit: { _, _ in })
    // Unless the pictures are there.
    let media = "\(other)/\(UUID())"
    try FileManager.default.moveItem(atPath: place.data.media, toPath: media)
    defer { try? FileManager.default.removeItem(atPath: media) }
    try FileManager.default.createSymbolicLink(
      atPath: place.data.media, withDestinationPath: media)
    let said = errorMessage {
      _ = try Backups(in: directory, space: disk(-1)).make(
        of: place.data, migrations: Place.migrations.map(\.name), named: [Place.named],
        now: Place.moment.adding(seconds: 60), keep: nil, keysFit: { _, _ in })
    }
    #expect(said?.contains("on the same disk as the data") == true, "\(said ?? "nothing")")
  }

  @Test("Folders that the operator names may be links: the data, the backups, one of them")
  func links() throws {
    let place = try Place()
    let (files, data) = (FileManager.default, "\(place.root)/linked-data")
    let (directory, latest) = ("\(place.root)/linked-shelf", "\(place.root)/latest")
    try files.createSymbolicLink(atPath: data, withDestinationPath: place.data.folder)
    try PlainFile.makeFolder(place.directory)
    try files.createSymbolicLink(atPath: directory, withDestinationPath: place.directory)
    let made = try Backups(in: directory).make(
      of: DataLayout(data), migrations: Place.migrations.map(\.name), named: [Place.named],
      now: Place.moment, keep: nil, keysFit: { _, _ in })
    #expect(made.missing == [] && made.files == 3)
    try files.createSymbolicLink(atPath: latest, withDestinationPath: made.folder)
    _ = try place.restore(latest, into: data)
    let before = "\(place.data.folder)/before-restore-20260302T010000Z"
    try files.removeItem(atPath: before)
    _ = try place.restore(directory, into: data)
    #expect(try files.destinationOfSymbolicLink(atPath: data) == place.data.folder)
    #expect(place.text("media/couples/a/one.jpg") == "one")
    // A dangling link is no folder, and nothing is created behind it.
    try files.createSymbolicLink(
      atPath: "\(place.root)/nowhere", withDestinationPath: "\(place.root)/gone")
    let said = errorMessage { _ = try place.restore(latest, into: "\(place.root)/nowhere") }
    #expect(said?.contains("is not a folder") == true, "\(said ?? "nothing")")
  }

  @Test("Media come back as readable as they were made, secrets for their owner alone")
  func modes() throws {
    let place = try Place()
    chmod("\(place.data.media)/couples/a/one.jpg", 0o640)
    chmod("\(place.data.secrets)/keys.json", 0o644)
    try place.picture("couples/a/own.jpg", "own")
    chmod("\(place.data.media)/couples/a/own.jpg", 0o600)
    try place.picture("couples/a/open.jpg", "open")
    chmod("\(place.data.media)/couples/a/open.jpg", 0o777)
    // The second backup shares them with the first.
    try place.back()
    let made = try place.back(up: 60)
    #expect(try place.mode("\(made.folder)/media/couples/a/one.jpg") == 0o600)
    let new = "\(place.root)/new"
    _ = try place.restore(into: new)
    #expect(try place.mode("\(new)/media/couples/a/one.jpg") == 0o640)
    #expect(try place.mode("\(new)/media/couples/a/own.jpg") == 0o600)
    #expect(try place.mode("\(new)/media/couples/a/open.jpg") == 0o640)
    #expect(try place.mode("\(new)/secrets/keys.json") == 0o600)
  }
}
