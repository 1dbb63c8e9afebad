import Cheif
import Images

/// A HEIC picture, decoded with libheif; runs in the child process only.
final class HEIFReader {
  private let context: OpaquePointer
  private let handle: OpaquePointer

  /// Reads the structure of a file. Throws `unsupportedFormat` for kinds that libheif does not know,
  /// `damaged` and `tooManyPixels`.
  init(_ bytes: [UInt8]) throws(PictureError) {
    guard let context = heif_context_alloc() else { throw .failed("no memory for libheif") }
    var handle: OpaquePointer?
    // A copy is made: the bytes need not stay.
    var result = heif_context_read_from_memory(context, bytes, bytes.count, nil)
    if result.code == heif_error_Ok {
      result = heif_context_get_primary_image_handle(context, &handle)
    }
    guard let handle else {
      heif_context_free(context)
      throw Self.error(result)
    }
    self.context = context
    self.handle = handle
    try PictureLimits.photo.check(width: width, height: height)
  }

  deinit {
    heif_image_handle_release(handle)
    heif_context_free(context)
  }

  private static func error(_ result: heif_error) -> PictureError {
    let unknown = [heif_error_Unsupported_filetype, heif_error_Unsupported_feature]
    return unknown.contains(result.code) ? .unsupportedFormat(.heic) : .damaged
  }

  /// Size in px, after rotation.
  var width: Int { Int(heif_image_handle_get_width(handle)) }
  var height: Int { Int(heif_image_handle_get_height(handle)) }

  /// Gives `body` the upright pixels, as red, green and blue, and the bytes of a row.
  func decode<Result>(
    _ body: (_ pixels: UnsafePointer<UInt8>, _ rowBytes: Int) throws(PictureError) -> Result
  ) throws(PictureError) -> Result {
    heif_context_set_max_decoding_threads(context, 0)
    var image: OpaquePointer?
    let result = heif_decode_image(
      handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGB, nil)
    guard let image else { throw Self.error(result) }
    defer { heif_image_release(image) }
    var rowBytes: Int32 = 0
    guard let pixels = heif_image_get_plane_readonly(image, heif_channel_interleaved, &rowBytes),
      Int(heif_image_get_width(image, heif_channel_interleaved)) == width,
      Int(heif_image_get_height(image, heif_channel_interleaved)) == height
    else { throw .damaged }
    return try body(pixels, Int(rowBytes))
  }

  /// The picture's ICC profile.
  var profile: ColourProfile? {
    let count = heif_image_handle_get_raw_color_profile_size(handle)
    guard (1...ColourProfile.limit).contains(count) else { return nil }
    var profile = [UInt8](repeating: 0, count: count)
    guard heif_image_handle_get_raw_color_profile(handle, &profile).code == heif_error_Ok else {
      return nil
    }
    return ColourProfile(profile)
  }

  /// The TIFF structure of the EXIF block; nil if there is none, or one that a JPEG can't hold.
  var exif: [UInt8]? {
    var id = heif_item_id()
    guard heif_image_handle_get_list_of_metadata_block_IDs(handle, "Exif", &id, 1) == 1 else {
      return nil
    }
    let count = heif_image_handle_get_metadata_size(handle, id)
    guard (12...65_000).contains(count) else { return nil }
    var block = [UInt8](repeating: 0, count: count)
    guard heif_image_handle_get_metadata(handle, id, &block).code == heif_error_Ok else {
      return nil
    }
    // ISO/IEC 23008-12, annex A.2.1: how far the structure is away.
    let start = 4 + block.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    return start + 8 < count ? Array(block[start...]) : nil
  }
}
