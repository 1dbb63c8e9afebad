import CheckIn
import Foundation

/// The services for emergency contacts (docs/operator/channels.md).
extension ConfigurationReader {
  /// The services, and the interpreter that sends by them.
  mutating func channels() -> (ChannelOffers, interpreter: String) {
    let interpreter = text("PAIRSPOT_APPRISE", "/usr/bin/python3")
    guard let path = file("PAIRSPOT_CHANNELS") else { return (.none, interpreter) }
    guard let data = FileManager.default.contents(atPath: path) else {
      return (.none, interpreter)
    }
    if !FileManager.default.isExecutableFile(atPath: interpreter) {
      note("PAIRSPOT_APPRISE: \(interpreter) is not a program")
    }
    do {
      return (try ChannelOffers(json: data), interpreter)
    } catch {
      note("PAIRSPOT_CHANNELS: \(error)")
      return (.none, interpreter)
    }
  }
}
