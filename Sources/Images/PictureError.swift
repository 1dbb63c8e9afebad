import Core
import Glibc

/// Why a picture isn't taken (docs/developer/feed.md#pictures).
public enum PictureError: Error, Sendable, Equatable {
  /// The file is of a format that isn't supported yet.
  case unsupportedFormat(UnsupportedFormat)
  /// The file is none of the formats it claims to be, fits two of them, or is broken.
  case damaged
  /// The file has more than `PictureLimits` allows.
  case tooManyBytes
  /// The picture has more pixels, or a longer side, than `PictureLimits` allows.
  case tooManyPixels
  /// Too many pictures are being worked on: answer 503 with `Retry-After`.
  case busy
  /// There is no room for its files: answer 507.
  case diskFull
  /// Something of ours went wrong (a missing program, say); the text is for the log.
  case failed(String)

  /// A word that stays the same: the end of the key of the text that people see.
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

extension PictureError: DiskError {
  public var systemError: Int32 { self == .diskFull ? ENOSPC : 0 }
}

/// The formats that are known well enough to be refused by name.
public enum UnsupportedFormat: String, Sendable, CaseIterable, Codable {
  case heic, avif, svg, tiff, bmp, pdf, icon, photoshop, jpegXL, jpeg2000, video
  /// A WebP of more than one picture.
  case animatedWebP
  /// The PNG that Apple's tools make for their own devices (chunk `CgBI`).
  case appleOnlyPNG
  /// Lossless, hierarchical or 12-bit JPEG.
  case rareJPEG
  /// Nothing that looks like a picture.
  case unknown

  /// The name to show or log; empty for `unknown`.
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
