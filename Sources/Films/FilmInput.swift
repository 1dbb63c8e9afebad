/// A file for ffmpeg to read, whose container is known.
struct FilmInput {
  let path: String
  let format: FilmFormat

  /// Decoders that may read it, by ffmpeg's names. The last three are for covers and captions,
  /// which ffprobe opens too.
  private static let decoders = [
    "h264", "hevc", "vp8", "vp9", "libdav1d", "mpeg4", "h263", "aac", "alac", "amrnb", "amrwb",
    "mp3float", "opus", "vorbis", "pcm_u8", "pcm_s16le", "pcm_s16be", "pcm_s24le", "pcm_s24be",
    "pcm_s32le", "pcm_f32le", "mjpeg", "png", "mov_text",
  ]
  /// More streams than any recording of a phone has.
  private static let maximumStreams = 64

  /// The options of this input. Nothing is guessed, and no other file and no address is opened.
  var options: [String] {
    var options = [
      "-protocol_whitelist", "file", "-format_whitelist", format.demuxer,
      "-codec_whitelist", Self.decoders.joined(separator: ","),
      "-max_streams", String(Self.maximumStreams), "-max_pixels", String(FilmLimits.pixels),
      "-threads", "2", "-f", format.demuxer,
    ]
    if format == .mov { options += ["-enable_drefs", "0", "-use_absolute_path", "0"] }
    return options
  }

  /// The file as an address: its name is never taken for a protocol.
  var url: String { "file:\(path)" }
}
