import Core
import Glibc
import Images
import Processes

/// A film whose files are stored.
public struct ProcessedFilm: Sendable, Equatable {
  /// The random (v4) UUID in its file names.
  public let id: String
  /// Width of the stored film, in px.
  public let width: Int
  /// Height of the stored film, in px.
  public let height: Int
  /// Length in ms.
  public let milliseconds: Int
  public let hasSound: Bool
  /// Total size of film and poster in bytes.
  public let bytes: Int
}

/// A voice note whose file is stored.
public struct ProcessedVoice: Sendable, Equatable {
  /// The random (v4) UUID in its file name.
  public let id: String
  /// Length in ms.
  public let milliseconds: Int
  /// Size of its file in bytes.
  public let bytes: Int
}

/// Checks, cleans and converts uploaded films and voice notes with ffmpeg, in a limited number of
/// child processes (docs/developer/films.md). The limit is per process.
public final class FilmProcessor: Sendable {
  /// How much longer than allowed a recording may be, in ms: browsers and phones stop a little
  /// late.
  private static let grace = 500

  private let programs: FilmPrograms
  private let timeout: Double
  private let films: FilmQueue
  /// Their own, since voice notes take a second, and a film may take a minute.
  private let voices: FilmQueue

  /// - Parameters:
  ///   - ffmpeg: The program that converts.
  ///   - ffprobe: The program that reads what is in a file.
  ///   - limiter: The program `pairspot-pictures`, which sets the limits of the other two.
  ///   - maximumChildren: Maximum number of films that are processed at once, and of voice notes.
  ///     A film takes up to two cores.
  ///   - maximumWaiting: Maximum number of concurrent callers with films, including those being
  ///     served, and of those with voice notes.
  ///   - timeout: Seconds after which a film is given up. A caller waits as long, at most, for its
  ///     turn.
  public init(
    ffmpeg: String, ffprobe: String, limiter: String, maximumChildren: Int, maximumWaiting: Int,
    timeout: Double
  ) {
    programs = FilmPrograms(ffmpeg: ffmpeg, ffprobe: ffprobe, limiter: limiter)
    self.timeout = timeout
    films = FilmQueue(atOnce: maximumChildren, maximumWaiting: maximumWaiting)
    voices = FilmQueue(atOnce: maximumChildren, maximumWaiting: maximumWaiting)
  }

  /// Whether the programs are installed; without them, pages offer pictures only.
  public var isAvailable: Bool { programs.areInstalled }

  /// Whether ffmpeg has all options that are used: version 5.1, of Debian 12, or newer. Runs it;
  /// for the doctor.
  public var isRecent: Bool { programs.areRecent }

  /// Makes an MP4 (H.264 and AAC, at most 720 px on its short side, about 30 frames a second) and a
  /// poster of an uploaded film; blocks until they exist.
  ///
  /// Throws a `FilmError`, with nothing left in the folder: `busy` if there are too many callers.
  /// The folder must exist.
  public func film(file: String, maximumSeconds: Int, into directory: String) throws(FilmError)
    -> ProcessedFilm
  {
    let input = try input(file, of: FilmLimits.filmBytes, FilmFormat.films)
    return try made(in: directory, films) { id, run throws(FilmError) in
      let source = try run.probe(input)
      guard let picture = source.picture else { throw source.missingPicture }
      let size = try FilmSize(of: picture)
      try check(source, maximumSeconds)
      let (name, poster) = (FilmFiles.film(id), FilmFiles.poster(id))
      let made = "\(directory)/\(FilmFiles.temporary(name))"
      try run.convert(
        FilmArguments.film(input, source, size, seconds: maximumSeconds + 1, to: made))
      let film = try run.probe(FilmInput(path: made, format: .mov))
      guard let stored = film.picture, stored.codec == "h264", stored.width == size.width,
        stored.height == size.height, film.sound?.codec ?? "aac" == "aac"
      else { throw .damaged }
      let milliseconds = try length(of: film, maximumSeconds)
      let still = "\(directory)/\(FilmFiles.temporary(poster))"
      try run.convert(FilmArguments.poster(of: made, to: still))
      let bytes = try publish([name, poster], in: directory)
      return ProcessedFilm(
        id: id, width: size.width, height: size.height, milliseconds: milliseconds,
        hasSound: film.sound != nil, bytes: bytes)
    }
  }

  /// Makes an M4A (AAC, one channel) of an uploaded voice note; blocks until it exists.
  ///
  /// Throws like `film`.
  public func voice(file: String, maximumSeconds: Int, into directory: String) throws(FilmError)
    -> ProcessedVoice
  {
    let input = try input(file, of: FilmLimits.voiceBytes, Set(FilmFormat.allCases))
    return try made(in: directory, voices) { id, run throws(FilmError) in
      let source = try run.probe(input)
      guard source.sound != nil else { throw source.missingSound }
      try check(source, maximumSeconds)
      let name = FilmFiles.voice(id)
      let made = "\(directory)/\(FilmFiles.temporary(name))"
      try run.convert(FilmArguments.voice(input, source, seconds: maximumSeconds + 1, to: made))
      let voice = try run.probe(FilmInput(path: made, format: .mov))
      guard voice.sound?.codec == "aac", voice.streams.count == 1 else { throw .damaged }
      let milliseconds = try length(of: voice, maximumSeconds)
      return ProcessedVoice(
        id: id, milliseconds: milliseconds, bytes: try publish([name], in: directory))
    }
  }

  /// Checks that need no child.
  private func input(_ file: String, of maximumBytes: Int, _ formats: Set<FilmFormat>)
    throws(FilmError) -> FilmInput
  {
    guard isAvailable else { throw .unavailable }
    let head: [UInt8]
    do throws(PictureError) { head = try PictureFile.head(file, of: maximumBytes) } catch {
      throw FilmError(error)
    }
    guard head.count >= FilmFormat.headLength else { throw .damaged }
    guard let format = FilmFormat.recognise(head), formats.contains(format) else {
      throw .unsupportedFormat
    }
    return FilmInput(path: file, format: format)
  }

  /// Calls `make` with a new id once it is this caller's turn; removes its files if it throws.
  private func made<Result>(
    in directory: String, _ queue: FilmQueue,
    _ make: (String, FilmRun) throws(FilmError) -> Result
  ) throws(FilmError) -> Result {
    try queue.enter(seconds: timeout)
    defer { queue.leave() }
    guard access(directory, W_OK | X_OK) == 0 else { throw .failed("cannot write to \(directory)") }
    let id = ID<FilmFiles.Name>.random().description
    do throws(FilmError) {
      return try make(id, FilmRun(programs, timeout: timeout))
    } catch {
      FilmFiles.remove(id: id, in: directory)
      throw error
    }
  }

  /// Refuses a recording that announces a length over the limit.
  private func check(_ source: FilmProbe, _ maximumSeconds: Int) throws(FilmError) {
    guard source.milliseconds ?? 0 <= maximumSeconds * 1000 + Self.grace else { throw .tooLong }
  }

  /// The true length in ms: that of the result, since a file may announce none or a false one.
  private func length(of result: FilmProbe, _ maximumSeconds: Int) throws(FilmError) -> Int {
    guard let milliseconds = result.milliseconds, milliseconds > 0 else { throw .damaged }
    try check(result, maximumSeconds)
    return milliseconds
  }

  /// Syncs the temporary files to disk and renames them; returns their size in bytes.
  private func publish(_ names: [String], in directory: String) throws(FilmError) -> Int {
    do throws(PictureError) {
      var bytes = 0
      for name in names {
        let path = "\(directory)/\(FilmFiles.temporary(name))"
        guard let size = PictureFile.size(path), size > 0 else {
          throw .failed("ffmpeg did not make a file")
        }
        try PictureFile.sync(path)
        bytes += size
      }
      for name in names {
        let final = "\(directory)/\(name)"
        guard rename("\(directory)/\(FilmFiles.temporary(name))", final) == 0 else {
          throw PictureFile.failure("cannot name \(final)")
        }
      }
      try PictureFile.keepNames(in: directory)
      return bytes
    } catch {
      throw FilmError(error)
    }
  }
}
