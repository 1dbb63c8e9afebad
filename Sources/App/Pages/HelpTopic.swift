import Accounts
import Album
import CheckIn
import Feed
import Groups
import Messages
import Workouts

/// A subject of the help pages; the raw value is its part of the address.
enum HelpTopic: String, CaseIterable {
  case couples, feed, messages
  case checkIn = "check-in"
  case emergencyContact = "emergency-contact"
  case album, workouts, groups, account

  var path: String { "\(AccountLinks.help)/\(rawValue)" }

  /// The beginning of the keys of its texts.
  var textKey: String { "help.\(rawValue.replacing("-", with: "_"))" }

  var icon: String {
    switch self {
    case .couples: "people"
    case .feed: "home"
    case .messages: "comment"
    case .checkIn: "ghost"
    case .emergencyContact: "mail"
    case .album: "image"
    case .workouts: "bike"
    case .groups: "compass"
    case .account: "shield"
    }
  }

  /// The pages that it is about, with the keys of their names.
  var pages: [(path: String, textKey: String)] {
    switch self {
    case .couples: [(AccountLinks.register, "register.title"), (AccountLinks.pair, "pair.title")]
    case .feed: [(FeedLinks.feed(after: nil), "tab.feed"), (FeedLinks.search, "search.title")]
    case .messages:
      [(MessageLinks.messages, "messages.title"), (MessageLinks.settings, "messages.settings")]
    case .checkIn:
      [
        (CheckInLinks.page, "checkin.title"), (CheckInLinks.settings, "checkin_settings.title"),
        (CheckInLinks.contacts, "contact_list.title"),
      ]
    case .emergencyContact: [(AccountLinks.privacy, "footer.privacy")]
    case .album: [(AlbumLinks.album, "album.title"), (StoriesLinks.page, "stories.title")]
    case .workouts:
      [(WorkoutLinks.history, "workout.title"), (WorkoutLinks.record, "record.title")]
    case .groups: [(GroupsLinks.groups, "groups.title"), (GroupsLinks.join, "join.title")]
    case .account:
      [(AccountLinks.settings, "settings.title"), (AccountLinks.export, "export.title")]
    }
  }
}
