import Foundation
import Processes
import Testing

@testable import Films

/// A folder for one test, with films made by ffmpeg; deleted with the test.
final class FilmBench {
  static let ffmpeg = "/usr/bin/ffmpeg"
  static let ffprobe = "/usr/bin/ffprobe"
  /// A moving picture and a tone, of one second each.
  static let picture = "-f lavfi -i testsrc2=s=320x180:r=30:d=1"
  static let tone = "-f lavfi -i sine=d=1"
  /// HEVC as iPhones write it.
  static let hevc = "-c:v libx265 -preset ultrafast -x265-params log-level=error -tag:v hvc1"
  static let h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p"
  static let vp8 = "-c:v libvpx -deadline realtime -cpu-used 8"

  let folder: URL
  /// Folder of the stored files.
  let stored: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "films-\(UUID())")
    stored = folder.appending(path: "stored")
    try FileManager.default.createDirectory(at: stored, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The program `pairspot-pictures`, built beside the tests.
  static let limiter: String = {
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    let products = URL(filePath: program ?? CommandLine.arguments[0]).deletingLastPathComponent()
    return products.appending(path: "pairspot-pictures").path
  }()

  static func processor(
    ffmpeg: String = FilmBench.ffmpeg, limiter: String = FilmBench.limiter, waiting: Int = 8,
    timeout: Double = 100
  ) -> FilmProcessor {
    FilmProcessor(
      ffmpeg: ffmpeg, ffprobe: ffprobe, limiter: limiter, maximumChildren: 1,
      maximumWaiting: waiting, timeout: timeout)
  }

  /// The path of a film that ffmpeg makes; the arguments are separated by spaces.
  func make(_ name: String, _ arguments: String) throws -> String {
    try #require(
      FileManager.default.isExecutableFile(atPath: Self.ffmpeg),
      "ffmpeg is missing: apt-get install ffmpeg")
    let path = folder.appending(path: name).path
    let words = "-v error -nostdin -y \(arguments)".split(separator: " ").map(String.init)
    let result = try ChildProcess.run(Self.ffmpeg, words + [path], timeout: 60)
    try #require(result.status == 0, "\(String(decoding: result.errors, as: UTF8.self))")
    return path
  }

  /// A WebM as browsers record it: without a length.
  func recording(_ name: String, _ arguments: String) throws -> String {
    try make(name, "\(arguments) -f webm -live 1")
  }

  /// The path of a file with these bytes.
  func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    let url = folder.appending(path: name)
    try Data(bytes).write(to: url)
    return url.path
  }

  /// The path of a copy with other bytes, `offset` bytes after the end of the type of a box.
  func changed(_ path: String, after box: String, _ offset: Int, to bytes: [UInt8]) throws
    -> String
  {
    var data = try Data(contentsOf: URL(filePath: path))
    let found = try #require(data.range(of: Data(box.utf8)))
    let start = found.upperBound + offset
    data.replaceSubrange(start..<start + bytes.count, with: bytes)
    return try file("changed-\(UUID())", data)
  }

  /// The error of a film; nil on success.
  func rejection(of file: String, seconds: Int = 15) -> FilmError? {
    do throws(FilmError) {
      _ = try Self.processor().film(file: file, maximumSeconds: seconds, into: stored.path)
      return nil
    } catch {
      return error
    }
  }

  /// The names of all stored files, hidden ones included.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: stored.path)) ?? []).sorted()
  }

  /// What ffprobe says of a stored file, one line for each stream: codec, width, height and format
  /// of pixels or channels, and number of frames.
  func streams(_ name: String) throws -> [String] {
    let result = try ChildProcess.run(
      Self.ffprobe,
      [
        "-v", "error", "-count_frames", "-show_entries",
        "stream=codec_name,width,height,pix_fmt,channels,nb_read_frames", "-of", "csv=p=0",
        stored.appending(path: name).path,
      ], timeout: 30)
    return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Red, green and blue of the upper and the lower half of a stored film or picture.
  func halves(_ name: String) throws -> [[UInt8]] {
    let file = stored.appending(path: name).path
    let result = try ChildProcess.run(
      Self.ffmpeg,
      [
        "-v", "error", "-nostdin", "-i", file, "-frames:v", "1", "-vf", "scale=1:2:flags=area",
        "-pix_fmt", "rgb24", "-f", "rawvideo", "pipe:1",
      ], timeout: 30)
    try #require(result.output.count == 6)
    return [Array(result.output[..<3]), Array(result.output[3...])]
  }

  /// All that exiftool finds in a file.
  static func tags(_ path: String) throws -> String {
    let program = "/usr/bin/exiftool"
    try #require(
      FileManager.default.isExecutableFile(atPath: program),
      "exiftool is missing: apt-get install libimage-exiftool-perl")
    let result = try ChildProcess.run(
      program, ["-G1", "-a", "-u", "-ee", path], environment: ["PATH": "/usr/bin"], timeout: 20)
    return String(decoding: result.output, as: UTF8.self)
  }
}
