import Accounts
import Core
import Templates
import Web

/// The content that concerns the viewer today, on top of the feed's first page.
struct HomeView: View {
  let today: HomeToday
  let memory: MemoryView?
  /// "Fifth anniversary in 12 days", if it is soon.
  let nextAnniversary: String?
  let coupleLink: String?
  let isAlone: Bool

  init(_ viewer: Viewer, today: HomeToday, together: AnniversaryBadgeView?, memory: MemoryView?) {
    self.today = today
    coupleLink = viewer.couple.map { FeedLinks.couple($0.id) }
    self.memory = memory
    nextAnniversary = together?.soonAnniversary
    isAlone = viewer.role >= .member && (viewer.couple.map { $0.status == .single } ?? true)
  }

  static let fields: [String: Field<HomeView>] = [
    "check_in_due": .optional {
      $0.today.checkIn == .due && $0.today.alert == nil
        ? LinkView(link: AccountLinks.checkIn) : nil
    },
    "timer": .optionalText { $0.today.timer },
    "alert": .optionalText { $0.today.alert },
    "checked_in": .optional {
      $0.today.checkIn == .done ? LinkView(link: AccountLinks.checkIn) : nil
    },
    "received": .list { $0.today.received },
    "groups": .list { $0.today.groups },
    "memory": .optional { $0.memory },
    "next_anniversary": .optionalText { $0.nextAnniversary },
    "couple_link": .optionalText { $0.coupleLink },
    "alone": .optional { $0.isAlone ? LinkView(link: AccountLinks.pair) : nil },
  ]
}

extension HomeToday.ReceivedAlert: View {
  public static let fields: [String: Field<HomeToday.ReceivedAlert>] = [
    "words": .text { $0.text },
    "link": .text { $0.path },
  ]
}

extension HomeToday.Group: View {
  public static let fields: [String: Field<HomeToday.Group>] = [
    "name": .text { $0.name },
    "link": .text { $0.path },
  ]
}

/// A link to a post of the same day in an earlier year.
struct MemoryView: View {
  let link: String
  /// "A year ago".
  let age: String
  let content: String

  init(_ memory: Memory, _ context: Context) {
    link = FeedLinks.post(memory.post)
    age = context.text("home.years_ago", count: memory.years)
    content = memory.content
  }

  static let fields: [String: Field<MemoryView>] = [
    "link": .text { $0.link },
    "age": .text { $0.age },
    "content": .text { $0.content },
  ]
}
