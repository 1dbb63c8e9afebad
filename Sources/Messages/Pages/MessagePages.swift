import Core
import Web

/// The pages of this module, with their routes: all for members, and in no cache.
struct MessagePages {
  let routes: [Route]

  /// Compiles the pages. Throws `TemplateError`.
  init(_ services: MessagesEnvironment) throws {
    let list = try ConversationListPages(services)
    let one = try ConversationPages(services)
    let couple = try CoupleMessagePages(services)
    let change = try ChangeMessagePages(services)
    let settings = try MessageSettingsPages(services)
    let mute = try MutedHoursPages(services)
    let search = try MessageSearchPages(services)
    let pictures = try MessagePicturePages(services)
    let path = "\(MessageLinks.messages)/:id"
    let message = "\(path)/:message"
    routes = [
      Self.get(MessageLinks.messages, list.show),
      Self.get(MessageLinks.settings, settings.show),
      Self.post(MessageLinks.settings, settings.save),
      Self.get(MessageLinks.search, search.showAll),
      Self.get(path, one.show),
      Route(
        .post, path, .atLeast(.member), options: [.noStore, .closedToSuspended, .paragraphs],
        bodyLimit: 256 << 20, handler: one.send),
      Self.get("\(path)/search", search.showOne),
      Self.get("\(path)/settings", mute.show),
      Self.post("\(path)/settings", mute.save),
      Self.post("\(path)/accept", options: .closedToSuspended, one.accept),
      Self.post("\(path)/decline", one.decline),
      Self.post("\(path)/withdraw", one.withdraw),
      Self.get("\(message)/edit", options: .closedToSuspended, change.showEdit),
      Self.post("\(message)/edit", options: [.closedToSuspended, .paragraphs], change.edit),
      Self.get("\(message)/delete", change.askDelete),
      Self.post("\(message)/delete", change.delete),
      Self.post("\(message)/react", options: .closedToSuspended, one.react),
      Self.get("\(message)/pictures/:number", pictures.show),
      Self.get("/couples/:id/message", options: .closedToSuspended, couple.show),
      Route(
        .post, "/couples/:id/message", .atLeast(.member),
        options: [.noStore, .closedToSuspended, .paragraphs], bodyLimit: 256 << 20,
        handler: couple.send),
    ]
  }

  private static func get(
    _ path: String, options: Route.Options = [], _ handler: @escaping Handler
  ) -> Route {
    Route(.get, path, .atLeast(.member), options: options.union(.noStore), handler: handler)
  }

  private static func post(
    _ path: String, options: Route.Options = [], _ handler: @escaping Handler
  ) -> Route {
    Route(.post, path, .atLeast(.member), options: options.union(.noStore), handler: handler)
  }
}
