import Foundation

/// Why a file is refused as a training's video.
enum TrainingVideoError: Error, Equatable {
  /// Its bytes are not those of an MP4 (ISO/IEC 14496-12 and -14).
  case notMP4
  /// It is truncated: an upload or an export was cut off.
  case incomplete
  /// It has no video track.
  case noPicture
  /// It cannot be read from disk.
  case unreadable
}

/// Validates the boxes of an MP4. Only headers and a few numbers are read; nothing is decoded or
/// kept in memory, however large the file is.
struct TrainingVideoCheck {
  /// The MP4 brands that browsers play (mp4ra.org, "Brands").
  private static let brands: Set<String> = [
    "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "avc1",
    "M4V ", "M4VP", "M4VH", "MSNV", "dash", "cmfc", "f4v ",
  ]
  /// More boxes than any real video has; fragments of one second make about 10,000 in three hours.
  private static let maximumBoxes = 100_000
  /// An `ftyp` names a few brands; a longer one is invalid.
  private static let maximumBrandBytes = 4_096

  private struct Box {
    let type: String
    /// The start and end of its content, in bytes from the start of the file.
    let start: Int
    let end: Int
  }

  private let handle: FileHandle
  private let size: Int

  /// The duration of the video, in s, from its header; 0 if unknown. Throws why it is refused.
  static func seconds(of path: String) throws(TrainingVideoError) -> Int {
    guard let handle = FileHandle(forReadingAtPath: path), let size = try? handle.seekToEnd()
    else { throw .unreadable }
    return try TrainingVideoCheck(handle: handle, size: Int(size)).seconds()
  }

  /// The size of a file in bytes.
  static func bytes(of path: String) throws(TrainingVideoError) -> Int {
    guard let handle = FileHandle(forReadingAtPath: path), let size = try? handle.seekToEnd()
    else { throw .unreadable }
    return Int(size)
  }

  private func seconds() throws(TrainingVideoError) -> Int {
    let first = try head(at: 0, until: size)
    guard first.type == "ftyp", try hasKnownBrand(first) else { throw .notMP4 }
    let boxes = try boxes(from: 0, to: size)
    let movies = boxes.filter { $0.type == "moov" }
    // Written last by cameras and encoders: a truncated recording lacks it.
    guard let movie = movies.first, boxes.contains(where: { $0.type == "mdat" }) else {
      throw .incomplete
    }
    guard movies.count == 1 else { throw .notMP4 }
    let parts = try children(of: movie)
    guard let header = parts.first(where: { $0.type == "mvhd" }) else { throw .notMP4 }
    for track in parts where track.type == "trak" {
      if try isPicture(track) { return try length(header) }
    }
    throw .noPicture
  }

  private func hasKnownBrand(_ box: Box) throws(TrainingVideoError) -> Bool {
    let length = box.end - box.start
    guard (8...Self.maximumBrandBytes).contains(length) else { return false }
    let bytes = try read(length, at: box.start)
    // The major brand, its version, then the compatible brands.
    return stride(from: 0, through: length - 4, by: 4).contains { place in
      place != 4 && Self.brands.contains(Self.word(bytes, place))
    }
  }

  private func isPicture(_ track: Box) throws(TrainingVideoError) -> Bool {
    for media in try children(of: track) where media.type == "mdia" {
      for handler in try children(of: media) where handler.type == "hdlr" {
        // Version and flags, four reserved bytes, then the kind.
        guard handler.end - handler.start >= 12 else { return false }
        return Self.word(try read(4, at: handler.start + 8), 0) == "vide"
      }
    }
    return false
  }

  /// Reads the duration from `mvhd`, which has its own time scale.
  private func length(_ header: Box) throws(TrainingVideoError) -> Int {
    guard header.end - header.start >= 20 else { throw .notMP4 }
    let isLong = try read(1, at: header.start) == [1]
    let (place, width) = isLong ? (20, 8) : (12, 4)
    guard header.end - header.start >= place + 4 + width else { throw .notMP4 }
    let numbers = try read(4 + width, at: header.start + place)
    let scale = Self.number(numbers[..<4])
    let length = Self.number(numbers[4...])
    // All ones means an unknown duration.
    guard scale > 0, length != UInt64.max >> (isLong ? 0 : 32) else { return 0 }
    return Int(min(length / scale, UInt64(Int32.max)))
  }

  // MARK: Boxes

  private func children(of box: Box) throws(TrainingVideoError) -> [Box] {
    try boxes(from: box.start, to: box.end)
  }

  private func boxes(from start: Int, to end: Int) throws(TrainingVideoError) -> [Box] {
    var found: [Box] = []
    var place = start
    while place < end {
      let box = try head(at: place, until: end)
      found.append(box)
      guard found.count <= Self.maximumBoxes else { throw .notMP4 }
      place = box.end
    }
    return found
  }

  /// The box at a position; one that claims to be longer than its container was cut off.
  private func head(at place: Int, until end: Int) throws(TrainingVideoError) -> Box {
    guard end - place >= 8 else { throw place == 0 ? .notMP4 : .incomplete }
    let bytes = try read(min(16, end - place), at: place)
    let type = Self.word(bytes, 4)
    if place == 0 && type != "ftyp" { throw .notMP4 }
    var length = Self.number(bytes[..<4])
    var headLength = 8
    if length == 1 {
      guard bytes.count == 16 else { throw .incomplete }
      length = Self.number(bytes[8...])
      headLength = 16
    } else if length == 0 {
      // A box to the end of the file; only the last box may be one.
      guard end == size else { throw .notMP4 }
      length = UInt64(end - place)
    }
    guard length >= UInt64(headLength) else { throw .notMP4 }
    guard length <= UInt64(end - place) else { throw .incomplete }
    return Box(type: type, start: place + headLength, end: place + Int(length))
  }

  private func read(_ count: Int, at place: Int) throws(TrainingVideoError) -> [UInt8] {
    guard let data = try? bytes(count, at: place), data.count == count else { throw .unreadable }
    return [UInt8](data)
  }

  private func bytes(_ count: Int, at place: Int) throws -> Data? {
    try handle.seek(toOffset: UInt64(place))
    return try handle.read(upToCount: count)
  }

  /// Four bytes as characters.
  private static func word(_ bytes: [UInt8], _ place: Int) -> String {
    String(String.UnicodeScalarView(bytes[place..<place + 4].map { Unicode.Scalar($0) }))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
