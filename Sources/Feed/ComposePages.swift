import Accounts
import Basics
import Database
import HTTPTypes
import Images
import Secrets
import Templates
import Web

/// POST `/posts`: words and pictures become a post, once; if anything is wrong, the form comes
/// back with the words and the good pictures.
struct ComposePages {
  private let services: FeedServices
  private let page: Template<ComposeView>

  init(_ services: FeedServices) throws {
    self.services = services
    page = try services.site.templates.template("feed/compose")
  }

  @Sendable func send(_ request: Request, _ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    guard viewer.mayPost else { throw Problem.forbidden }
    var sent = try SentPost(context.form, viewer: viewer, drafts: services.drafts)
    let hash = try sent.hash()
    if let before = try answered(sent, hash, viewer) { return .seeOther(before) }
    try takePictures(&sent, viewer, context)
    sent.checkWords(context)
    guard sent.errors.isEmpty, sent.failed.isEmpty else { return again(sent, context) }
    let link = try PostMaking(services: services).make(
      sent, hash: hash, by: viewer, now: context.now)
    context.setCookie("visibility", sent.visibility.rawValue, maxAge: .days(365))
    context.say("toast.posted")
    return .seeOther(link)
  }

  /// The same form with the same content was sent before: the same answer, no second post.
  private func answered(_ sent: SentPost, _ hash: [UInt8], _ viewer: Viewer) throws -> String? {
    guard !sent.nonce.isEmpty else { return nil }
    return try services.site.database.write {
      try services.answers.location(of: sent.nonce, hash: hash, from: viewer, in: $0)
    }
  }

  // MARK: Pictures

  /// Makes every picture that came and keeps it as a draft, so that nothing good is lost if
  /// something else is wrong.
  private func takePictures(
    _ sent: inout SentPost, _ viewer: Viewer, _ context: Context
  ) throws {
    if sent.isTooMuchTogether {
      sent.errors["images"] = context.text("error.images_total")
      return
    }
    guard sent.keptCount + sent.files.count <= PostRules.imagesMost else {
      sent.errors["images"] = context.text("error.images_many")
      return
    }
    for (file, description) in sent.files {
      if file.tooLarge {
        sent.failed.append(
          FailedPicture(name: file.fileName, message: context.text("error.image_large")))
        continue
      }
      do throws(PictureError) {
        let draft = try PostMaking(services: services).draft(
          file.path, of: viewer, now: context.now)
        sent.add(draft, description: description)
      } catch {
        sent.failed.append(
          FailedPicture(name: file.fileName, message: try words(error, &sent, context)))
      }
    }
    if !sent.failed.isEmpty && sent.errors["images"] == nil {
      sent.errors["images"] = context.text("error.images_some", count: sent.failed.count)
    }
  }

  private func words(
    _ problem: PictureError, _ sent: inout SentPost, _ context: Context
  ) throws -> String {
    switch problem {
    case .busy:
      sent.isBusy = true
      return context.text("error.image_busy")
    case .tooManyBytes: return context.text("error.image_large")
    case .tooManyPixels: return context.text("error.image_pixels")
    case .unsupportedFormat: return context.text("error.image_format")
    case .damaged: return context.text("error.image_broken")
    case .failed(let reason):
      context.site.logger.error("picture: \(reason)", metadata: ["request": "\(context.requestID)"])
      return context.text("error.image_failed")
    }
  }

  private func again(_ sent: SentPost, _ context: Context) -> Response {
    let view = ComposeView(
      page: PageView(context, title: "compose.title"), composer: sent.view())
    var response = Response.html(
      page.render(view, in: context.language),
      status: sent.isBusy ? .serviceUnavailable : .unprocessableContent)
    if sent.isBusy { response.headers[.retryAfter] = "5" }
    return response
  }
}

struct ComposeView: View {
  let page: PageView
  let composer: ComposerView

  static let fields: [String: Field<ComposeView>] = [
    "page": .child { $0.page },
    "composer": .child { $0.composer },
  ]
}
