import Foundation
import Testing

@testable import Trainings

@Suite("A training's video is known by its bytes")
struct TrainingVideoCheckTests {
  /// Result of checking these bytes.
  private func check(_ bytes: [UInt8]) throws(TrainingVideoError) -> Int {
    let path = FileManager.default.temporaryDirectory.appending(path: "film-\(UUID())").path
    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try TrainingVideoCheck.seconds(of: path)
  }

  private func problem(_ bytes: [UInt8]) -> TrainingVideoError? {
    do throws(TrainingVideoError) {
      _ = try check(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test("A film is taken, and says how long it is")
  func whole() throws {
    #expect(try check(Movie.whole) == 90)
  }

  @Test("The index may come after the film, and the film may be longer than 32 bits")
  func order() throws {
    #expect(try check(Movie.brand("mp42") + Movie.data + Movie.movie("vide")) == 90)
    let long = Movie.longBox("mdat", [UInt8](repeating: 1, count: 50))
    #expect(try check(Movie.brand("mp42") + Movie.movie("vide") + long) == 90)
  }

  @Test("The last box may run to the end of the file without saying where that is")
  func openEnd() throws {
    let open = Movie.number(0) + Array("mdat".utf8) + [UInt8](repeating: 1, count: 50)
    #expect(try check(Movie.brand("mp42") + Movie.movie("vide") + open) == 90)
  }

  @Test("A length that the film doesn't know, or that has no scale, is none")
  func unknownLength() throws {
    let endless = Movie.box("moov", Movie.header(0xFFFF_FFFF) + Movie.track("vide"))
    #expect(try check(Movie.brand("isom") + endless + Movie.data) == 0)
    var unscaled = Movie.whole
    let scale = try #require(
      unscaled.indices.first { Array(unscaled[$0...].prefix(4)) == [0, 0, 3, 232] })
    unscaled.replaceSubrange(scale..<scale + 4, with: [0, 0, 0, 0])
    #expect(try check(unscaled) == 0)
  }

  @Test("Other files are no MP4: pictures, pages, programs, QuickTime, HEIC, audio, nothing")
  func others() {
    let files: [[UInt8]] = [
      [], [0], Array("<!DOCTYPE html><script>alert(1)</script>".utf8),
      [0x7F] + Array("ELF".utf8) + [UInt8](repeating: 0, count: 60),
      [0x89] + Array("PNG\r\n".utf8) + [UInt8](repeating: 0, count: 60),
      Array("#!/bin/sh\nrm -rf /\n".utf8),
      Movie.brand("qt  ") + Movie.movie("vide") + Movie.data,
      Movie.brand("heic", ["mif1", "heic"]) + Movie.movie("vide") + Movie.data,
      Movie.brand("M4A ") + Movie.movie("soun") + Movie.data,
      Movie.movie("vide") + Movie.brand("isom") + Movie.data,
    ]
    for file in files { #expect(problem(file) == .notMP4, "\(file.prefix(12))") }
  }

  @Test("A film without a picture is none")
  func sound() {
    #expect(problem(Movie.brand("mp42") + Movie.movie("soun") + Movie.data) == .noPicture)
  }

  @Test("A film that was cut off anywhere is not taken")
  func cutOff() {
    let whole = Movie.brand("isom") + Movie.data + Movie.movie("vide")
    for length in 0..<whole.count {
      #expect(problem(Array(whole.prefix(length))) != nil, "\(length)")
    }
    #expect(problem(Array(whole.dropLast(3))) == .incomplete)
    #expect(problem(Movie.brand("isom") + Movie.data) == .incomplete)
  }

  @Test("Boxes that lie about their length end the check, and nothing else")
  func lies() {
    let start = Movie.brand("isom") + Movie.movie("vide")
    let lies: [[UInt8]] = [
      Movie.number(4) + Array("mdat".utf8),
      Movie.number(7) + Array("free".utf8) + Movie.data,
      Movie.number(0x7FFF_FFFF) + Array("mdat".utf8),
      Movie.number(1) + Array("mdat".utf8) + [UInt8](repeating: 0xFF, count: 8),
      Movie.number(1) + Array("mdat".utf8) + [UInt8](repeating: 0, count: 8),
      Movie.number(1) + Array("mdat".utf8),
    ]
    for lie in lies { #expect(problem(start + lie) != nil, "\(lie)") }
  }

  @Test("A broken byte never does more than be refused")
  func broken() {
    for place in Movie.whole.indices {
      for value: UInt8 in [0, 1, 0x7F, 0xFF] {
        var bytes = Movie.whole
        bytes[place] = value
        _ = problem(bytes)
      }
    }
  }

  @Test("Many small boxes are too many")
  func manyBoxes() {
    let many = [[UInt8]](repeating: Movie.box("free", []), count: 100_001).flatMap { $0 }
    #expect(problem(Movie.brand("isom") + many) == .notMP4)
  }

  @Test("A missing file is reported")
  func absent() {
    #expect(throws: TrainingVideoError.unreadable) {
      try TrainingVideoCheck.seconds(of: "/nonexistent/film.mp4")
    }
  }
}
