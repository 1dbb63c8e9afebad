import Foundation
import Processes
import Testing

@testable import Films

@Suite("Hostile films are refused, with little memory and nothing left")
struct HostileFilmTests {
  @Test(
    "What reads other files or addresses, and what is no film, never reaches a child",
    arguments: [
      "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n",
      "ffconcat version 1.0\nfile /etc/passwd\n",
      "<svg xmlns=\"http://www.w3.org/2000/svg\"><image href=\"file:///etc/passwd\"/></svg>",
      "[Script Info]\nScriptType: v4.00+\n", "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n",
      "<?xml version=\"1.0\"?><MPD><Period/></MPD>", "GIF89a and more of it",
      "\u{0}\u{0}\u{0}\u{18}ftypheic\u{0}\u{0}\u{0}\u{0}mif1heic",
    ])
  func otherFormats(content: String) throws {
    let bench = try FilmBench()
    let file = try bench.file("a.mp4", content.utf8)
    // A limiter that doesn't exist, so a child would be an internal error.
    let processor = FilmBench.processor(limiter: "/nowhere")
    #expect(throws: FilmError.unsupportedFormat) {
      try processor.film(file: file, maximumSeconds: 15, into: bench.stored.path)
    }
    #expect(throws: FilmError.unsupportedFormat) {
      try processor.voice(file: file, maximumSeconds: 120, into: bench.stored.path)
    }
  }

  @Test("Empty, broken and cut-off films are damaged")
  func damaged() throws {
    let bench = try FilmBench()
    let arguments = "\(FilmBench.picture) \(FilmBench.tone) \(FilmBench.h264) -c:a aac"
    // The contents first, and last.
    let last = try Data(contentsOf: URL(filePath: bench.make("a.mp4", arguments)))
    let first = try Data(
      contentsOf: URL(filePath: bench.make("b.mp4", "\(arguments) -movflags +faststart")))
    let recorded = try Data(
      contentsOf: URL(
        filePath: bench.recording("c.webm", "\(FilmBench.picture) \(FilmBench.vp8)")))
    var broken = first
    broken.replaceSubrange(64..<first.count, with: Data(repeating: 0xFF, count: first.count - 64))
    for (name, bytes) in [
      ("empty", Data()), ("contents last", last.prefix(last.count / 2)),
      ("contents first", first.prefix(first.count * 2 / 3)), ("head", first.prefix(40)),
      ("WebM", recorded.prefix(recorded.count / 2)), ("broken", broken),
    ] {
      #expect(try bench.rejection(of: bench.file(name, bytes)) == .damaged, "\(name)")
    }
    #expect(bench.names == [])
  }

  @Test("A film that is too long is refused, whatever it says of its length")
  func tooLong() throws {
    let bench = try FilmBench()
    let honest = try bench.make(
      "a.mp4", "-f lavfi -i testsrc2=s=64x64:r=10:d=5 \(FilmBench.h264) -video_track_timescale 1000"
    )
    #expect(bench.rejection(of: honest, seconds: 3) == .tooLong)
    #expect(bench.rejection(of: honest, seconds: 5) == nil)
    // One second in the headers of the file, of the track and of its content.
    let second: [UInt8] = [0, 0, 3, 0xE8]
    var lying = try bench.changed(honest, after: "mvhd", 16, to: second)
    lying = try bench.changed(lying, after: "tkhd", 20, to: second)
    lying = try bench.changed(lying, after: "mdhd", 16, to: second)
    #expect(bench.rejection(of: lying, seconds: 3) == .tooLong)
    let endless = try bench.recording(
      "b.webm", "-f lavfi -i testsrc2=s=64x64:r=10:d=5 \(FilmBench.vp8)")
    #expect(bench.rejection(of: endless, seconds: 3) == .tooLong)
    let voice = try bench.recording("c.webm", "-f lavfi -i sine=d=5 -c:a libopus")
    #expect(throws: FilmError.tooLong) {
      try FilmBench.processor().voice(file: voice, maximumSeconds: 3, into: bench.stored.path)
    }
  }

  @Test("Films without a picture, of other codecs and with too many streams are refused")
  func contents() throws {
    let bench = try FilmBench()
    let sound = try bench.make("a.m4a", "\(FilmBench.tone) -c:a aac")
    #expect(bench.rejection(of: sound) == .noPicture)
    let mute = try bench.make("b.mp4", "\(FilmBench.picture) \(FilmBench.h264)")
    #expect(throws: FilmError.noSound) {
      try FilmBench.processor().voice(file: mute, maximumSeconds: 120, into: bench.stored.path)
    }
    for codec in ["mjpeg", "prores"] {
      let film = try bench.make("\(codec).mov", "\(FilmBench.picture) -c:v \(codec)")
      #expect(bench.rejection(of: film) == .unsupportedFormat, "\(codec)")
    }
    let tracks = String(repeating: " -map 1", count: 70)
    let many = try bench.make(
      "c.mov", "\(FilmBench.picture) \(FilmBench.tone) -map 0\(tracks) -c:v mpeg4 -c:a pcm_s16le")
    #expect(bench.rejection(of: many) == .damaged)
    #expect(bench.names == [])
  }

  @Test("Huge pictures are refused, also those that become huge within the film")
  func pixels() throws {
    let bench = try FilmBench()
    let huge = try bench.make(
      "a.webm", "-f lavfi -i color=black:s=8192x2048:r=5:d=0.4 \(FilmBench.vp8) -b:v 100k")
    #expect(bench.rejection(of: huge) == .tooManyPixels)
    let small = try bench.make(
      "b.webm", "-f lavfi -i color=black:s=64x64:r=5:d=1 \(FilmBench.vp8) -b:v 100k")
    #expect(bench.rejection(of: small) == nil)
    for name in bench.names {
      try FileManager.default.removeItem(at: bench.stored.appending(path: name))
    }
    let list = try bench.file("list.txt", "file b.webm\nfile a.webm\n".utf8)
    let growing = try bench.make("c.webm", "-f concat -i \(list) -c copy")
    #expect(bench.rejection(of: growing) == .tooManyPixels)
    #expect(bench.names == [])
  }

  @Test("Gaps of hours, 1,000 frames a second and millions of announced frames need no memory")
  func memory() throws {
    let bench = try FilmBench()
    let log = bench.folder.appending(path: "log")
    let script = try bench.file(
      "limiter",
      """
      #!/usr/bin/python3
      import resource, subprocess, sys
      code = subprocess.call(["\(FilmBench.limiter)", *sys.argv[1:]])
      with open("\(log.path)", "a") as log:
          print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=log)
      sys.exit(code if code >= 0 else 128 - code)

      """.utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
    let processor = FilmBench.processor(limiter: script)
    let gap = try bench.recording(
      "a.webm",
      "-f lavfi -i testsrc2=s=1280x720:r=30:d=1 -vf setpts='if(gt(N,9),PTS+100000/TB,PTS)'"
        + " -vsync passthrough \(FilmBench.vp8)")
    let quick = try bench.make(
      "b.mp4", "-f lavfi -i color=black:s=64x64:r=1000:d=2 \(FilmBench.h264)")
    for file in [gap, quick] {
      _ = try processor.film(file: file, maximumSeconds: 15, into: bench.stored.path)
    }
    let plain = try bench.make("c.mp4", "\(FilmBench.picture) \(FilmBench.h264)")
    // The size of each frame and their number, in the table of sizes.
    let many = try bench.changed(plain, after: "stsz", 4, to: [0, 0, 0, 1, 0x10, 0, 0, 0])
    #expect(throws: FilmError.damaged) {
      try processor.film(file: many, maximumSeconds: 15, into: bench.stored.path)
    }
    let peaks = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
      .compactMap { Int($0) }
    #expect(peaks.count >= 9)
    #expect(peaks.allSatisfy { 10_000..<300_000 ~= $0 }, "KiB: \(peaks)")
  }
}
