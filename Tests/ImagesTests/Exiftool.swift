import Foundation
import Processes
import Testing

/// exiftool, an independent reader of metadata.
enum Exiftool {
  private static let program = "/usr/bin/exiftool"

  /// All tags of each file of a folder: "group:name" to value.
  static func tags(in folder: URL) throws -> [[String: String]] {
    let json = try run(["-j", "-G1", "-a", "-u", "-ee", folder.path])
    let files = try JSONSerialization.jsonObject(with: Data(json)) as? [[String: Any]]
    return try #require(files).map { $0.mapValues { "\($0)" } }
  }

  /// The colour profile in one file, byte for byte.
  static func profile(of file: URL) throws -> [UInt8] {
    try run(["-b", "-ICC_Profile", file.path])
  }

  private static func run(_ arguments: [String]) throws -> [UInt8] {
    try #require(
      FileManager.default.isExecutableFile(atPath: program),
      "exiftool is missing: apt-get install libimage-exiftool-perl")
    let result = try ChildProcess.run(
      program, arguments, environment: ["PATH": "/usr/bin"], timeout: 20, outputLimit: 8 << 20)
    return result.output
  }
}
