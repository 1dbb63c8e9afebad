import Core
import Foundation
import Testing

@testable import Web

@Suite("Names of time zones")
struct TimeZoneNamesTests {
  @Test(
    "A zone has the name of its city in the reader's language",
    arguments: [
      ("Asia/Taipei", "Taipei", "台北", "台北"),
      ("America/Los_Angeles", "Los Angeles", "洛杉磯", "洛杉矶"),
      ("Europe/Berlin", "Berlin", "柏林", "柏林"), ("Asia/Shanghai", "Shanghai", "上海", "上海"),
      ("Europe/Kiev", "Kyiv", "基輔", "基辅"), ("Europe/Kyiv", "Kyiv", "基輔", "基辅"),
      ("Antarctica/DumontDUrville", "Dumont d’Urville", "杜蒙杜比爾", "迪蒙·迪维尔"),
      ("UTC", "UTC", "UTC", "UTC"), ("Etc/UTC", "UTC", "UTC", "UTC"), ("GMT", "UTC", "UTC", "UTC"),
      ("Etc/GMT+3", "UTC−3", "UTC−3", "UTC−3"), ("US/Pacific", "Los Angeles", "洛杉磯", "洛杉矶"),
    ])
  func cities(name: String, english: String, traditional: String, simplified: String) {
    #expect(TimeZoneNames.city(name, in: .english) == english)
    #expect(TimeZoneNames.city(name, in: .traditionalChinese) == traditional)
    #expect(TimeZoneNames.city(name, in: .simplifiedChinese) == simplified)
  }

  @Test("No zone is shown by its identifier", arguments: Language.allCases)
  func noIdentifiers(language: Language) {
    for name in TimeZone.knownTimeZoneIdentifiers {
      let city = TimeZoneNames.city(name, in: language)
      #expect(!city.isEmpty && !city.contains("/") && !city.contains("_"), "\(name): \(city)")
    }
  }

  @Test(
    "An offset is written as people write it",
    arguments: [
      (0, "UTC"), (28_800, "UTC+8"), (-12_600, "UTC−3:30"), (20_700, "UTC+5:45"), (30, "UTC"),
    ])
  func offsets(seconds: Int, text: String) {
    #expect(TimeZoneNames.offset(seconds) == text)
  }
}
