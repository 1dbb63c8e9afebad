import Glibc
import Images

/// Resource limits of a child process; it sets them for itself before it opens a file
/// (docs/developer/feed.md#pictures).
public struct ImageProcessLimits: Sendable {
  /// Address space in bytes.
  public var addressSpace: UInt
  /// Processor time in s.
  public var processorTime: UInt

  /// 1 GiB and 20 s.
  public static let standard = ImageProcessLimits(addressSpace: 1 << 30, processorTime: 20)

  /// 1.5 GiB and 20 s: decoding a progressive JPEG of 100 megapixels needs its coefficients (600
  /// MB) and pixels (400 MB).
  static let photo = ImageProcessLimits(addressSpace: 3 << 29, processorTime: 20)

  static func of(_ kind: PictureKind) -> ImageProcessLimits { kind == .photo ? .photo : .standard }

  public init(addressSpace: UInt, processorTime: UInt) {
    self.addressSpace = addressSpace
    self.processorTime = processorTime
  }

  /// Maximum size of a written file in bytes; no picture comes near it.
  private static let fileSize: UInt = 512 << 20
  private static let openFiles: UInt = 16

  /// Sets all limits; returns whether it succeeded.
  func apply() -> Bool {
    let limits: [(__rlimit_resource, UInt)] = [
      (RLIMIT_AS, addressSpace), (RLIMIT_CPU, processorTime), (RLIMIT_CORE, 0),
      (RLIMIT_NOFILE, Self.openFiles), (RLIMIT_FSIZE, Self.fileSize), (__RLIMIT_NPROC, 0),
    ]
    return limits.allSatisfy { resource, maximum in
      var limit = rlimit(rlim_cur: maximum, rlim_max: maximum)
      return setrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0
    }
  }
}
