/// Makes the files of one picture; runs in the child process only.
struct PictureMaker {
  let header: PictureHeader
  private let image: GDImage
  private let encoder: GDEncoder

  /// Decodes the file, upright.
  init(file: String) throws(PictureError) {
    let bytes = try PictureFile.read(file)
    header = try PictureHeader.identify(bytes)
    image = try GDDecoder.decode(bytes, as: header)
      .turned(by: Orientation(exif: header.exif))
    encoder = GDEncoder(profile: ColourProfile(of: header))
  }

  /// Writes all variants for a kind into a folder.
  func make(_ kind: PictureKind, id: String, into directory: String) throws(PictureError)
    -> ChildReport.Made
  {
    var folder = OutputFolder(directory: directory, id: id)
    do throws(PictureError) {
      let made =
        switch kind {
        case .post: try makePost(&folder)
        case .avatar: try makeAvatar(&folder)
        }
      try folder.publish()
      return made
    } catch {
      PictureFiles.remove(id: id, in: directory)
      throw error
    }
  }

  private func makePost(_ folder: inout OutputFolder) throws(PictureError) -> ChildReport.Made {
    let format = header.format
    let fileExtension = PictureKind.post.fileExtension(for: format)
    let medium = try mediumImage()
    let thumb = try thumbImage(medium: medium)
    try folder.add(encode(image, format, .original), .original, fileExtension)
    try folder.add(encode(medium, format, .smaller), .medium, fileExtension)
    try folder.add(encode(thumb, format, .smaller), .thumb, fileExtension)
    let hasWebP = format == .jpeg && medium.height <= GDEncoder.webPSide
    if hasWebP {
      try folder.add(encode(medium, .webp, .smaller), .medium, "webp")
      try folder.add(encode(thumb, .webp, .smaller), .thumb, "webp")
    }
    return ChildReport.Made(
      width: image.width, height: image.height, fileExtension: fileExtension, hasWebP: hasWebP,
      bytes: folder.bytes)
  }

  private func makeAvatar(_ folder: inout OutputFolder) throws(PictureError) -> ChildReport.Made {
    let square = Area.centreSquare(width: image.width, height: image.height)
    let side = min(square.width, PictureVariant.avatarSide)
    var original = try image.resampled(from: square, width: side, height: side)
    if header.hasAlpha { original = try original.flattened() }
    let thumbSide = min(side, PictureVariant.thumbSide)
    let thumb = try original.resampled(
      from: .centreSquare(width: side, height: side), width: thumbSide, height: thumbSide)
    try folder.add(encode(original, .jpeg, .original), .original, "jpg")
    try folder.add(encode(thumb, .jpeg, .smaller), .thumb, "jpg")
    return ChildReport.Made(
      width: side, height: side, fileExtension: "jpg", hasWebP: false, bytes: folder.bytes)
  }

  private func mediumImage() throws(PictureError) -> GDImage {
    let width = PictureVariant.mediumWidth
    guard image.width > width else { return image }
    let height = max(1, (image.height * width + image.width / 2) / image.width)
    return try image.resampled(
      from: Area(left: 0, top: 0, width: image.width, height: image.height), width: width,
      height: height)
  }

  /// Cut from the medium picture where that is big enough, which is much faster.
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
