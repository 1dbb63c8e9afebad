import Core
import Templates

/// The question to a viewer whose browser is in another time zone than their days: on every page,
/// until it is answered.
struct TravelView: View {
  let zone: String
  let question: String
  let move: String
  let stay: String

  /// Nil if there is nothing to ask.
  init?(_ context: Context) {
    guard let there = context.browserTimeZone,
      PersonTimeZone.asksToMove(from: context.viewer?.timeZone, to: there, at: context.now)
    else { return nil }
    let elsewhere = PersonTimeZone(kept: nil, browser: there, site: there)
    zone = there
    question = context.text(
      "travel.question",
      ["city": TimeZoneNames.city(there, in: context.language), "time": context.timeZoneName])
    move = context.text("travel.move", ["time": context.timeZoneName(for: elsewhere)])
    stay = context.text("travel.stay", ["time": context.timeZoneName])
  }

  static let fields: [String: Field<TravelView>] = [
    "action": .text { _ in "/settings/zone" },
    "zone": .text { $0.zone },
    "question": .text { $0.question },
    "move": .text { $0.move },
    "stay": .text { $0.stay },
  ]
}
