import Core
import Web

/// The one device on which a user's workouts are recorded, for pages and API.
struct DeviceService {
  let services: AccountsEnvironment

  func bound(_ viewer: Viewer) throws -> BoundDevice? {
    try services.site.database.read { try services.devices.bound(viewer.id, in: $0) }
  }

  /// Releases the bound device and mails the user; returns false if none is bound. The caller is
  /// responsible for reauthentication.
  @discardableResult
  func release(_ viewer: Viewer, _ context: Context) throws -> Bool {
    try services.site.database.write { writer in
      guard let bound = try services.devices.bound(viewer.id, in: writer) else {
        return false
      }
      try services.devices.release(bound.device, of: viewer.id, in: writer)
      let recipient = try services.people.recipient(
        viewer.id, language: context.language, in: writer)
      guard let recipient else { return true }
      try services.appMails.released(bound.name, to: recipient, now: context.now, in: writer)
      return true
    }
  }
}
