import Core
import Templates
import Web

/// The content of `/checkin/timer`.
struct TimerView: FormContent {
  let running: RunningTimerView?
  let hasContact: Bool
  let lengths: [ChoiceView]
  let graces: [ChoiceView]
  let note: String
  let sharesPlace: Bool
  let errors: [String: String]

  init(
    timer: CheckInTimer?, hasContact: Bool, entered: FormFields, errors: [String: String],
    _ context: Context
  ) {
    running = timer.map { RunningTimerView($0, DateFormatting(context), context) }
    self.hasContact = hasContact
    self.errors = errors
    note = entered["note"]
    sharesPlace = entered["share_place"] == "1"
    func choices(_ list: [Int], _ entered: String, _ fallback: Int) -> [ChoiceView] {
      list.map { minutes in
        ChoiceView(
          value: String(minutes), name: Self.text(minutes, context),
          isChosen: entered.isEmpty ? minutes == fallback : entered == String(minutes))
      }
    }
    lengths = choices(CheckInTimer.lengths, entered["minutes"], 60)
    graces = choices(CheckInTimer.graces, entered["grace"], 15)
  }

  private static func text(_ minutes: Int, _ context: Context) -> String {
    minutes < 60 || minutes % 60 != 0
      ? context.text("timer.minutes", count: minutes)
      : context.text("timer.hours", count: minutes / 60)
  }

  static let fields: [String: Field<TimerView>] = formFields(
    errors: ["minutes", "grace", "note"],
    [
      "action": .text { _ in CheckInLinks.timerPage },
      "contacts_link": .text { _ in CheckInLinks.contacts },
      "help_link": .text { _ in CheckInLinks.help },
      "running": .optional { $0.running },
      "has_contact": .flag { $0.hasContact },
      "lengths": .list { $0.lengths },
      "graces": .list { $0.graces },
      "note": .text { $0.note },
      "shares_place": .flag { $0.sharesPlace },
    ])
}

/// A running timer, on its page and on `/checkin`.
struct RunningTimerView: View {
  let id: String
  /// Nil on the check-in page once the contacts are notified, which the page says itself.
  let state: String?
  let note: String
  let isAlerted: Bool
  let isHelp: Bool
  let next: String

  init(
    _ timer: CheckInTimer, next: String = CheckInLinks.timerPage, _ when: DateFormatting,
    _ context: Context
  ) {
    id = timer.id.description
    note = timer.note
    self.next = next
    isAlerted = timer.alertedAt != nil
    isHelp = timer.isHelp
    if timer.alertedAt != nil && next == CheckInLinks.page {
      state = nil
    } else if timer.isHelp {
      state = context.text("help.alerted", ["when": when.moment(timer.endsAt)])
    } else if let at = timer.alertedAt {
      state = context.text("timer.alerted", ["when": when.moment(at)])
    } else {
      state = context.text(
        timer.endsAt <= context.now ? "timer.over" : "timer.runs",
        [
          "when": when.momentOrTime(timer.endsAt), "alert_at": when.momentOrTime(timer.alertAt),
        ])
    }
  }

  static let fields: [String: Field<RunningTimerView>] = [
    "timer_id": .text { $0.id },
    "timer_action": .text { _ in CheckInLinks.timerPage },
    "next": .text { $0.next },
    "state": .optionalText { $0.state },
    "timer_note": .text { $0.note },
    "alerted": .flag { $0.isAlerted },
    "is_help": .flag { $0.isHelp },
  ]
}
