import Core
import Foundation
import Testing

@testable import Backup

@Suite("Backups under clocks that jump")
struct ClockTests {
  private static let day = Int64.days(1)

  @Test("After a clock is set back no later-dated backup is removed, nor the new one")
  func setBack() throws {
    let place = try Place()
    let rule = RetentionPolicy(days: 2, weeks: 0)
    for time in 0...2 { try place.back(up: Int64(time) * Self.day, keep: rule) }
    let made = try place.back(up: -30 * Self.day, keep: rule)
    #expect(made.removed == [])
    #expect(made.fromTheFuture == ["20260303T000000Z", "20260304T000000Z"])
    for time in 1...3 { try place.back(up: (Int64(time) - 30) * Self.day, keep: rule) }
    #expect(
      place.names(place.directory) == [
        ".pairspot-backups", "20260202T000000Z", "20260203T000000Z", "20260303T000000Z",
        "20260304T000000Z",
      ])
  }

  @Test("One from a clock that was ahead takes no other's place, and no restore takes it by itself")
  func ahead() throws {
    let place = try Place()
    let rule = RetentionPolicy(days: 2, weeks: 0)
    try place.back()
    try place.back(up: 400 * Self.day)
    for time in 1...3 {
      try place.picture("couples/a/\(time).jpg", "later")
      try place.back(up: Int64(time) * Self.day, keep: rule)
    }
    #expect(
      place.names(place.directory) == [
        ".pairspot-backups", "20260304T000000Z", "20260305T000000Z", "20270406T000000Z",
      ])
    let new = "\(place.root)/new"
    let said = errorMessage { _ = try place.restore(into: new) }
    #expect(
      said?.contains("20270406T000000Z has the latest date") == true
        && said?.contains("20260305T000000Z was made after it") == true, "\(said ?? "nothing")")
    #expect(!FileManager.default.fileExists(atPath: new))
    // It shares files with the latest backup and lacks none of them.
    #expect(try Manifest.read(in: "\(place.directory)/20260305T000000Z").number == 5)
    try FileManager.default.removeItem(atPath: "\(place.directory)/20270406T000000Z")
    _ = try place.restore(into: new)
    #expect(try place.pictures(in: new).count == 4)
  }

  @Test("A later one that can't be read is not passed over in silence")
  func unreadable() throws {
    let place = try Place()
    try place.back()
    let later = try place.back(up: 60).folder
    try place.write("{", to: "manifest.json", in: later)
    let said = errorMessage { _ = try place.restore(into: "\(place.root)/new") }
    #expect(said?.contains("cannot read \(later)") == true, "\(said ?? "nothing")")
    _ = try place.restore(place.first, into: "\(place.root)/new")
  }
}
