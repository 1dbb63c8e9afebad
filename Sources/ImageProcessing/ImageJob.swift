import Images

/// Makes the files of one picture; runs in the child process only.
struct ImageJob {
  let header: PictureHeader
  private let kind: PictureKind
  private let bytes: [UInt8]
  /// Nil for what is no JPEG, and for rare kinds of it.
  private let reader: JPEGReader?
  private let orientation: Orientation
  private let encoder: GDEncoder

  /// Reads the file and parses its header.
  init(file: String, kind: PictureKind) throws(PictureError) {
    self.kind = kind
    bytes = try PictureFile.read(file, of: kind.limits.bytes)
    header = try PictureHeader.identify(bytes, limits: kind.limits)
    reader = JPEGReader(bytes, as: header)
    orientation = Orientation(exif: header.exif)
    encoder = GDEncoder(profile: ColourProfile(of: header))
  }

  /// Whether the picture becomes half as wide and high, since a post's picture may not be as large.
  /// A JPEG of too many bytes only is encoded again like every other.
  private var isHalved: Bool {
    guard kind == .photoPost else { return false }
    let (limits, pixels) = (PictureLimits.picture, header.width * header.height)
    return pixels > limits.pixels || (header.format != .jpeg && bytes.count > limits.bytes)
  }

  /// Size of the made picture in px, before rotation.
  private var size: (width: Int, height: Int) {
    isHalved
      ? ((header.width + 1) / 2, (header.height + 1) / 2) : (header.width, header.height)
  }

  /// Size of the made picture in px, after rotation.
  private var upright: (width: Int, height: Int) {
    orientation.swapsSides ? (size.height, size.width) : (size.width, size.height)
  }

  /// Writes all variants for the kind into a folder.
  func make(id: String, into directory: String) throws(PictureError)
    -> ImageJobReport.ImageResult
  {
    var folder = OutputFolder(directory: directory, id: id)
    do throws(PictureError) {
      let image =
        switch kind {
        case .post, .photoPost: try makePost(&folder)
        case .avatar, .photoAvatar: try makeAvatar(&folder)
        case .photo: try makeSmaller(of: decodedSmall(), orientation, &folder)
        }
      try folder.publish()
      return image
    } catch {
      PictureFiles.remove(id: id, in: directory)
      throw error
    }
  }

  /// The decoded picture; smaller than the file's if no variant but the original needs more.
  private func decodedSmall() throws(PictureError) -> GDImage {
    guard let reader, let divisor = kind.divisor(of: header, orientation) else {
      return try GDDecoder.decode(bytes, as: header)
    }
    return try reader.smaller(by: divisor)
  }

  private func makePost(_ folder: inout OutputFolder) throws(PictureError)
    -> ImageJobReport.ImageResult
  {
    let fileExtension = kind.fileExtension(for: header.format)
    if !isHalved, let original = try originalOfPlanes() {
      try folder.add(original, .original, fileExtension)
      return try makeSmaller(of: decodedSmall(), orientation, &folder)
    }
    let image = try decodedOriginal().turned(by: orientation)
    try folder.add(encode(image, header.format, .original), .original, fileExtension)
    return try makeSmaller(of: image, .upright, &folder)
  }

  /// The decoded picture in the size of the original.
  private func decodedOriginal() throws(PictureError) -> GDImage {
    if isHalved, let reader { return try reader.smaller(by: 2) }
    let whole = try GDDecoder.decode(bytes, as: header)
    guard isHalved else { return whole }
    return try whole.resampled(
      from: Area(left: 0, top: 0, width: whole.width, height: whole.height), width: size.width,
      height: size.height)
  }

  /// A JPEG in its full size, made without pixels; nil if that is not possible.
  private func originalOfPlanes() throws(PictureError) -> [UInt8]? {
    guard
      let encoded = try reader?.planes()?.turned(by: orientation)?.encoded(
        quality: GDEncoder.Setting.original.quality)
    else { return nil }
    return try MetadataStripper.rewrite(encoded, .jpeg, encoder.profile)
  }

  /// The variants shown on pages. Rotates them upright after they were resized, since rotating the
  /// full size would take twice the memory.
  private func makeSmaller(
    of image: GDImage, _ orientation: Orientation, _ folder: inout OutputFolder
  ) throws(PictureError) -> ImageJobReport.ImageResult {
    let format = header.format
    let fileExtension = kind.fileExtension(for: format)
    let small = try mediumImage(of: image, orientation)
    let thumb = try thumbImage(of: image, medium: small).turned(by: orientation)
    let medium = try small.turned(by: orientation)
    try folder.add(encode(medium, format, .smaller), .medium, fileExtension)
    try folder.add(encode(thumb, format, .smaller), .thumb, fileExtension)
    let hasWebP = format == .jpeg && medium.height <= GDEncoder.webPSide
    if hasWebP {
      try folder.add(encode(medium, .webp, .smaller), .medium, "webp")
      try folder.add(encode(thumb, .webp, .smaller), .thumb, "webp")
    }
    return ImageJobReport.ImageResult(
      width: upright.width, height: upright.height, fileExtension: fileExtension,
      hasWebP: hasWebP, bytes: folder.bytes)
  }

  private func makeAvatar(_ folder: inout OutputFolder) throws(PictureError)
    -> ImageJobReport.ImageResult
  {
    let image = try decodedSmall().turned(by: orientation)
    let square = Area.centreSquare(width: image.width, height: image.height)
    let side = min(square.width, PictureVariant.avatarSide)
    var original = try image.resampled(from: square, width: side, height: side)
    if header.hasAlpha { original = try original.flattened() }
    let thumbSide = min(side, PictureVariant.thumbSide)
    let thumb = try original.resampled(
      from: .centreSquare(width: side, height: side), width: thumbSide, height: thumbSide)
    try folder.add(encode(original, .jpeg, .original), .original, "jpg")
    try folder.add(encode(thumb, .jpeg, .smaller), .thumb, "jpg")
    return ImageJobReport.ImageResult(
      width: side, height: side, fileExtension: "jpg", hasWebP: false, bytes: folder.bytes)
  }

  /// The picture at the width that is medium after rotation.
  private func mediumImage(
    of image: GDImage, _ orientation: Orientation
  ) throws(PictureError) -> GDImage {
    guard upright.width > PictureVariant.mediumWidth else { return image }
    let short = PictureVariant.mediumWidth
    let long = max(1, (upright.height * short + upright.width / 2) / upright.width)
    let (width, height) = orientation.swapsSides ? (long, short) : (short, long)
    if image.isTrueColour, !header.hasAlpha, image.width < 2 * width, image.height < 2 * height {
      return try image.interpolated(width: width, height: height)
    }
    return try image.resampled(
      from: Area(left: 0, top: 0, width: image.width, height: image.height), width: width,
      height: height)
  }

  /// Cropped from the medium picture if that is large enough, which is much faster.
  private func thumbImage(of image: GDImage, medium: GDImage) throws(PictureError) -> GDImage {
    let side = min(image.width, image.height, PictureVariant.thumbSide)
    let source = min(medium.width, medium.height) >= side ? medium : image
    return try source.resampled(
      from: .centreSquare(width: source.width, height: source.height), width: side, height: side)
  }

  private func encode(_ image: GDImage, _ format: PictureFormat, _ setting: GDEncoder.Setting)
    throws(PictureError) -> [UInt8]
  {
    try encoder.encode(image, format, setting, hasAlpha: header.hasAlpha)
  }
}

extension PictureKind {
  /// The largest of 2, 4 and 8 by which a picture can be divided before it is resized, so that each
  /// variant but the original is still made of a larger one; nil if it cannot.
  func divisor(of header: PictureHeader, _ orientation: Orientation) -> Int? {
    let shorter = min(header.width, header.height)
    let uprightWidth = orientation.swapsSides ? header.height : header.width
    return [8, 4, 2].first { divisor in
      switch self {
      case .avatar, .photoAvatar: shorter / divisor >= PictureVariant.avatarSide
      case .post, .photo, .photoPost:
        uprightWidth / divisor >= PictureVariant.mediumWidth
          && shorter / divisor >= PictureVariant.thumbSide
      }
    }
  }
}
