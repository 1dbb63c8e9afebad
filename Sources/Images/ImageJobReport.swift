import FoundationEssentials
import Glibc

/// The child process's single line of output; the parent checks all of it.
package enum ImageJobReport: Equatable {
  case image(ImageResult)
  /// The texts of the codes in the picture, without duplicates.
  case codes([String])
  case refused(PictureError)

  package struct ImageResult: Codable, Equatable {
    package let width: Int
    package let height: Int
    package let fileExtension: String
    package let hasWebP: Bool
    /// Total of all files.
    package let bytes: Int

    package init(width: Int, height: Int, fileExtension: String, hasWebP: Bool, bytes: Int) {
      self.width = width
      self.height = height
      self.fileExtension = fileExtension
      self.hasWebP = hasWebP
      self.bytes = bytes
    }
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

  /// The first argument of a child that reads codes.
  package static let codesArgument = "codes"

  /// The first argument of a child that makes a JPEG of a HEIC picture.
  package static let convertArgument = "convert"

  /// The first argument of a child that becomes another program, which reports in its own way.
  package static let limitedArgument = "limited"

  /// The exit code of a child that reports this.
  package var exitCode: Int32 {
    switch self {
    case .image, .codes: EXIT_SUCCESS
    case .refused(.failed), .refused(.diskFull): EX_SOFTWARE
    case .refused: EXIT_FAILURE
    }
  }

  /// A line of JSON, with its end of line.
  package var line: String {
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
  package init?(line bytes: [UInt8]) {
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
