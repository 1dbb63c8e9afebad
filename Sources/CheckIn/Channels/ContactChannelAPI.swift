import Core
import Database
import Web

/// `/api/v1/checkin/contacts/{id}/channels` and `…/exercise`: how contacts are reached beside mail,
/// and whether they answer.
struct ContactChannelAPI {
  private let services: CheckInEnvironment

  private var service: ChannelService { ChannelService(services: services) }

  init(_ services: CheckInEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    let contact = "/checkin/contacts/:id"
    let channel = "\(contact)/channels/:channel_id"
    return [
      .api(
        .get, "\(contact)/channels", .atLeast(.guest),
        Operation(
          "List a contact's channels", .checkIn, note: "With the channels that the site offers."),
        options: .noStore, handler: list),
      .api(
        .post, "\(contact)/channels", .atLeast(.guest),
        Operation(
          "Add a channel", .checkIn,
          note: "A code is sent by it; the channel is used once the code was entered.",
          errors: [.rateLimited]),
        options: [.noStore, .idempotent], handler: add),
      .api(
        .post, "\(channel)/code", .atLeast(.guest),
        Operation("Send a new code", .checkIn, errors: [.rateLimited]), options: .noStore,
        handler: sendCode),
      .api(
        .post, "\(channel)/proof", .atLeast(.guest),
        Operation("Prove a channel by its code", .checkIn), options: .noStore, handler: prove),
      .api(
        .delete, channel, .atLeast(.guest), Operation("Remove a channel", .checkIn),
        handler: remove),
      .api(
        .post, "\(contact)/exercise", .atLeast(.guest),
        Operation(
          "Send a contact an exercise", .checkIn,
          note: "By mail and all proven channels. 404 if the contact can't be reached.",
          errors: [.rateLimited]),
        handler: exercise),
    ]
  }

  @Sendable private func list(_ context: Context) throws -> ContactChannelsResponse {
    let channels = try services.site.database.read { reader in
      try services.channels.all(of: services.ownContact(context, in: reader), in: reader)
    }
    return ContactChannelsResponse(
      channels: channels.map { ContactChannelResponse(channel: $0, now: context.now) },
      offers: services.channelOffers.all.map {
        ChannelOfferResponse(offer: $0, language: context.language)
      })
  }

  @Sendable private func add(
    _ input: ContactChannelRequest, _ context: Context
  ) throws -> Created<ContactChannelResponse> {
    try context.answering(
      {
        try services.site.database.write { writer in
          let contact = try services.ownContact(context, in: writer)
          guard contact.state != .refused else { throw Problem.notFound }
          let errors = try service.add(
            input.offer, input.recipient, to: contact, now: context.now, in: writer)
          guard errors.isEmpty else { throw Problem.invalid(errors) }
          guard let channel = try services.channels.all(of: contact, in: writer).last else {
            throw Problem.internalError
          }
          return ContactChannelResponse(channel: channel, now: context.now)
        }
      }, { Created($0) })
  }

  @Sendable private func sendCode(_ context: Context) throws -> NoContent {
    try services.site.database.write { writer in
      try service.sendCode(by: channel(context, in: writer), now: context.now, in: writer)
    }
    return NoContent()
  }

  @Sendable private func prove(
    _ input: ChannelProofRequest, _ context: Context
  ) throws -> ContactChannelResponse {
    try services.site.database.write { writer in
      let found = try channel(context, in: writer)
      guard try service.prove(found, by: input.code, now: context.now, in: writer) else {
        throw Problem.invalid(["code": FieldError("error.channel_code")])
      }
      return ContactChannelResponse(channel: try channel(context, in: writer), now: context.now)
    }
  }

  @Sendable private func remove(_ context: Context) throws -> NoContent {
    try services.site.database.write { writer in
      try service.remove(channel(context, in: writer), now: context.now, in: writer)
    }
    return NoContent()
  }

  @Sendable private func exercise(_ context: Context) throws -> NoContent {
    try services.site.database.write { writer in
      let count = try ExerciseService(services: services).start(
        with: [services.ownContact(context, in: writer)],
        of: services.card(context, in: writer), now: context.now, in: writer)
      guard count > 0 else { throw Problem.notFound }
    }
    return NoContent()
  }

  /// A channel of one of the viewer's contacts; throws 404 for others.
  private func channel(_ context: Context, in reader: ReadTransaction) throws -> ContactChannel {
    let id: ID<ContactChannel> = try context.id("channel_id")
    let all = try services.channels.all(of: services.ownContact(context, in: reader), in: reader)
    guard let channel = all.first(where: { $0.id == id }) else { throw Problem.notFound }
    return channel
  }
}

/// A new channel.
struct ContactChannelRequest: JSONRequest {
  var offer = ""
  var recipient = ""

  static let jsonName = "ChannelInput"
  static let jsonFields: [InputField<Self>] = [
    .required("offer", note: "The name of one of the offers.", example: "sms") { $0.offer = $1 },
    .required(
      "recipient", note: "A number or name, as the offer wants it.", example: "+886912345678"
    ) { $0.recipient = $1 },
  ]
}

/// A code that was sent by a channel.
struct ChannelProofRequest: JSONRequest {
  var code = ""

  static let jsonName = "ChannelProof"
  static let jsonFields: [InputField<Self>] = [
    .required("code", example: "KWTRAX") { $0.code = $1 }
  ]
}

/// A channel as shown to the user whose contact it is.
struct ContactChannelResponse: JSONResponse {
  let channel: ContactChannel
  let now: Instant

  static let jsonName = "Channel"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("id") { $0.channel.id },
    JSONField("offer", example: "sms") { $0.channel.offer },
    JSONField(
      "recipient", note: "Empty for a browser of the contact.", example: "+886912345678"
    ) { $0.channel.shownRecipient },
    JSONField("state", note: "A channel in state `unproven` is not used.") {
      $0.channel.state(at: $0.now)
    },
    JSONField("proven_at", note: "When its code was entered last; null if never.") {
      $0.channel.provenAt
    },
  ]
}

extension ContactChannel.State: JSONEnum {}

/// A service that the site offers for channels.
struct ChannelOfferResponse: JSONResponse {
  let offer: ChannelOffer
  let language: Language

  static let jsonName = "ChannelOffer"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("name", example: "sms") { $0.offer.name },
    JSONField("label", example: "SMS") { $0.offer.label(in: $0.language) },
    JSONField("cost", note: "A note about costs; null without one.") {
      $0.offer.cost(in: $0.language)
    },
    JSONField("example", example: "+886912345678") { $0.offer.example },
  ]
}

/// A contact's channels, and those that the site offers.
struct ContactChannelsResponse: JSONResponse {
  let channels: [ContactChannelResponse]
  let offers: [ChannelOfferResponse]

  static let jsonName = "Channels"
  static let jsonFields: [JSONField<Self>] = [
    JSONField("channels", note: "In order of use.") { $0.channels },
    JSONField("offers") { $0.offers },
  ]
}
