import Core
import Web

extension Context {
  /// The first option of a list of time zones: the zone without a choice, and its source.
  var automaticTimeZoneName: String {
    let kept = viewer?.timeZone.flatMap { $0.isChosen ? nil : $0 }
    let zone = PersonTimeZone(kept: kept, browser: browserTimeZone, site: site.defaultTimeZone)
    let city = TimeZoneNames.city(zone.name, in: language)
    if zone.source == .site {
      return text("settings_language.zone_site", ["city": city])
    }
    let isHere =
      browserTimeZone.map { TimeZoneNames.city($0, in: language) == city } ?? false
    return text(
      isHere ? "settings_language.zone_here" : "settings_language.zone_last", ["city": city])
  }
}
