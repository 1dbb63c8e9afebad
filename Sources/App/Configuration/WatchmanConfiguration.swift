import CheckIn
import Foundation
import Mail

/// The settings of `pairspot watchman` (docs/operator/watchman.md).
extension ConfigurationReader {
  mutating func watchman(_ offers: ChannelOffers) -> (Watchman.Settings, clocks: [String]) {
    let settings = Watchman.Settings(
      after: Int64(number("PAIRSPOT_WATCHMAN_AFTER", 120, 1...10_080)) * 60,
      grace: Int64(number("PAIRSPOT_WATCHMAN_GRACE", 1440, 0...10_080)) * 60,
      operators: operators(offers))
    let clocks = list(
      "PAIRSPOT_WATCHMAN_CLOCKS", "https://www.debian.org/,https://www.wikipedia.org/")
    for clock in clocks where !clock.hasPrefix("https://") && !clock.hasPrefix("http://") {
      note("PAIRSPOT_WATCHMAN_CLOCKS: “\(clock)” must start with https://")
    }
    return (settings, clocks)
  }

  private mutating func operators(_ offers: ChannelOffers) -> [Watchman.Recipient] {
    var operators: [Watchman.Recipient] = []
    for entry in list("PAIRSPOT_WATCHMAN_OPERATORS", "") {
      let parts = entry.split(separator: ":", maxSplits: 1).map(String.init)
      if parts.count == 2, offers.accepts(parts[1], by: parts[0]) {
        operators.append(.channel(offer: parts[0], recipient: parts[1]))
      } else if let address = try? MailAddress(entry) {
        operators.append(.mail(address))
      } else {
        note(
          "PAIRSPOT_WATCHMAN_OPERATORS: “\(entry)” is no email address, and no number of a channel")
      }
    }
    return operators
  }

  private func list(_ name: String, _ fallback: String) -> [String] {
    text(name, fallback).split(separator: ",").map {
      $0.trimmingCharacters(in: .whitespaces)
    }.filter { !$0.isEmpty }
  }
}
