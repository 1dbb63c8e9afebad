import Accounts
import Core
import Templates
import Web

struct NoticesView: View {
  let days: [NoticeDayView]
  let isFirstPage: Bool
  /// Whether only those that were not read are listed.
  let isUnread: Bool
  /// The notice up to which "mark all read" reads; nil if all are read.
  let newest: ID<Notice>?
  let older: String?
  let pushKey: String
  /// Whether this browser has a push subscription.
  let isPushed: Bool
  /// Whether this browser has closed the offer of push notifications.
  let isPushDismissed: Bool

  static let fields: [String: Field<NoticesView>] = [
    "days": .list { $0.days },
    "empty": .flag { $0.days.isEmpty && $0.isFirstPage && !$0.isUnread },
    "all_read": .flag { $0.days.isEmpty && $0.isFirstPage && $0.isUnread },
    "only_unread": .flag { $0.isUnread },
    "all_link": .text { _ in NoticesLinks.notices },
    "unread_link": .text { _ in NoticesLinks.unread },
    "next": .text { $0.isUnread ? NoticesLinks.unread : NoticesLinks.notices },
    "newest": .optionalText { $0.newest?.description },
    "older": .optionalText { $0.older },
    "push_offered": .flag { $0.isFirstPage && !$0.isPushDismissed },
    "push_key": .text { $0.pushKey },
    "pushed": .flag { $0.isPushed },
    "read_link": .text { _ in NoticesLinks.read },
    "remove_link": .text { _ in NoticesLinks.remove },
    "settings_link": .text { _ in NoticesLinks.settings },
  ]
}

/// The notices of today, of yesterday, of the week before or of the time before that, by days in the
/// viewer's time zone.
struct NoticeDayView: View {
  private enum Span {
    case today
    case yesterday
    case week
    case earlier

    init(_ day: LocalDay, today: LocalDay) {
      switch today.days(since: day) {
      case ...0: self = .today
      case 1: self = .yesterday
      case 2..<7: self = .week
      default: self = .earlier
      }
    }
  }

  let name: String
  let notices: [NoticeView]

  static let fields: [String: Field<NoticeDayView>] = [
    "name": .text { $0.name },
    "notices": .list { $0.notices },
  ]

  static func days(_ notices: [Notice], _ context: Context) -> [NoticeDayView] {
    let when = DateFormatting(context)
    let formatter = NoticeFormatter(catalogues: context.site.catalogues, language: context.language)
    var spans: [(span: Span, notices: [NoticeView])] = []
    for notice in notices {
      let day = LocalDay(notice.createdAt, in: context.timeZone)
      let span = Span(day, today: when.today)
      let time = when.time(notice.createdAt)
      let text =
        switch span {
        case .today, .yesterday: time
        case .week: "\(when.weekday(day)) \(time)"
        case .earlier: when.day(day)
        }
      if spans.last?.span != span { spans.append((span, [])) }
      spans[spans.count - 1].notices.append(NoticeView(notice, formatter, time: text))
    }
    return spans.map { NoticeDayView(name: name(of: $0.span, context), notices: $0.notices) }
  }

  private static func name(of span: Span, _ context: Context) -> String {
    switch span {
    case .today: context.text("notices.today")
    case .yesterday: context.text("notices.yesterday")
    case .week: context.text("notices.week")
    case .earlier: context.text("notices.earlier")
    }
  }
}

struct NoticeView: View {
  let notice: Notice
  let who: String?
  let what: String
  let time: String

  init(_ notice: Notice, _ formatter: NoticeFormatter, time: String) {
    self.notice = notice
    who = formatter.who(notice)
    what = formatter.what(notice)
    self.time = time
  }

  private var avatars: [AvatarView] {
    guard !notice.kind.isOfGroup else { return [] }
    return notice.actors.map {
      AvatarView(name: $0.name, avatar: $0.avatar.map(AccountLinks.media))
    }
  }

  static let fields: [String: Field<NoticeView>] = [
    "id": .text { $0.notice.id.description },
    "link": .text { NoticesLinks.open($0.notice.id) },
    "kind_link": .text { NoticesLinks.settings(of: $0.notice.kind) },
    "kind": .text { $0.notice.kind.rawValue },
    "icon": .text { $0.notice.kind.icon },
    "who": .optionalText { $0.who },
    "what": .text { $0.what },
    "time": .text { $0.time },
    "moment": .text { $0.notice.createdAt.rfc3339 },
    "unread": .flag { !$0.notice.isRead },
    "faces": .list { $0.avatars },
    "has_faces": .flag { !$0.avatars.isEmpty },
  ]
}
