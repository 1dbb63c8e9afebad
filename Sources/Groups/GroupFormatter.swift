import Core
import Web

/// Formats groups in the viewer's language.
enum GroupFormatter {
  /// "Led by Mina · 6 people".
  static func summary(_ group: Group, _ context: Context) -> String {
    let people = context.text("groups.people", count: group.memberCount)
    if !group.isOpen { return context.text("groups.closed_summary", ["people": people]) }
    if group.isLedByViewer { return context.text("groups.led_by_you", ["people": people]) }
    return context.text(
      "groups.led_by", ["leader": group.leaderName ?? "", "people": people])
  }

  /// "72 m", "1.2 mi": in the viewer's units.
  static func distance(_ metres: Double, _ context: Context) -> String {
    let (number, unit) = context.units.measured(metres)
    return switch unit {
    case .metres: context.text("groups.metres", ["metres": number])
    case .kilometres: context.text("groups.kilometres", ["kilometres": number])
    case .feet: context.text("group_live.feet", ["feet": number])
    case .miles: context.text("group_live.miles", ["miles": number])
    }
  }

  /// "north-east of you".
  static func direction(_ bearing: Double, _ context: Context) -> String {
    switch CompassPoint(bearing: bearing) {
    case .north: context.text("groups.north")
    case .northEast: context.text("groups.north_east")
    case .east: context.text("groups.east")
    case .southEast: context.text("groups.south_east")
    case .south: context.text("groups.south")
    case .southWest: context.text("groups.south_west")
    case .west: context.text("groups.west")
    case .northWest: context.text("groups.north_west")
    }
  }

  /// "17 h 42 min", "8 h", never less than a minute.
  static func time(left seconds: Int64, _ context: Context) -> String {
    let minutes = max(1, (seconds + 59) / 60)
    if minutes < 60 { return context.text("groups.minutes", ["minutes": "\(minutes)"]) }
    if minutes % 60 == 0 { return context.text("groups.hours", ["hours": "\(minutes / 60)"]) }
    return context.text(
      "groups.hours_minutes", ["hours": "\(minutes / 60)", "minutes": "\(minutes % 60)"])
  }

  /// "17 h", or minutes for less than an hour.
  static func hours(left seconds: Int64, _ context: Context) -> String {
    let minutes = (seconds + 59) / 60
    return minutes < 60
      ? time(left: seconds, context)
      : context.text("groups.hours", ["hours": "\(minutes / 60)"])
  }

  /// One log entry; with `shared`, in s, that of a time of sharing that is over.
  static func event(_ event: GroupEvent, shared: Int64?, _ context: Context) -> String {
    let name = event.personName ?? context.text("groups.someone")
    if let shared {
      return context.text(
        "groups.log_shared", ["person": name, "time": time(left: shared, context)])
    }
    return context.text(key(event), ["person": name, "note": event.note ?? ""])
  }

  private static func key(_ event: GroupEvent) -> String {
    switch event.kind {
    case .created: "groups.log_created"
    case .joined: "groups.log_joined"
    case .left: "groups.log_left"
    case .removed: "groups.log_removed"
    case .allowed: "groups.log_allowed"
    case .leads: "groups.log_leads"
    case .renamed: "groups.log_renamed"
    case .settings: "groups.log_settings"
    case .newCode: "groups.log_new_code"
    case .closed: "groups.log_closed"
    case .sharing: "groups.log_sharing"
    case .notSharing: "groups.log_not_sharing"
    case .waypoint: "groups.log_waypoint"
    case .waypointActive:
      event.note == nil ? "groups.log_waypoint_none" : "groups.log_waypoint_active"
    case .waypointGone: "groups.log_waypoint_gone"
    case .gather: "groups.log_gather"
    case .move: "groups.log_move"
    case .rest: "groups.log_rest"
    case .comeBack: "groups.log_return"
    case .emergency: "groups.log_emergency"
    case .onMyWay: "groups.log_on_my_way"
    case .needHelp: "groups.log_need_help"
    case .isOK: "groups.log_is_ok"
    }
  }
}
