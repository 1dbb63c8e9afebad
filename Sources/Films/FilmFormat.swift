/// The accepted containers, recognised by content and never by file name.
enum FilmFormat: Sendable, CaseIterable {
  /// ISO base media and QuickTime: MP4, MOV, M4A, 3GP.
  case mov
  /// Matroska and WebM.
  case matroska
  case ogg, mp3, wav
  /// AAC without a container (ADTS).
  case adts

  /// Containers of films.
  static let films: Set<FilmFormat> = [.mov, .matroska]

  /// ffmpeg's name of the only demuxer that reads the file.
  var demuxer: String {
    switch self {
    case .mov: "mov"
    case .matroska: "matroska"
    case .ogg: "ogg"
    case .mp3: "mp3"
    case .wav: "wav"
    case .adts: "aac"
    }
  }

  /// Number of bytes that `recognise` needs.
  static let headLength = 12

  /// Recognises the container from the first bytes of a file; nil for any other.
  static func recognise(_ head: [UInt8]) -> FilmFormat? {
    guard head.count >= headLength else { return nil }
    if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return .matroska }
    let (first, second, third) = (word(head, 0), word(head, 4), word(head, 8))
    if boxes.contains(second) { return second == "ftyp" && pictures.contains(third) ? nil : .mov }
    switch (first, third) {
    case ("OggS", _): return .ogg
    case ("RIFF", "WAVE"): return .wav
    default: break
    }
    if head.starts(with: Array("ID3".utf8)) { return .mp3 }
    // A frame of MPEG sound: its layer is 0 in ADTS and not in MP3 (ISO 11172-3, 13818-7).
    guard head[0] == 0xFF, head[1] & 0xE0 == 0xE0 else { return nil }
    if head[1] & 0xF6 == 0xF0 { return .adts }
    return head[1] & 0x06 == 0x02 ? .mp3 : nil
  }

  /// The first boxes of files (ISO 14496-12; "QuickTime File Format Specification").
  private static let boxes: Set = ["ftyp", "moov", "mdat", "wide", "free", "skip"]
  /// The major brands of pictures: HEIC and AVIF.
  private static let pictures: Set = [
    "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "avif", "avis",
  ]

  /// Four bytes as characters.
  private static func word(_ bytes: [UInt8], _ place: Int) -> String {
    String(String.UnicodeScalarView(bytes[place..<place + 4].map { Unicode.Scalar($0) }))
  }
}
