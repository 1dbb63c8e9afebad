/// Arguments of ffmpeg; nothing of a file's own texts is ever among them.
enum FilmArguments {
  private static let quiet = ["-v", "error", "-hide_banner", "-nostdin", "-y"]
  /// No texts, chapters, subtitles and data: no place, device and time.
  private static let clean = [
    "-map_metadata", "-1", "-map_metadata:s", "-1", "-map_chapters", "-1", "-sn", "-dn",
    "-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact",
  ]
  /// Fills gaps in the sound with silence.
  private static let filled = ["-af", "aresample=async=1"]

  /// Converts a film, at most `seconds` s of it.
  static func film(
    _ input: FilmInput, _ source: FilmProbe, _ size: FilmSize, seconds: Int, to path: String
  ) -> [String] {
    let streams = [source.picture, source.sound].compactMap { $0?.index }
    var arguments = read(input, streams.map { "0:\($0)" }, seconds: seconds)
    arguments += ["-vf", filters(size, isHDR: source.picture?.isHDR ?? false)]
    arguments += ["-fps_mode", "vfr", "-c:v", "libx264", "-preset", "veryfast", "-crf", "23"]
    // Closed captions of the source are no picture.
    arguments += ["-maxrate", "5M", "-bufsize", "10M", "-profile:v", "high", "-a53cc", "0"]
    arguments += ["-threads", "2", "-c:a", "aac", "-b:a", "128k", "-ac", "2", "-ar", "48000"]
    return arguments + filled + mp4(path, seconds: seconds)
  }

  /// Makes the JPEG of a stored film: the most typical picture of its first second.
  static func poster(of film: String, to path: String) -> [String] {
    var arguments = read(FilmInput(path: film, format: .mov), ["0:v:0"], seconds: 1)
    arguments += ["-vf", "thumbnail=n=30,scale=out_range=full,format=yuvj420p"]
    arguments += ["-frames:v", "1", "-c:v", "mjpeg", "-q:v", "3", "-f", "mjpeg", "file:\(path)"]
    return arguments
  }

  /// Converts a voice note, at most `seconds` s of it.
  static func voice(_ input: FilmInput, _ source: FilmProbe, seconds: Int, to path: String)
    -> [String]
  {
    var arguments = read(input, ["0:\(source.sound?.index ?? 0)"], seconds: seconds)
    arguments += ["-c:a", "aac", "-b:a", "64k", "-ac", "1", "-ar", "48000"]
    return arguments + filled + mp4(path, seconds: seconds)
  }

  /// Reads these streams of a file and nothing else.
  private static func read(_ input: FilmInput, _ streams: [String], seconds: Int) -> [String] {
    var arguments = quiet
    arguments += input.options
    arguments += ["-t", String(seconds), "-i", input.url]
    for stream in streams { arguments += ["-map", stream] }
    return arguments + clean
  }

  /// Writes an MP4 that plays from its first bytes, without waiting for the rest.
  private static func mp4(_ path: String, seconds: Int) -> [String] {
    ["-t", String(seconds), "-movflags", "+faststart", "-f", "mp4", "file:\(path)"]
  }

  /// Drops frames that follow another within 30 ms, and scales the others to the stored size, with
  /// 8 bits and the brightness of SDR. No frame is made twice, so a gap between two costs nothing.
  private static func filters(_ size: FilmSize, isHDR: Bool) -> String {
    let scale = "scale=w=\(size.width):h=\(size.height)"
    let steps = [
      "select=isnan(prev_selected_t)+gte(t-prev_selected_t\\,0.03)",
      isHDR ? "\(scale),\(toneMapping)" : "\(scale):out_range=limited",
      "format=yuv420p", "setsar=1",
    ]
    return steps.joined(separator: ",")
  }

  private static let toneMapping =
    "zscale=t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,tonemap=tonemap=hable:desat=0,"
    + "zscale=t=bt709:m=bt709:r=limited"
}
