import FoundationEssentials

/// Contents of a file, as ffprobe reports them.
struct FilmProbe: Equatable {
  struct Stream: Equatable {
    /// Number of the stream in the file.
    let index: Int
    /// ffmpeg's kind: "video", "audio" and others.
    let kind: String
    /// ffmpeg's name of the codec; empty if unknown.
    let codec: String
    let width: Int
    let height: Int
    /// Width of a pixel divided by its height.
    var pixelAspect = 1.0
    /// Counter-clockwise rotation for display, in degrees.
    var rotation = 0.0
    /// Whether its brightness is that of HDR (PQ or HLG).
    var isHDR = false
    /// Whether it is a cover or another still picture.
    var isStill = false
    /// Length in ms; nil if the file announces none.
    var milliseconds: Int?
  }

  let streams: [Stream]
  /// Length of the whole file in ms; nil if it announces none.
  private let wholeMilliseconds: Int?

  init(streams: [Stream], milliseconds: Int? = nil) {
    self.streams = streams
    wholeMilliseconds = milliseconds
  }

  /// Codecs that are decoded, by ffmpeg's names.
  static let pictureCodecs: Set = ["h264", "hevc", "vp8", "vp9", "av1", "mpeg4", "h263"]
  static let soundCodecs: Set = [
    "aac", "alac", "amr_nb", "amr_wb", "mp3", "opus", "vorbis", "pcm_u8", "pcm_s16le", "pcm_s16be",
    "pcm_s24le", "pcm_s24be", "pcm_s32le", "pcm_f32le",
  ]

  private var moving: [Stream] { streams.filter { $0.kind == "video" && !$0.isStill } }
  private var sounds: [Stream] { streams.filter { $0.kind == "audio" } }

  /// The stream that becomes the film's picture: the first that can be decoded.
  var picture: Stream? { moving.first { Self.pictureCodecs.contains($0.codec) } }
  /// The stream that becomes the sound. Phones add further ones in formats of their own.
  var sound: Stream? { sounds.first { Self.soundCodecs.contains($0.codec) } }

  /// The reason why there is no `picture`.
  var missingPicture: FilmError { moving.isEmpty ? .noPicture : .unsupportedFormat }
  /// The reason why there is no `sound`.
  var missingSound: FilmError { sounds.isEmpty ? .noSound : .unsupportedFormat }

  /// Length in ms of picture and sound, without other streams; nil if the file announces none.
  var milliseconds: Int? {
    let lengths = [picture, sound].compactMap { $0 }.map(\.milliseconds)
    let known = lengths.compactMap { $0 }
    return known.count == lengths.count ? known.max() ?? wholeMilliseconds : wholeMilliseconds
  }
}

extension FilmProbe {
  /// Options that make ffprobe print what `init(json:)` reads.
  static let arguments = [
    "-show_entries",
    "stream=index,codec_type,codec_name,width,height,sample_aspect_ratio,color_transfer,duration"
      + ":stream_disposition=attached_pic,timed_thumbnails,still_image"
      + ":stream_side_data=rotation:format=duration",
    "-of", "json=compact=1",
  ]

  private struct Output: Decodable {
    struct Stream: Decodable {
      struct SideData: Decodable { var rotation: Double? }
      let index: Int
      var codecType: String?
      var codecName: String?
      var width: Int?
      var height: Int?
      var sampleAspectRatio: String?
      var colorTransfer: String?
      var duration: String?
      var disposition: [String: Int]?
      var sideDataList: [SideData]?
    }
    struct Format: Decodable { var duration: String? }
    let streams: [Stream]
    let format: Format
  }

  /// Parses the output of ffprobe; nil for anything else, and for output that was cut off.
  init?(json: [UInt8]) {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let output = try? decoder.decode(Output.self, from: Data(json)) else { return nil }
    self.init(
      streams: output.streams.map { stream in
        Stream(
          index: stream.index, kind: stream.codecType ?? "", codec: stream.codecName ?? "",
          width: stream.width ?? 0, height: stream.height ?? 0,
          pixelAspect: Self.ratio(stream.sampleAspectRatio ?? ""),
          rotation: stream.sideDataList?.compactMap(\.rotation).first ?? 0,
          isHDR: ["smpte2084", "arib-std-b67"].contains(stream.colorTransfer ?? ""),
          isStill: stream.disposition?.values.contains { $0 != 0 } ?? false,
          milliseconds: Self.milliseconds(stream.duration))
      },
      milliseconds: Self.milliseconds(output.format.duration))
  }

  /// A ratio such as "4:3"; 1 for an unknown or absurd one.
  private static func ratio(_ text: String) -> Double {
    let sides = text.split(separator: ":").compactMap { Double($0) }
    guard sides.count == 2, sides[1] > 0, 0.25...4 ~= sides[0] / sides[1] else { return 1 }
    return sides[0] / sides[1]
  }

  /// Seconds as text in ms; nil for none or 0, which means unknown.
  private static func milliseconds(_ text: String?) -> Int? {
    guard let text, let seconds = Double(text), seconds > 0 else { return nil }
    return Int((min(seconds, 1e9) * 1000).rounded())
  }
}
