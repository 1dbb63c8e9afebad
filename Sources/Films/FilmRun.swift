import Glibc
import Images
import Processes

/// The installed programs that read films.
struct FilmPrograms {
  let ffmpeg: String
  let ffprobe: String
  /// `pairspot-pictures`.
  let limiter: String

  var areInstalled: Bool { access(ffmpeg, X_OK) == 0 && access(ffprobe, X_OK) == 0 }

  var areRecent: Bool {
    let result = try? ChildProcess.run(ffmpeg, ["-version"], timeout: 20)
    return result.map { Self.isRecent(version: String(decoding: $0.output, as: UTF8.self)) }
      ?? false
  }

  /// Whether "ffmpeg version 5.1.9-0+deb12u1 …" is 5.1 or newer. Builds that have no number are.
  static func isRecent(version text: String) -> Bool {
    let parts = text.split(separator: " ", maxSplits: 3)
    guard parts.count > 2, parts.prefix(2) == ["ffmpeg", "version"] else { return false }
    let numbers = parts[2].split { !$0.isASCII || !$0.isNumber }.prefix(2).compactMap { Int($0) }
    guard let first = parts[2].first, first.isNumber, let major = numbers.first else { return true }
    return (major, numbers.dropFirst().first ?? 0) >= (5, 1)
  }
}

/// The child processes of one film, one after the other.
struct FilmRun {
  private let programs: FilmPrograms
  private let deadline: ContinuousClock.Instant

  /// All children together may run for `timeout` s.
  init(_ programs: FilmPrograms, timeout: Double) {
    self.programs = programs
    deadline = ContinuousClock.Instant.now + Duration.seconds(timeout)
  }

  /// Reads what is in a file. Throws `damaged` if it can't be read.
  func probe(_ input: FilmInput) throws(FilmError) -> FilmProbe {
    let arguments = input.options + FilmProbe.arguments + ["-i", input.url]
    let output = try run(programs.ffprobe, ["-v", "error", "-hide_banner"] + arguments)
    guard let probe = FilmProbe(json: output), !probe.streams.isEmpty else { throw .damaged }
    return probe
  }

  /// Runs ffmpeg. Throws `damaged` if it ends with an error.
  func convert(_ arguments: [String]) throws(FilmError) {
    _ = try run(programs.ffmpeg, arguments)
  }

  private func run(_ program: String, _ arguments: [String]) throws(FilmError) -> [UInt8] {
    let left = ContinuousClock.Instant.now.duration(to: deadline) / Duration.seconds(1)
    guard left > 0 else { throw .damaged }
    let result: ChildProcess.Result
    do {
      result = try ChildProcess.run(
        programs.limiter, [ImageJobReport.limitedArgument, program] + arguments,
        // One pool of memory for all threads: others would reserve 64 MB of address space each.
        environment: ["MALLOC_ARENA_MAX": "1"], timeout: left, outputLimit: 65_536)
    } catch {
      throw .failed("\(error)")
    }
    if result.timedOut { throw .damaged }
    let message = String(decoding: result.errors, as: UTF8.self)
    // The limiter's own errors.
    if [EX_USAGE, EX_SOFTWARE].contains(result.status) {
      throw .failed("\(programs.limiter) ended with \(result.status): \(message.prefix(300))")
    }
    // ffmpeg goes on after some errors, with a part of the film.
    for (text, error) in Self.messages where message.contains(text) { throw error }
    // A child killed by its limits or a crash means that the file is bad.
    guard result.status == 0 else { throw .damaged }
    return result.output
  }

  /// Parts of ffmpeg's messages, which are in English always, with their meaning.
  private static let messages: [(text: String, error: FilmError)] = [
    (String(cString: strerror(ENOSPC)), .diskFull), (String(cString: strerror(EDQUOT)), .diskFull),
    ("not on whitelist", .unsupportedFormat), ("Picture size", .tooManyPixels),
    ("partial file", .damaged), ("File ended prematurely", .damaged),
  ]
}
