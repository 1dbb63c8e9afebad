import Core
import Templates

/// Notices in the viewer's language.
struct NoticeFormatter {
  let catalogues: Catalogues
  let language: Language

  /// The first part, which pages show in bold: the actors or the group; nil if it is only about the
  /// viewer.
  func who(_ notice: Notice) -> String? {
    if notice.kind.isOfGroup { return text("notices.group", ["group": notice.detail]) }
    guard let first = notice.actors.first else { return nil }
    guard notice.actorCount > 1 else { return first.name }
    if notice.actorCount == 2, notice.actors.count == 2 {
      return text("notices.two", ["first": first.name, "second": notice.actors[1].name])
    }
    return text("notices.many", ["first": first.name], count: notice.actorCount - 1)
  }

  /// The event, after `who`.
  func what(_ notice: Notice) -> String {
    switch notice.kind {
    case .partnerPosted:
      return notice.detail.isEmpty
        ? text("notices.posted_pictures") : text("notices.posted", ["words": notice.detail])
    case .postLiked: return text("notices.liked")
    case .postCommented:
      return text(
        notice.event == "also"
          ? "notices.commented_also" : "notices.commented")
    case .newFollower: return text("notices.follows")
    case .decision: return text(NoticeEvent.decision(notice.event))
    case .groupMember:
      return text(NoticeEvent.member(notice.event), ["group": notice.detail])
    case .groupWaypoint: return text("notices.next_stop", ["place": notice.note])
    case .groupChange where notice.event == "leads": return text("notices.you_lead")
    case .groupChange:
      return text("notices.group_closed", ["person": name(of: notice)])
    case .groupCall, .groupEmergency:
      return text(NoticeEvent.call(notice.event), ["person": name(of: notice)])
    case .checkIn: return text(NoticeEvent.checkIn(notice.event))
    case .partnerSilent: return text("notices.partner_silent")
    case .anniversary:
      return text(NoticeEvent.anniversary(notice.event), [:], count: Int(notice.detail) ?? 0)
    }
  }

  /// The whole notice in one line.
  func line(_ notice: Notice) -> String {
    guard let who = who(notice) else { return what(notice) }
    return text("notices.line", ["who": who, "what": what(notice)])
  }

  private func name(of notice: Notice) -> String {
    notice.actors.first?.name ?? text("groups.someone")
  }

  private func text(
    _ key: String, _ parameters: [String: String] = [:], count: Int? = nil
  ) -> String {
    catalogues.text(key, in: language, parameters, count: count)
  }
}

/// Events within a kind: the values stored in the table, and the keys of their texts.
enum NoticeEvent {
  static func decision(_ event: String) -> String {
    switch event {
    case "report_upheld": "notices.decision_upheld"
    case "report_rejected": "notices.decision_rejected"
    case "hidden_meanwhile": "notices.decision_meanwhile"
    case "hidden": "notices.decision_hidden"
    case "removed": "notices.decision_removed"
    case "warned": "notices.decision_warned"
    case "suspended": "notices.decision_suspended"
    case "shown_again": "notices.decision_shown"
    case "appeal_granted": "notices.decision_granted"
    case "appeal_refused": "notices.decision_refused"
    default: "notices.decision_other"
    }
  }

  static func member(_ event: String) -> String {
    switch event {
    case "joined": "notices.member_joined"
    case "removed": "notices.member_removed"
    default: "notices.member_left"
    }
  }

  static func call(_ event: String) -> String {
    switch event {
    case "gather": "notices.call_gather"
    case "move": "notices.call_move"
    case "rest": "notices.call_rest"
    case "return": "notices.call_return"
    case "emergency": "notices.call_emergency"
    case "on_my_way": "notices.call_on_my_way"
    default: "notices.call_need_help"
    }
  }

  /// Whether a check-in event is more than the ordinary daily reminder.
  static func isWarning(_ event: String) -> Bool {
    checkIn(event) != "notices.checkin_reminder"
  }

  static func checkIn(_ event: String) -> String {
    switch event {
    case "warning": "notices.checkin_warning"
    case "last_warning": "notices.checkin_last"
    case "outage": "notices.checkin_outage"
    case "timer": "notices.checkin_timer"
    default: "notices.checkin_reminder"
    }
  }

  static func anniversary(_ event: String) -> String {
    event == "years" ? "notices.anniversary_years" : "notices.anniversary_days"
  }
}
