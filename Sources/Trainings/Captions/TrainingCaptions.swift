import Core
import Foundation

/// The captions of a training's video (docs/developer/design.md#accessibility).
public struct TrainingCaptions: Sendable, Equatable {
  public let id: ID<TrainingFile>
  /// The language of the captions.
  public let language: Language
}

/// Why a captions file is refused.
enum TrainingCaptionsError: Error, Equatable {
  case tooLarge
  /// It doesn't begin like WebVTT.
  case notWebVTT
  case notUTF8
  /// It contains no cues.
  case empty
}

/// Validates a WebVTT file (W3C, "WebVTT", section 4.1). Browsers skip invalid cues, so only errors
/// that make the whole file useless are refused.
enum TrainingCaptionsCheck {
  /// 1 MiB: about ten hours of speech.
  static let maximumBytes = 1 << 20
  private static let mark = Array("WEBVTT".utf8)
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func check(_ bytes: [UInt8]) throws(TrainingCaptionsError) {
    guard bytes.count <= maximumBytes else { throw .tooLarge }
    let text = bytes.starts(with: byteOrderMark) ? bytes[3...] : bytes[...]
    guard text.starts(with: mark) else { throw .notWebVTT }
    // Whitespace, the end of the line or the end of the file follows.
    let next = text.dropFirst(mark.count).first
    guard next == nil || [0x20, 0x09, 0x0A, 0x0D].contains(next) else { throw .notWebVTT }
    guard let decoded = String(validating: text, as: UTF8.self), !decoded.contains("\0") else {
      throw .notUTF8
    }
    guard decoded.contains("-->") else { throw .empty }
  }
}
