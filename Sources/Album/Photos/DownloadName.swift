import Foundation
import PhotoMetadata

/// The file name of a download: the name of the user's own file, with the extension of the format.
struct DownloadName {
  /// File systems allow 255, and browsers append a number.
  private static let maximumBytes = 200

  let name: String

  init(_ original: String, _ format: PhotoFormat) {
    let parts = original.split(separator: ".", omittingEmptySubsequences: false)
    let stem = parts.count > 1 ? parts.dropLast().joined(separator: ".") : original
    let clean = String(
      String.UnicodeScalarView(
        stem.unicodeScalars.filter {
          // A joiner is part of emoji; other format characters can reverse the displayed name.
          ($0.properties.generalCategory != .format || $0 == "\u{200D}")
            && $0.properties.generalCategory != .control
            && !"/\\\"<>:|?*".unicodeScalars.contains($0)
        }))
    let plain = clean.trimmingCharacters(in: .whitespaces.union(.init(charactersIn: ".")))
    let short = plain.fitting(bytes: Self.maximumBytes)
    name = "\(short.isEmpty ? "photo" : short).\(format.fileExtension)"
  }

  /// The `Content-Disposition` (RFC 6266): the full name, and an ASCII version for old browsers.
  var header: String {
    let ascii = String(
      String.UnicodeScalarView(
        name.unicodeScalars.map { (" "..."~").contains($0) && $0 != "%" ? $0 : "_" }))
    let allowed = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    let escaped = name.addingPercentEncoding(withAllowedCharacters: allowed) ?? ascii
    return "attachment; filename=\"\(ascii)\"; filename*=UTF-8''\(escaped)"
  }
}

extension String {
  /// The longest prefix of whole characters that fits into this many bytes of UTF-8.
  func fitting(bytes maximum: Int) -> String {
    // Forward: from the end, each step through a row of flags would scan all of them.
    var (end, bytes) = (startIndex, 0)
    while end < endIndex {
      let next = index(after: end)
      bytes += utf8.distance(from: end, to: next)
      guard bytes <= maximum else { break }
      end = next
    }
    return String(self[..<end])
  }
}

extension PhotoFormat {
  var contentType: String { "image/\(rawValue)" }
}
