import Glibc
import Images

/// Resource limits of a child process; it sets them for itself before it opens a file
/// (docs/developer/feed.md#pictures).
public struct ImageProcessLimits: Sendable {
  /// Address space in bytes.
  public var addressSpace: UInt
  /// Processor time in s.
  public var processorTime: UInt
  /// Whether it may start threads: libheif and ffmpeg can't do without.
  public var allowsThreads = false

  /// 1 GiB and 20 s.
  public static let standard = ImageProcessLimits(addressSpace: 1 << 30, processorTime: 20)

  /// 1.5 GiB and 20 s: decoding a progressive JPEG of 100 megapixels needs its coefficients (600
  /// MB) and pixels (400 MB).
  static let photo = ImageProcessLimits(addressSpace: 3 << 29, processorTime: 20)

  static let conversion = ImageProcessLimits(
    addressSpace: photo.addressSpace, processorTime: photo.processorTime, allowsThreads: true)

  /// 1.5 GiB and 120 s: decoding 4K with 10 bits needs some 450 MB, and 15 s of it with 60 frames a
  /// second take some 40 s.
  static let film = ImageProcessLimits(
    addressSpace: 3 << 29, processorTime: 120, allowsThreads: true)

  static func of(_ kind: PictureKind) -> ImageProcessLimits {
    kind == kind.large ? .photo : .standard
  }

  public init(addressSpace: UInt, processorTime: UInt, allowsThreads: Bool = false) {
    self.addressSpace = addressSpace
    self.processorTime = processorTime
    self.allowsThreads = allowsThreads
  }

  /// Maximum size of a written file in bytes; no picture and no film comes near it.
  private static let fileSize: UInt = 512 << 20
  private static let openFiles: UInt = 16

  /// Sets all limits; returns whether it succeeded.
  func apply() -> Bool {
    var limits: [(__rlimit_resource, UInt)] = [
      (RLIMIT_AS, addressSpace), (RLIMIT_CPU, processorTime), (RLIMIT_CORE, 0),
      (RLIMIT_NOFILE, Self.openFiles), (RLIMIT_FSIZE, Self.fileSize),
    ]
    if !allowsThreads { limits.append((__RLIMIT_NPROC, 0)) }
    return limits.allSatisfy { resource, maximum in
      var limit = rlimit(rlim_cur: maximum, rlim_max: maximum)
      return setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0
    }
  }
}
