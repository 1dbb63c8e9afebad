import Core
import Templates
import Web

/// The content of `/checkin/contacts/{id}/channels`.
struct ChannelsView: FormContent {
  let contact: Contact
  let channels: [ChannelView]
  let offers: [ChannelOfferView]
  let recipient: String
  let errors: [String: String]

  init(
    contact: Contact, channels: [ContactChannel], offers: ChannelOffers, errors: [String: String],
    _ context: Context
  ) {
    self.contact = contact
    self.errors = errors
    self.channels = channels.map { channel in
      ChannelView(
        channel, label: offers.find(channel.offer)?.label(in: context.language),
        error: errors["code-\(channel.id)"], context)
    }
    self.offers = offers.all.map { offer in
      ChannelOfferView(
        offer: offer, isChosen: context.form["offer"] == offer.name, language: context.language)
    }
    recipient = context.form["recipient"]
  }

  private var hasRoom: Bool {
    channels.count < ContactChannel.maximumCount && !offers.isEmpty && contact.state != .refused
  }

  static let fields: [String: Field<ChannelsView>] = formFields(
    errors: ["offer", "recipient"],
    [
      "action": .text { CheckInLinks.channels($0.contact.id) },
      "contacts_link": .text { _ in CheckInLinks.contacts },
      "name": .text { $0.contact.shownName },
      "channels": .list { $0.channels },
      "has_channels": .flag { !$0.channels.isEmpty },
      "has_room": .flag { $0.hasRoom },
      "full": .flag { $0.channels.count >= ContactChannel.maximumCount },
      "refused": .flag { $0.contact.state == .refused },
      "offers": .list { $0.offers },
      "recipient": .text { $0.recipient },
    ]
  ).merging([
    "errors": .optional { view in
      ErrorsView(
        view.errors, order: view.channels.map { "code-\($0.id)" } + ["offer", "recipient"])
    }
  ]) { $1 }
}

/// One of a contact's channels.
struct ChannelView: View {
  let id: String
  let label: String
  let recipient: String
  let state: String
  let isBad: Bool
  let isUnproven: Bool
  /// Whether a code can be entered.
  let waitsForCode: Bool
  let error: String?
  /// A code that was entered and is wrong.
  let code: String
  let removeLink: String

  /// `label` is nil for a service that the operator no longer offers.
  init(_ channel: ContactChannel, label: String?, error: String?, _ context: Context) {
    id = channel.id.description
    removeLink = CheckInLinks.removal(channel)
    self.label = label ?? channel.offer
    recipient = channel.shownRecipient
    self.error = error
    code = error == nil ? "" : context.form["code"]
    let state = channel.state(at: context.now)
    isUnproven = state == .unproven
    isBad = label == nil || state == .failing || state == .old
    waitsForCode = label != nil && channel.codeSentAt != nil
    self.state = Self.text(of: channel, state, isOffered: label != nil, context)
  }

  private static func text(
    of channel: ContactChannel, _ state: ContactChannel.State, isOffered: Bool, _ context: Context
  ) -> String {
    let when = DateFormatting(context)
    func day(_ moment: Instant?) -> [String: String] {
      ["when": moment.map(when.moment) ?? ""]
    }
    guard isOffered else { return context.text("channel_state.gone") }
    switch state {
    case .unproven: return context.text("channel_state.unproven")
    case .works: return context.text("channel_state.works", day(channel.provenAt))
    case .old: return context.text("channel_state.old", day(channel.provenAt))
    case .failing: return context.text("channel_state.failing", day(channel.failedAt))
    }
  }

  static let fields: [String: Field<ChannelView>] = [
    "id": .text { $0.id },
    "label": .text { $0.label },
    "recipient": .text { $0.recipient },
    "state": .text { $0.state },
    "bad": .flag { $0.isBad },
    "unproven": .flag { $0.isUnproven },
    "waits_for_code": .flag { $0.waitsForCode },
    "code": .text { $0.code },
    "code_error": .optionalText { $0.error },
    "remove_link": .text { $0.removeLink },
  ]
}

/// A service to choose.
struct ChannelOfferView: View {
  let offer: ChannelOffer
  let isChosen: Bool
  let language: Language

  static let fields: [String: Field<ChannelOfferView>] = [
    "value": .text { $0.offer.name },
    "label": .text { $0.offer.label(in: $0.language) },
    "example": .text { $0.offer.example },
    "cost": .optionalText { $0.offer.cost(in: $0.language) },
    "chosen": .flag { $0.isChosen },
  ]
}
