import Core
import Foundation
import Web

/// `/settings/zone`: a traveller's answer to the banner about a different time zone.
struct TimeZonePages {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  @Sendable func answer(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let zone = context.form["time_zone"]
    guard TimeZone(named: zone) != nil else { throw Problem.badRequest }
    let stays = context.form["button"] == "stay"
    try services.site.database.write { writer in
      if stays {
        try services.timeZones.keepZone(in: zone, viewer.id, in: writer)
      } else {
        try services.timeZones.move(to: zone, viewer.id, now: context.now, in: writer)
      }
    }
    context.flash(stays ? "toast.zone_kept" : "toast.zone_changed")
    return .seeOther(context.next())
  }
}
