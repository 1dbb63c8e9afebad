import Core
import Glibc
import Media

/// Reason why a picture is rejected (docs/developer/feed.md#pictures).
public enum PictureError: Error, Sendable, Equatable {
  /// The format isn't supported yet.
  case unsupportedFormat(UnsupportedFormat)
  /// The file is not of the format that it claims to be, matches two formats, or is broken.
  case damaged
  /// The file is larger than `PictureLimits` allows.
  case tooManyBytes
  /// The picture has more pixels, or a longer side, than `PictureLimits` allows.
  case tooManyPixels
  /// Too many pictures are being processed, or their store does not answer: answer 503 with
  /// `Retry-After`.
  case busy
  /// The disk is full: answer 507.
  case diskFull
  /// An internal error (for example a missing program); the text is for the log.
  case failed(String)

  /// A stable code: the last part of the key of the displayed text.
  public var code: String {
    switch self {
    case .unsupportedFormat(.heic): "heic"
    case .unsupportedFormat(.animatedWebP): "animated"
    case .unsupportedFormat: "unsupported"
    case .damaged: "damaged"
    case .tooManyBytes: "too_many_bytes"
    case .tooManyPixels: "too_many_pixels"
    case .busy: "busy"
    case .diskFull: "disk_full"
    case .failed: "failed"
    }
  }
}

extension PictureError {
  /// The reason why the files of a picture were not stored. The store has logged why it does not
  /// answer.
  public init(_ error: MediaError) {
    switch error {
    case .full: self = .diskFull
    case .unavailable: self = .busy
    case .failed(let reason): self = .failed(reason)
    }
  }
}

extension PictureError: DiskError {
  public var systemError: Int32 { self == .diskFull ? ENOSPC : 0 }
}

/// Unsupported formats that are recognised, so that the error can name them.
public enum UnsupportedFormat: String, Sendable, CaseIterable, Codable {
  case heic, avif, svg, tiff, bmp, pdf, icon, photoshop, jpegXL, jpeg2000, video
  /// An animated WebP.
  case animatedWebP
  /// The PNG that Apple's tools make for their own devices (chunk `CgBI`).
  case appleOnlyPNG
  /// Lossless, hierarchical or 12-bit JPEG.
  case rareJPEG
  /// No known picture format.
  case unknown

  /// Name for display and log; empty for `unknown`.
  public var name: String {
    switch self {
    case .heic: "HEIC"
    case .avif: "AVIF"
    case .svg: "SVG"
    case .tiff: "TIFF"
    case .bmp: "BMP"
    case .pdf: "PDF"
    case .icon: "ICO"
    case .photoshop: "PSD"
    case .jpegXL: "JPEG XL"
    case .jpeg2000: "JPEG 2000"
    case .video: "MP4"
    case .animatedWebP: "animated WebP"
    case .appleOnlyPNG: "CgBI PNG"
    case .rareJPEG: "lossless JPEG"
    case .unknown: ""
    }
  }
}
