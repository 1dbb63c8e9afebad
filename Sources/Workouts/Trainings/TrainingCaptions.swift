import Core
import Foundation

/// What is said in a training's video, to read along (docs/developer/design.md#accessibility).
public struct TrainingCaptions: Sendable, Equatable {
  public let id: ID<TrainingFile>
  /// The one in which they are written.
  public let language: Language
}

/// Why a file isn't taken as captions.
enum TrainingCaptionsError: Error, Equatable {
  case tooLarge
  /// It doesn't begin as WebVTT does.
  case notWebVTT
  case notUTF8
  /// There is nothing in it to read.
  case empty
}

/// Looks at a WebVTT file (W3C, "WebVTT", section 4.1). Browsers skip cues that are broken, so only
/// what makes a file useless as a whole is refused.
enum TrainingCaptionsCheck {
  /// 1 MiB: some ten hours of speech.
  static let most = 1 << 20
  private static let mark = Array("WEBVTT".utf8)
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func check(_ bytes: [UInt8]) throws(TrainingCaptionsError) {
    guard bytes.count <= most else { throw .tooLarge }
    let text = bytes.starts(with: byteOrderMark) ? bytes[3...] : bytes[...]
    guard text.starts(with: mark) else { throw .notWebVTT }
    // A blank or a line's end follows, or nothing at all.
    let next = text.dropFirst(mark.count).first
    guard next == nil || [0x20, 0x09, 0x0A, 0x0D].contains(next) else { throw .notWebVTT }
    guard let words = String(validating: text, as: UTF8.self), !words.contains("\0") else {
      throw .notUTF8
    }
    guard words.contains("-->") else { throw .empty }
  }
}
