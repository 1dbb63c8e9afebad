import Foundation
import Testing

@testable import Films

@Suite("Films of phones and browsers become MP4 that every browser plays")
struct FilmConversionTests {
  /// Texts in the metadata of an uploaded file.
  private static let secrets = ["48.8584", "48 deg", "Zebra", "Quagga", "Okapi", "2021:05:05"]
  private static let metadata =
    "-metadata location=+48.8584+002.2945/ -metadata make=Zebra -metadata model=Quagga"
    + " -metadata title=Okapi -metadata:s:v handler_name=Zebra"
    + " -metadata creation_time=2021-05-05T10:00:00Z -movflags use_metadata_tags"

  /// A matrix that turns by 90° clockwise, as in a film that an iPhone took upright.
  private static let upright: [Int32] = [0, 0x10000, 0, -0x10000, 0, 0, 180 << 16, 0, 1 << 30]

  @Test("A film of an iPhone is turned upright, and has the first of its tracks only")
  func iPhone() throws {
    let bench = try FilmBench()
    let lying = try bench.make(
      "a.mov",
      "-f lavfi -i color=red:s=160x180:d=1 -f lavfi -i color=blue:s=160x180:d=1 \(FilmBench.tone)"
        + " -filter_complex [0][1]hstack[v] -map [v] -map 2 -map 2 \(FilmBench.hevc) -c:a aac"
        + " -timecode 00:00:00:00 \(Self.metadata)")
    let matrix = Self.upright.flatMap { number in
      withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }
    let file = try bench.changed(lying, after: "tkhd", 40, to: matrix)
    let film = try FilmBench.processor().film(
      file: file, maximumSeconds: 15, into: bench.stored.path)
    #expect(film.width == 180 && film.height == 320 && film.hasSound)
    #expect(950...1100 ~= film.milliseconds)
    let (name, poster) = (FilmFiles.film(film.id), FilmFiles.poster(film.id))
    #expect(bench.names == [name, poster])
    let streams = try bench.streams(name)
    #expect(streams.count == 2 && streams[0].hasPrefix("h264,180,320,yuv420p,"))
    #expect(streams.last?.hasPrefix("aac,") == true)
    for made in [name, poster] {
      let halves = try bench.halves(made)
      #expect(halves[0][0] > 200 && halves[0][2] < 60, "red is above: \(halves)")
      #expect(halves[1][2] > 200 && halves[1][0] < 60, "blue is below: \(halves)")
    }
    let sizes = try [name, poster].map {
      try Data(contentsOf: bench.stored.appending(path: $0)).count
    }
    #expect(film.bytes == sizes.reduce(0, +))
  }

  @Test("No place, device, name and time is left in film and poster")
  func metadata() throws {
    let bench = try FilmBench()
    for (name, codec) in [("a.mov", FilmBench.hevc), ("b.mp4", FilmBench.h264)] {
      let file = try bench.make(
        name, "\(FilmBench.picture) \(FilmBench.tone) \(codec) -c:a aac \(Self.metadata)")
      let before = try FilmBench.tags(file)
      for secret in Self.secrets.dropFirst() { #expect(before.contains(secret), "\(secret)") }
      let film = try FilmBench.processor().film(
        file: file, maximumSeconds: 15, into: bench.stored.path)
      for made in [FilmFiles.film(film.id), FilmFiles.poster(film.id)] {
        let url = bench.stored.appending(path: made)
        let tags = try FilmBench.tags(url.path)
        #expect(!tags.contains("GPS") && !tags.contains("Location"), "\(tags)")
        let bytes = try Data(contentsOf: url)
        for secret in Self.secrets {
          #expect(!tags.contains(secret), "\(secret) in \(made)")
          #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(made)")
        }
      }
    }
  }

  @Test("A recording of a browser, which says no length, has one afterwards")
  func recording() throws {
    let bench = try FilmBench()
    let file = try bench.recording(
      "a.webm", "\(FilmBench.picture) \(FilmBench.tone) \(FilmBench.vp8) -c:a libopus")
    let film = try FilmBench.processor().film(
      file: file, maximumSeconds: 15, into: bench.stored.path)
    #expect(film.hasSound && 950...1100 ~= film.milliseconds)
  }

  @Test("60 frames a second become 30, HDR becomes SDR, and large films become 720p")
  func reduced() throws {
    let bench = try FilmBench()
    let file = try bench.make(
      "a.mov",
      "-f lavfi -i testsrc2=s=1920x1080:r=60:d=0.5 -pix_fmt yuv420p10le \(FilmBench.hevc)"
        + " -color_trc arib-std-b67 -color_primaries bt2020 -colorspace bt2020nc")
    let film = try FilmBench.processor().film(
      file: file, maximumSeconds: 15, into: bench.stored.path)
    #expect(film.width == 1280 && film.height == 720 && !film.hasSound)
    #expect(try bench.streams(FilmFiles.film(film.id)) == ["h264,1280,720,yuv420p,15"])
  }

  @Test("Voice notes of browsers and phones become AAC of one channel")
  func voices() throws {
    let bench = try FilmBench()
    let processor = FilmBench.processor()
    for (name, codec) in [
      ("a.webm", "-c:a libopus -f webm -live 1"), ("b.ogg", "-c:a libopus"),
      ("c.m4a", "-c:a aac -ac 2 \(Self.metadata)"), ("d.mp3", "-c:a libmp3lame"),
      ("e.wav", "-c:a pcm_s16le"), ("f.aac", "-c:a aac"),
      ("g.mp4", "-c:a aac -movflags frag_keyframe+empty_moov"),
    ] {
      let file = try bench.make(name, "\(FilmBench.tone) \(codec)")
      let voice = try processor.voice(file: file, maximumSeconds: 120, into: bench.stored.path)
      #expect(900...1150 ~= voice.milliseconds, "\(name)")
      let stored = FilmFiles.voice(voice.id)
      #expect(bench.names == [stored], "\(name)")
      let streams = try bench.streams(stored)
      #expect(streams.count == 1 && streams[0].hasPrefix("aac,1,"), "\(name): \(streams)")
      let tags = try FilmBench.tags(bench.stored.appending(path: stored).path)
      for secret in Self.secrets { #expect(!tags.contains(secret), "\(secret) in \(name)") }
      FilmFiles.remove(id: voice.id, in: bench.stored.path)
      #expect(bench.names == [])
    }
  }
}
