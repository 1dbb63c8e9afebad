import Core
import Images
import Templates
import Web

/// `/messages/{id}/{message}/pictures/{number}`: one picture of a message in full size, with links
/// to the previous and next one.
struct MessagePicturePages {
  private let services: MessagesEnvironment
  private let page: Page<FullMessagePictureView>

  init(_ services: MessagesEnvironment) throws {
    self.services = services
    page = try Page("messages/picture", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    let message = try MessageService(services: services).message(
      context.id("message"), in: context.id(), for: context.signedIn())
    guard
      let number = Int(
        context.parameters["number"] ?? "", in: 1...MessageRules.maximumPictures),
      number <= message.pictures.count
    else { throw Problem.notFound }
    let view = FullMessagePictureView(message: message, number: number)
    return page.response(view, context, title: .named(message.avatar.name))
  }
}

struct FullMessagePictureView: View {
  let message: Message
  /// Starts at 1.
  let number: Int

  private var picture: MessagePicture { message.pictures[number - 1] }

  private func link(_ number: Int) -> String? {
    1...message.pictures.count ~= number
      ? MessageLinks.picture(number, of: message.id, in: message.conversation) : nil
  }

  static let fields: [String: Field<FullMessagePictureView>] = [
    "name": .text { $0.message.avatar.name },
    "message_link": .text {
      MessageLinks.message($0.message.number, in: $0.message.conversation)
    },
    "source": .text { view in
      MessageLinks.file(
        view.picture, .original, of: view.message.id, in: view.message.conversation)
    },
    "alt": .text { $0.picture.description },
    "description": .optionalText {
      $0.picture.description.isEmpty ? nil : $0.picture.description
    },
    "width": .integer { $0.picture.width },
    "height": .integer { $0.picture.height },
    "number": .integer { $0.number },
    "several": .optional { view in
      view.message.pictures.count > 1
        ? PictureCountView(count: view.message.pictures.count) : nil
    },
    "before": .optionalText { $0.link($0.number - 1) },
    "after": .optionalText { $0.link($0.number + 1) },
  ]
}

/// The number of a message's pictures.
struct PictureCountView: View {
  let count: Int

  static let fields: [String: Field<PictureCountView>] = ["count": .integer { $0.count }]
}
