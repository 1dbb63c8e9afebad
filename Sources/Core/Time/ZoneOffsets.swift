import Foundation

extension TimeZone {
  /// The seconds by which local clocks are ahead of UTC at a moment.
  ///
  /// Foundation asks ICU, which computes all parts of a calendar date each time, behind a lock of
  /// the zone. Here it is asked once for each time between two clock changes.
  public func offset(at moment: Instant) -> Int64 { ZoneOffsets.offset(of: self, at: moment) }
}

/// The offsets found so far, by the names of the zones.
private enum ZoneOffsets {
  /// A time without a clock change: from `start` until just before `end`.
  private struct Span {
    var start: Instant
    let end: Instant
    let offset: Int64
  }

  /// The number of spans kept for a zone.
  private static let maximumSpans = 8

  private static let known = PThreadLocked<[String: [Span]]>([:])

  static func offset(of zone: TimeZone, at moment: Instant) -> Int64 {
    let name = zone.identifier
    let found = known.withLock { spans in
      spans[name]?.first { $0.start <= moment && moment < $0.end }?.offset
    }
    if let found { return found }
    let date = moment.date
    let offset = Int64(zone.secondsFromGMT(for: date))
    let change = zone.nextDaylightSavingTimeTransition(after: date)
    let end = change.map { Instant(date: $0) } ?? Instant(milliseconds: .max)
    known.withLock { spans in
      var own = spans[name, default: []]
      if let same = own.firstIndex(where: { $0.end == end && $0.offset == offset }) {
        own[same].start = min(own[same].start, moment)
      } else {
        if own.count == maximumSpans { own.removeFirst() }
        own.append(Span(start: moment, end: end, offset: offset))
      }
      spans[name] = own
    }
    return offset
  }
}
