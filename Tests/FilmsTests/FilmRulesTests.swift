import Testing

@testable import Films

@Suite("Containers, sizes and reports of films are read strictly")
struct FilmRulesTests {
  private func recognise(_ head: String) -> FilmFormat? {
    FilmFormat.recognise(
      head.unicodeScalars.map { UInt8($0.value) } + [UInt8](repeating: 0, count: 12))
  }

  @Test("The container is recognised by the first bytes")
  func formats() {
    #expect(recognise("\0\0\0\u{14}ftypqt  ") == .mov)
    #expect(recognise("\0\0\0\u{08}wide\0\0\0\u{08}") == .mov)
    #expect(recognise("\u{1A}\u{45}\u{DF}\u{A3}") == .matroska)
    #expect(recognise("OggS") == .ogg)
    #expect(recognise("RIFF\0\0\0\0WAVE") == .wav)
    #expect(recognise("ID3\u{04}") == .mp3)
    #expect(recognise("\u{FF}\u{FB}\u{90}") == .mp3)
    #expect(recognise("\u{FF}\u{F1}\u{50}") == .adts)
    for other in [
      "RIFF\0\0\0\0WEBP", "RIFF\0\0\0\0AVI ", "\0\0\0\u{18}ftypavif", "#EXTM3U", "fLaC",
      "\u{FF}\u{D8}\u{FF}\u{E0}", "\u{89}PNG", "GIF89a", "", "\0\0\u{01}\u{BA}",
    ] {
      #expect(recognise(other) == nil, "\(other)")
    }
    #expect(FilmFormat.recognise([0x1A, 0x45, 0xDF, 0xA3]) == nil)
  }

  private func size(
    _ width: Int, _ height: Int, rotation: Double = 0, aspect: Double = 1
  ) throws(FilmError) -> FilmSize {
    try FilmSize(
      of: FilmProbe.Stream(
        index: 0, kind: "video", codec: "h264", width: width, height: height, pixelAspect: aspect,
        rotation: rotation))
  }

  @Test("Sizes are upright, even, within 720p, and never enlarged")
  func sizes() throws {
    #expect(try size(3840, 2160) == FilmSize(width: 1280, height: 720))
    #expect(try size(3840, 2160, rotation: -90) == FilmSize(width: 720, height: 1280))
    #expect(try size(1080, 1920) == FilmSize(width: 720, height: 1280))
    #expect(try size(640, 480, rotation: 180) == FilmSize(width: 640, height: 480))
    #expect(try size(641, 361) == FilmSize(width: 642, height: 362))
    #expect(try size(640, 480, aspect: 4.0 / 3) == FilmSize(width: 854, height: 480))
    #expect(try size(9000, 64) == FilmSize(width: 1920, height: 16))
    #expect(try size(2, 2) == FilmSize(width: 16, height: 16))
    #expect(try size(4096, 2304) == FilmSize(width: 1280, height: 720))
    for (width, height) in [(4096, 2305), (16_384, 16_384), (Int.max, Int.max), (1, Int.max)] {
      #expect(throws: FilmError.tooManyPixels) { try size(width, height) }
    }
    for (width, height) in [(0, 0), (0, 100), (-1, -1)] {
      #expect(throws: FilmError.damaged) { try size(width, height) }
    }
  }

  private func probe(_ streams: String, duration: String = "") -> FilmProbe? {
    FilmProbe(
      json: Array("{\"programs\":[],\"streams\":[\(streams)],\"format\":{\(duration)}}".utf8))
  }

  @Test("The first streams that can be decoded count, without covers")
  func streams() throws {
    let cover =
      #"{"index":0,"codec_type":"video","codec_name":"h264","disposition":{"attached_pic":1}}"#
    let film =
      #"{"index":1,"codec_type":"video","codec_name":"hevc","width":8,"height":6,"#
      + #""color_transfer":"arib-std-b67","sample_aspect_ratio":"4:3","duration":"2.5","#
      + #""disposition":{"attached_pic":0},"side_data_list":[{"rotation":-90}]}"#
    let spatial = #"{"index":2,"codec_type":"audio"}"#
    let sound = #"{"index":3,"codec_type":"audio","codec_name":"aac","duration":"2.75"}"#
    let data = #"{"index":4,"codec_type":"data","duration":"99"}"#
    let found = try #require(
      probe(
        [cover, film, spatial, sound, data].joined(separator: ","), duration: #""duration":"99""#))
    let picture = try #require(found.picture)
    #expect(picture.index == 1 && picture.isHDR && picture.rotation == -90)
    #expect(abs(picture.pixelAspect - 4.0 / 3) < 0.001)
    #expect(found.sound?.index == 3)
    #expect(found.milliseconds == 2750)
    let covered = try #require(probe(cover))
    #expect(covered.picture == nil && covered.missingPicture == .noPicture)
    #expect(covered.missingSound == .noSound)
    let unknown = try #require(probe(spatial))
    #expect(unknown.sound == nil && unknown.missingSound == .unsupportedFormat)
    let live = #"{"index":0,"codec_type":"video","codec_name":"vp8"}"#
    let endless = try #require(probe(live))
    #expect(endless.milliseconds == nil)
    let huge = try #require(probe(live, duration: #""duration":"1e300""#))
    #expect(huge.milliseconds == 1_000_000_000_000)
  }

  @Test("Anything but the report of ffprobe is refused")
  func reports() {
    let film = #"{"index":0,"codec_type":"video","codec_name":"vp8","width":8,"height":8}"#
    #expect(probe(film) != nil)
    for text in [
      "", "{", "[]", "{}", #"{"streams":[]}"#, #"{"streams":[{"width":8}],"format":{}}"#,
      #"{"streams":[{"index":0,"width":"8"}],"format":{}}"#,
      #"{"streams":[{"index":0,"width":1e30}],"format":{}}"#, #"{"streams":[\#(film)"#,
    ] {
      #expect(FilmProbe(json: Array(text.utf8)) == nil, "\(text)")
    }
  }

  @Test("Versions of ffmpeg from 5.1 on are recent")
  func versions() {
    for text in ["5.1.9-0+deb12u1", "6.1.1-3ubuntu5", "7.1", "10.0", "n7.0", "N-11-g8"] {
      #expect(FilmPrograms.isRecent(version: "ffmpeg version \(text) Copyright (c)"), "\(text)")
    }
    for text in ["ffmpeg version 5.0.1 Copyright", "ffmpeg version 4.3.8-0 x", "", "sh: no ffmpeg"]
    {
      #expect(!FilmPrograms.isRecent(version: text), "\(text)")
    }
  }
}
