import FoundationEssentials

/// The child process's single line of output; the parent checks all of it.
enum ImageJobReport: Equatable {
  case image(ImageResult)
  /// The texts of the codes in the picture, without duplicates.
  case codes([String])
  case refused(PictureError)

  struct ImageResult: Codable, Equatable {
    let width: Int
    let height: Int
    let fileExtension: String
    let hasWebP: Bool
    /// Total of all files.
    let bytes: Int
  }

  private struct Codes: Codable {
    let codes: [String]
  }

  private struct Rejection: Codable {
    let error: String
    var format: UnsupportedFormat?
    var detail: String?
  }

  /// Maximum length of a line in bytes: the longest codes, each character escaped.
  static let limit = 60_000

  /// A line of JSON, with its end of line.
  var line: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json: Data? =
      switch self {
      case .image(let image): try? encoder.encode(image)
      case .codes(let codes): try? encoder.encode(Codes(codes: codes))
      case .refused(let error): try? encoder.encode(Self.rejection(error))
      }
    return (json.map { String(decoding: $0, as: UTF8.self) } ?? "") + "\n"
  }

  /// Parses one line; nil for anything that the child would not write.
  init?(line bytes: [UInt8]) {
    guard bytes.count <= Self.limit, bytes.last == UInt8(ascii: "\n") else { return nil }
    let json = Data(bytes.dropLast())
    let decoder = JSONDecoder()
    if let image = try? decoder.decode(ImageResult.self, from: json) {
      self = .image(image)
    } else if let found = try? decoder.decode(Codes.self, from: json) {
      self = .codes(found.codes)
    } else if let rejection = try? decoder.decode(Rejection.self, from: json),
      let error = Self.error(rejection)
    {
      self = .refused(error)
    } else {
      return nil
    }
  }

  private static func rejection(_ error: PictureError) -> Rejection {
    switch error {
    case .unsupportedFormat(let format): Rejection(error: "unsupported", format: format)
    case .failed(let detail): Rejection(error: error.code, detail: String(detail.prefix(500)))
    default: Rejection(error: error.code)
    }
  }

  private static func error(_ rejection: Rejection) -> PictureError? {
    switch rejection.error {
    case "unsupported": rejection.format.map { .unsupportedFormat($0) }
    case PictureError.damaged.code: .damaged
    case PictureError.tooManyBytes.code: .tooManyBytes
    case PictureError.tooManyPixels.code: .tooManyPixels
    case PictureError.diskFull.code: .diskFull
    case "failed": .failed(rejection.detail ?? "")
    default: nil
    }
  }
}
