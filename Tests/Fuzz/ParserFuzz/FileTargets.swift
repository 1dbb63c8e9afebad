import Foundation

@testable import ImageProcessing
@testable import Images
@testable import PhotoMetadata
@testable import WorkoutFiles

extension FuzzTarget {
  static let fileTargets =
    ["jpeg", "png", "gif", "webp"].map { name in FuzzTarget(name: name, run: picture) }
    + [
      FuzzTarget(name: "photo") { bytes in
        guard let parts = try? PhotoParts.parse(bytes) else { return }
        _ = (parts.properties, parts.reading)
      },
      FuzzTarget(name: "tcx") { bytes in _ = try? TCXReader.read(bytes, zone: .gmt) },
      FuzzTarget(name: "gpx") { bytes in _ = try? GPXReader.read(bytes, zone: .gmt) },
      FuzzTarget(name: "fit") { bytes in _ = try? FITReader.read(bytes) },
      FuzzTarget(name: "csv") { bytes in _ = try? CSVReader.read(bytes, zone: .gmt) },
      FuzzTarget(name: "workout-file") { bytes in _ = try? WorkoutFile.read(bytes) },
    ]

  /// The parts of a picture parsed before decoding. Decoders are C and run in a process of their
  /// own (covered by `photo-fuzz` and the tests of hostile pictures).
  @Sendable private static func picture(_ bytes: [UInt8]) {
    guard let header = try? PictureHeader.identify(bytes) else { return }
    check(header.width > 0 && header.height > 0, "a picture has an area")
    check(header.width * header.height <= PictureLimits.pixels, "no more pixels than the limit")
    let profile = ColourProfile(of: header)
    _ = Orientation(exif: header.exif)
    _ = Signature.anotherFormat(than: header.format, in: bytes)
    _ = try? MetadataStripper.rewrite(bytes, header.format, profile)
  }
}
