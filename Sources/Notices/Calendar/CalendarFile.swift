import Core

/// A calendar of all-day events in iCalendar format (RFC 5545).
struct CalendarFile {
  struct Event {
    /// Stable, so that calendar clients update the event instead of adding it again.
    let uid: String
    let day: LocalDay
    let summary: String
  }

  let name: String
  let events: [Event]
  /// Creation time (`DTSTAMP`).
  let stamp: Instant

  var bytes: [UInt8] {
    var lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//PairSpot//Days to celebrate//EN",
      "CALSCALE:GREGORIAN", "METHOD:PUBLISH", "X-WR-CALNAME:\(Self.escaped(name))",
      "REFRESH-INTERVAL;VALUE=DURATION:P1D",
    ]
    let stamp = Self.utc(stamp)
    for event in events {
      lines += [
        "BEGIN:VEVENT", "UID:\(event.uid)", "DTSTAMP:\(stamp)",
        "DTSTART;VALUE=DATE:\(Self.date(event.day))",
        // The end is exclusive (section 3.6.1).
        "DTEND;VALUE=DATE:\(Self.date(event.day.adding(days: 1)))",
        "SUMMARY:\(Self.escaped(event.summary))", "TRANSP:TRANSPARENT", "END:VEVENT",
      ]
    }
    lines.append("END:VCALENDAR")
    return lines.flatMap { Self.folded($0) + [13, 10] }
  }

  /// "20260302".
  private static func date(_ day: LocalDay) -> String { day.description.replacing("-", with: "") }

  /// "20260302T000000Z".
  private static func utc(_ instant: Instant) -> String {
    instant.rfc3339.replacing("-", with: "").replacing(":", with: "")
  }

  /// Section 3.3.11: escapes characters that would end a value or line.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case ";": result += "\\;"
      case ",": result += "\\,"
      case "\n": result += "\\n"
      case _ where character.properties.generalCategory == .control: continue
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  /// Section 3.1: folds lines at 75 bytes; continuation lines begin with a space. Splits no
  /// character.
  static func folded(_ line: String) -> [UInt8] {
    var result: [UInt8] = []
    var length = 0
    for character in line.unicodeScalars {
      let bytes = Array(String(character).utf8)
      if length + bytes.count > 75 {
        result += [13, 10, 32]
        length = 1
      }
      result += bytes
      length += bytes.count
    }
    return result
  }
}
