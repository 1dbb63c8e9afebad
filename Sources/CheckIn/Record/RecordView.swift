import Core
import Templates
import Web

/// The page of the record.
struct RecordView: View {
  let lines: [RecordLineView]
  /// The link to the page of older lines.
  let older: String?

  static let fields: [String: Field<RecordView>] = [
    "empty": .flag { $0.lines.isEmpty },
    "lines": .list { $0.lines },
    "older": .optionalText { $0.older },
    "checkin_link": .text { _ in CheckInLinks.page },
    "json_link": .text { _ in CheckInLinks.recordJSON },
  ]
}

/// A line: when, and what.
struct RecordLineView: View {
  let iso: String
  let when: String
  let text: String

  init(_ line: RecordLine, _ formatter: RecordFormatter) {
    iso = line.at.rfc3339
    when = formatter.when.moment(line.at)
    text = formatter.text(line)
  }

  static let fields: [String: Field<RecordLineView>] = [
    "iso": .text { $0.iso },
    "when": .text { $0.when },
    "words": .text { $0.text },
  ]
}

/// Formats lines of the record as sentences.
struct RecordFormatter {
  let context: Context
  /// The names of the present contacts.
  let names: [ID<Contact>: String]
  let offers: ChannelOffers

  var when: DateFormatting { DateFormatting(context) }

  func text(_ line: RecordLine) -> String {
    let day = line.day.map(when.day) ?? ""
    switch line.event {
    case .tapped:
      return context.text(Self.tapped(line.detail), ["day": day])
    case .reminded: return context.text("checkin_record.reminded")
    case .warned: return context.text("checkin_record.warned")
    case .held where line.detail == RecordEvent.noContact:
      return context.text("checkin_record.no_contact")
    case .held: return context.text("checkin_record.held")
    case .due where line.detail.hasSuffix("h"):
      return context.text("checkin_record.due_hours", ["hours": String(line.detail.dropLast())])
    case .due: return context.text("checkin_record.due", count: Int(line.detail) ?? 0)
    case .sent, .failed: return text(ofMessage: line)
    case .looking: return context.text("checkin_record.looking", ["name": name(line)])
    case .timerStarted:
      return context.text("checkin_record.timer_started", count: Int(line.detail) ?? 0)
    case .timerExtended: return context.text("checkin_record.timer_extended")
    case .timerEnded: return context.text("checkin_record.timer_ended")
    case .timerDue: return context.text("checkin_record.timer_due")
    case .helpCalled: return context.text("checkin_record.help_called")
    case .sheet: return context.text("checkin_record.sheet", ["name": name(line)])
    case .exercise: return context.text("checkin_record.exercise", ["name": name(line)])
    case .answered: return context.text("checkin_record.answered", ["name": name(line)])
    case .repeated: return context.text("checkin_record.repeated")
    case .reached: return context.text("checkin_record.reached", ["name": name(line)])
    case .ended: return context.text("checkin_record.ended")
    case .paused: return context.text("checkin_record.paused", ["day": day])
    case .resumed: return context.text("checkin_record.resumed")
    }
  }

  /// A mail, or a message by a channel, whose name is behind its kind.
  private func text(ofMessage line: RecordLine) -> String {
    let words = line.detail.split(separator: " ").map(String.init)
    let isSent = line.event == .sent
    func label(_ offer: String) -> String {
      offers.find(offer)?.label(in: context.language) ?? offer
    }
    if isSent, words.count == 3, words[1] == WatchmanService.name {
      return context.text(
        "checkin_record.sent_watchman_by", ["name": name(line), "channel": label(words[2])])
    }
    guard words.count == 2, words[1] != WatchmanService.name else {
      return context.text(
        isSent ? Self.sent(line.detail) : "checkin_record.failed", ["name": name(line)])
    }
    let kind = ContactMailKind(rawValue: words[0]).map { context.text(ContactMailView.key($0)) }
    return context.text(
      isSent ? "checkin_record.sent_by" : "checkin_record.failed_by",
      [
        "kind": kind ?? words[0], "name": name(line), "channel": label(words[1]),
      ])
  }

  private func name(_ line: RecordLine) -> String {
    line.contact.flatMap { names[$0] } ?? context.text("checkin_record.a_contact")
  }

  private static func tapped(_ detail: String) -> String {
    switch detail {
    case "offline": "checkin_record.tapped_offline"
    case SignOfLife.post.rawValue: "checkin_record.tapped_post"
    case SignOfLife.workout.rawValue: "checkin_record.tapped_workout"
    case SignOfLife.ping.rawValue: "checkin_record.tapped_ping"
    default: "checkin_record.tapped"
    }
  }

  private static func sent(_ kind: String) -> String {
    if kind.hasPrefix("\(ContactMailKind.alert.rawValue) \(WatchmanService.name)") {
      return "checkin_record.sent_watchman"
    }
    return switch ContactMailKind(rawValue: kind) {
    case .alert: "checkin_record.sent_alert"
    case .allClear: "checkin_record.sent_all_clear"
    case .reached: "checkin_record.sent_reached"
    case .weekly: "checkin_record.sent_weekly"
    case .code: "checkin_record.sent_code"
    case .exercise: "checkin_record.sent_exercise"
    default: "checkin_record.sent_introduction"
    }
  }
}
