import Core
import FakeObjectStore
import Foundation
import Media
import Testing

@testable import App

/// An instance with its media in a bucket, and a couple, Ann and Ben.
struct BucketScenario {
  /// More faults than one call, or the cleaning after it, repeats.
  static let slow = Array(repeating: "503 SlowDown", count: 30)

  let server: FakeObjectStore
  let instance: TestInstance
  let media: any MediaStore

  init() throws {
    server = try FakeObjectStore()
    instance = try TestInstance(variables: server.variables)
    media = instance.instance.configuration.media { _ in }
    try instance.couple()
  }

  /// The paths of the files below a folder.
  func stored(_ folder: String) throws -> [String] {
    try media.files(below: folder).map(\.path)
  }

  /// What the doctor finds, apart from checks that concern other things than media.
  func findings() throws -> [String] {
    try BucketDoctor(media: media).checks
      .flatMap { try $0.find(instance.database) }
  }

  /// Runs the cleanup twice a day for a time by the clock of the store's files; returns the paths of
  /// a folder after it.
  func clean(days: Int, _ folder: String) throws -> [String] {
    let job = BucketCleanupJob(media: media, database: instance.database)
    var now = try #require(Instant(rfc3339: "2026-03-02T00:00:00Z"))
    for _ in 0...days * 2 {
      try job.run(now: now)
      now = now.adding(seconds: .hours(12))
    }
    return try stored(folder)
  }

  /// The internal location from which nginx sends what this answer is about.
  func location(_ answer: TestResponse) throws -> Substring {
    let location = try #require(answer.headers[.accelRedirect])
    try #require(location.hasPrefix("/stored-media/") && location.contains("?X-Amz-Algorithm="))
    return location.dropFirst("/stored-media/".count).prefix { $0 != "?" }
  }
}
