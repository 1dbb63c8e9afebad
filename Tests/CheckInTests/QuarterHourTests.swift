import Testing

@testable import CheckIn

@Suite("Times of the day on a quarter hour")
struct QuarterHourTests {
  @Test("The documented values are the accepted ones")
  func pattern() throws {
    let pattern = try Regex(QuarterHour.pattern)
    var taken = 0
    for hour in 0...99 {
      for minute in 0...99 {
        let text = "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
        let isDescribed = text.wholeMatch(of: pattern) != nil
        #expect(isDescribed == (QuarterHour.minutes(text) != nil), "\(text)")
        if isDescribed { taken += 1 }
      }
    }
    #expect(taken == 96)
    for text in ["", "9:00", "09:00 ", "09:00:00", "0900", "24:00", "-1:00", "٠٩:٠٠"] {
      #expect(text.wholeMatch(of: pattern) == nil && QuarterHour.minutes(text) == nil, "\(text)")
    }
  }
}
