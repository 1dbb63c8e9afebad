import Foundation
import Testing

/// Photos from real cameras, from the Debian package golang-github-rwcarlsen-goexif-dev.
enum CameraSamples {
  static let folder = "/usr/share/gocode/src/github.com/rwcarlsen/goexif/exif"

  static func read(_ name: String) throws -> [UInt8] {
    let data = FileManager.default.contents(atPath: "\(folder)/\(name)")
    return [UInt8](
      try #require(
        data, "\(name) is missing: apt-get install golang-github-rwcarlsen-goexif-dev"))
  }

  static func names(in subfolder: String) throws -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(subfolder)")
    return try #require(
      names, "\(subfolder) is missing: apt-get install golang-github-rwcarlsen-goexif-dev"
    ).filter { $0.hasSuffix(".jpg") }.sorted().map { "\(subfolder)/\($0)" }
  }
}
