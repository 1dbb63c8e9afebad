import Accounts
import Core
import Foundation
import HTTPTypes
import Images
import Templates
import Web

/// `/join/picture`: a photo of a group's QR code, for browsers without a scanner. A PairSpot code
/// redirects to `/join`; the photo is not stored.
struct JoinPicturePage {
  /// Larger than the limit of a picture, so that an error message can be shown.
  static let bodyLimit = 13 << 20
  static let files = MultipartLimits(
    files: 1, fileBytes: PictureLimits.bytes, allFilesBytes: PictureLimits.bytes)
  /// Per address, which a whole hiking group may share.
  private static let perAddress = RateLimit("join-pictures", maximum: 60, window: .minutes(10))

  private let services: GroupsEnvironment
  private let imageProcessor: ImageProcessor
  private let form: Page<JoinFormView>

  init(_ services: GroupsEnvironment, imageProcessor: ImageProcessor) throws {
    self.services = services
    self.imageProcessor = imageProcessor
    form = try Page("groups/join", title: "join.title", in: services.site)
  }

  /// Redirects a reloaded page.
  @Sendable func show(_ context: Context) throws -> Response {
    .seeOther(GroupsLinks.join)
  }

  @Sendable func send(_ context: Context) throws -> Response {
    try services.limits.count(Self.perAddress, context.address, now: context.now)
    guard let file = context.form.files.first(where: { $0.fieldName == "picture" }) else {
      return wrong(FieldError("join.picture_missing"), context)
    }
    let texts: [String]
    do throws(PictureError) {
      guard !file.tooLarge else { throw .tooManyBytes }
      texts = try imageProcessor.codes(in: file.path)
    } catch {
      return wrong(try PictureErrorFormatter.error(for: error), context)
    }
    let codes = texts.compactMap { code(in: $0, context) }
    guard let first = codes.first else {
      return wrong(
        FieldError(texts.isEmpty ? "join.picture_none" : "join.picture_other"), context)
    }
    guard codes.allSatisfy({ $0 == first }) else {
      return wrong(FieldError("join.picture_several"), context)
    }
    return .seeOther(GroupsLinks.join(first))
  }

  /// A code alone, a PairSpot link, or a link of the previous app; nil for anything else.
  private func code(in text: String, _ context: Context) -> InviteCode? {
    if let code = InviteCode(text) { return code }
    let isOurs = ["\(context.site.baseURL)\(GroupsLinks.join)?", "hither://join?"].contains {
      text.hasPrefix($0)
    }
    return isOurs ? InviteCode(InviteLinkParser(text).code) : nil
  }

  private func wrong(_ error: FieldError, _ context: Context) -> Response {
    let view = JoinFormView(code: "", errors: ["picture": error.text(context)])
    return form.response(view, context, status: .unprocessableContent)
  }
}
