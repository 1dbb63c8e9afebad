import Accounts
import Core
import Templates
import Web

/// The couple, its first day and its next anniversary: at the side of the feed and on the profile.
struct AnniversaryBadgeView: View {
  let couple: ID<Couple>
  let name: String
  let people: [Viewer.Avatar]
  let days: DaysTogetherView?
  let since: String?
  let nextAnniversary: String?
  /// The same, if it is within the next 30 days.
  let soonAnniversary: String?

  init(_ card: CoupleProfile, when: DateFormatting, _ context: Context) {
    self.init(
      card.id, name: card.name, people: card.people, since: card.anniversary, when: when, context)
  }

  init(
    _ couple: ID<Couple>, name: String, people: [Viewer.Avatar], since anniversary: LocalDay?,
    when: DateFormatting, _ context: Context
  ) {
    self.couple = couple
    self.name = name
    self.people = people
    days = when.daysTogether(since: anniversary).map(DaysTogetherView.init)
    since = anniversary.map(when.day)
    let next = anniversary.flatMap { Anniversary(after: when.today, since: $0) }
    nextAnniversary = next.map { Self.words($0, context) }
    soonAnniversary = next.flatMap { $0.daysLeft <= 30 ? Self.words($0, context) : nil }
  }

  private static func words(_ next: Anniversary, _ context: Context) -> String {
    let parameters = ["years": String(next.years), "days": String(next.daysLeft)]
    let key =
      switch next.daysLeft {
      case 0: "couple.years_today"
      case 1: "couple.years_tomorrow"
      default: "couple.years_in_days"
      }
    return context.text(key, parameters, count: next.years)
  }

  static let fields: [String: Field<AnniversaryBadgeView>] = [
    "couple_name": .text { $0.name },
    "couple_link": .text { FeedLinks.couple($0.couple) },
    "people": .list { $0.people.map(AvatarView.init) },
    "days": .optional { $0.days },
    "since": .optionalText { $0.since },
    "next_anniversary": .optionalText { $0.nextAnniversary },
  ]
}

/// The next anniversary of a day; 29 February falls on 1 March in other years.
struct Anniversary: Equatable {
  let years: Int
  let daysLeft: Int

  /// Nil if the first day is in the future.
  init?(after today: LocalDay, since first: LocalDay) {
    guard first <= today else { return nil }
    let (year, month, day) = first.components
    for candidate in today.components.year...(today.components.year + 1) {
      let years = candidate - year
      let next =
        LocalDay(year: candidate, month: month, day: day)
        ?? LocalDay(year: candidate, month: 3, day: 1)
      if years > 0, let next, next >= today {
        self.years = years
        daysLeft = next.number - today.number
        return
      }
    }
    return nil
  }
}
