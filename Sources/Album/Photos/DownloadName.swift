import Foundation
import PhotoMetadata

/// How a photo is called when a person gets it: as their own file was, ending as its format does.
struct DownloadName {
  /// File systems take 255 at most, and browsers add a number.
  private static let mostBytes = 200

  let name: String

  init(_ original: String, _ format: PhotoFormat) {
    let parts = original.split(separator: ".", omittingEmptySubsequences: false)
    let stem = parts.count > 1 ? parts.dropLast().joined(separator: ".") : original
    let clean = String(
      String.UnicodeScalarView(
        stem.unicodeScalars.filter {
          // A joiner makes one emoji of several; other format characters turn names around.
          ($0.properties.generalCategory != .format || $0 == "\u{200D}")
            && $0.properties.generalCategory != .control
            && !"/\\\"<>:|?*".unicodeScalars.contains($0)
        }))
    let plain = clean.trimmingCharacters(in: .whitespaces.union(.init(charactersIn: ".")))
    let short = plain.fitting(bytes: Self.mostBytes)
    name = "\(short.isEmpty ? "photo" : short).\(format.fileExtension)"
  }

  /// `Content-Disposition` (RFC 6266): the name as it is, and without its accents for old browsers.
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
  /// As many whole characters from the beginning as fit into so many bytes of UTF-8.
  func fitting(bytes most: Int) -> String {
    // Forward: from behind, each step through a row of flags would look at all of them.
    var (end, bytes) = (startIndex, 0)
    while end < endIndex {
      let next = index(after: end)
      bytes += utf8.distance(from: end, to: next)
      guard bytes <= most else { break }
      end = next
    }
    return String(self[..<end])
  }
}

extension PhotoFormat {
  var contentType: String { "image/\(rawValue)" }
}
