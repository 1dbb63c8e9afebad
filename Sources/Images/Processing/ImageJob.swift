/// Makes the files of one picture; runs in the child process only.
struct ImageJob {
  let header: PictureHeader
  private let kind: PictureKind
  private let image: GDImage
  /// Rotation that remains to be applied to the results.
  private let orientation: Orientation
  private let encoder: GDEncoder

  /// Decodes the file and rotates it upright. A photo is rotated only after it was resized, since
  /// rotating the full size would take twice the memory.
  init(file: String, kind: PictureKind) throws(PictureError) {
    self.kind = kind
    let bytes = try PictureFile.read(file, of: kind.limits.bytes)
    header = try PictureHeader.identify(bytes, limits: kind.limits)
    let turn = Orientation(exif: header.exif)
    let decoded = try GDDecoder.decode(bytes, as: header)
    image = kind == .photo ? decoded : try decoded.turned(by: turn)
    orientation = kind == .photo ? turn : .upright
    encoder = GDEncoder(profile: ColourProfile(of: header))
  }

  /// Writes all variants for the kind into a folder.
  func make(id: String, into directory: String) throws(PictureError)
    -> ImageJobReport.ImageResult
  {
    var folder = OutputFolder(directory: directory, id: id)
    do throws(PictureError) {
      let image =
        switch kind {
        case .post: try makePost(&folder)
        case .avatar: try makeAvatar(&folder)
        case .photo: try makePhoto(&folder)
        }
      try folder.publish()
      return image
    } catch {
      PictureFiles.remove(id: id, in: directory)
      throw error
    }
  }

  private func makePost(_ folder: inout OutputFolder) throws(PictureError)
    -> ImageJobReport.ImageResult
  {
    let fileExtension = kind.fileExtension(for: header.format)
    try folder.add(encode(image, header.format, .original), .original, fileExtension)
    return try makeSmaller(&folder, upright: (image.width, image.height))
  }

  private func makePhoto(_ folder: inout OutputFolder) throws(PictureError)
    -> ImageJobReport.ImageResult
  {
    try makeSmaller(
      &folder,
      upright: orientation.swapsSides
        ? (image.height, image.width) : (image.width, image.height))
  }

  /// The variants shown on pages, rotated upright.
  private func makeSmaller(
    _ folder: inout OutputFolder, upright: (width: Int, height: Int)
  ) throws(PictureError) -> ImageJobReport.ImageResult {
    let format = header.format
    let fileExtension = kind.fileExtension(for: format)
    let small = try mediumImage(upright: upright)
    let thumb = try thumbImage(medium: small).turned(by: orientation)
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
    upright: (width: Int, height: Int)
  ) throws(PictureError) -> GDImage {
    guard upright.width > PictureVariant.mediumWidth else { return image }
    let short = PictureVariant.mediumWidth
    let long = max(1, (upright.height * short + upright.width / 2) / upright.width)
    let (width, height) = orientation.swapsSides ? (long, short) : (short, long)
    return try image.resampled(
      from: Area(left: 0, top: 0, width: image.width, height: image.height), width: width,
      height: height)
  }

  /// Cropped from the medium picture if that is large enough, which is much faster.
  private func thumbImage(medium: GDImage) throws(PictureError) -> GDImage {
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
