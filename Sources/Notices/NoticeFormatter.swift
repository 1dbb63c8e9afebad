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
    case .workoutCheered: return text("notices.workout_cheered")
    case .postCommented:
      return text(
        notice.event == "also"
          ? "notices.commented_also" : "notices.commented")
    case .newFollower: return text("notices.follows")
    case .decision: return decision(notice)
    case .groupMember:
      return text(NoticeEvent.member(notice.event), ["group": notice.detail])
    case .groupWaypoint: return text("notices.next_stop", ["place": notice.note])
    case .groupChange where notice.event == "leads": return text("notices.you_lead")
    case .groupChange where notice.event == "closed_by_operator":
      return text("notices.group_closed_operator")
    case .groupChange:
      return text("notices.group_closed", ["person": name(of: notice)])
    case .groupCall, .groupEmergency:
      return text(NoticeEvent.call(notice.event), ["person": name(of: notice)])
    case .checkIn: return text(NoticeEvent.checkIn(notice.event))
    case .partnerSilent: return text("notices.partner_silent")
    case .contactChosen: return text("notices.contact_chosen")
    case .exportReady: return text("notices.export_ready")
    case .message:
      return text(
        notice.event == "request" ? "notices.message_request" : "notices.message_wrote")
    case .anniversary:
      return text(NoticeEvent.anniversary(notice.event), [:], count: Int(notice.detail) ?? 0)
    }
  }

  /// "Your post “…” was removed (spam).": what a decision is about and why, if the notice says so.
  private func decision(_ notice: Notice) -> String {
    let parts = notice.note.split(separator: " ")
    guard let about = NoticeEvent.about(notice.event),
      let target = parts.first.flatMap({ NoticeEvent.target(String($0), notice.detail) })
    else { return text(NoticeEvent.decision(notice.event)) }
    let reason = parts.dropFirst().first.map {
      text("notices.about_reason", ["reason": text("report.reason.\($0)").lowercased()])
    }
    return text(
      about, ["what": text(target, ["words": notice.detail]), "reason": reason ?? ""])
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

  /// The key of a decision's sentence that names its target; nil for one that needs none.
  static func about(_ event: String) -> String? {
    switch event {
    case "hidden_meanwhile": "notices.about_meanwhile"
    case "hidden": "notices.about_hidden"
    case "removed": "notices.about_removed"
    case "warned": "notices.about_warned"
    case "shown_again": "notices.about_shown"
    default: nil
    }
  }

  /// The key of a decision's target, with its words if it has any; nil for a person.
  static func target(_ kind: String, _ words: String) -> String? {
    switch kind {
    case "post": words.isEmpty ? "notices.your_post" : "notices.your_post_of"
    case "comment": words.isEmpty ? "notices.your_comment" : "notices.your_comment_of"
    case "message": "notices.your_message"
    case "moment": "notices.your_moment"
    case "couple": "notices.your_profile"
    default: nil
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
    case "is_ok": "notices.call_is_ok"
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
