import Core
import Templates
import Web

/// `/settings/devices`: the device on which workouts are recorded, and releasing it. The recorder
/// of another device links here with `next`, to return to it afterwards
/// (docs/developer/workouts.md#binding).
struct DeviceSettingsPages {
  private let services: AccountsEnvironment
  private let page: Page<DeviceSettingsView>

  init(_ services: AccountsEnvironment) throws {
    self.services = services
    page = try Page("settings/devices", title: "settings_devices.title", in: services.site)
  }

  @Sendable func show(_ context: Context) throws -> Response {
    try response(
      context, next: context.request.queryValue("next"),
      isMailed: context.request.queryValue("mailed") != nil,
      errors: [:], status: 200)
  }

  /// Mails a code if `mail_code` is set; otherwise releases the device.
  @Sendable func release(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let next = Context.safePath(context.form["next"])
    // Already released in the meantime: there is nothing to confirm.
    guard try DeviceService(services: services).bound(viewer) != nil else {
      return .seeOther(next ?? AccountLinks.deviceSettings)
    }
    let asking = ReauthenticationService(.releaseDevice, services: services)
    if context.form.has("mail_code"), viewer.role >= .member {
      try asking.mailCode(context)
      context.flash("toast.code_mailed")
      return .seeOther(AccountLinks.deviceSettings(next: next, isMailed: true))
    }
    var errors: [String: FieldError] = [:]
    try asking.checkAny(context, &errors)
    guard errors.isEmpty else {
      return try response(
        context, next: next, isMailed: context.form.has("code"), errors: errors, status: 422)
    }
    try DeviceService(services: services).release(viewer, context)
    context.flash("toast.device_released")
    return .seeOther(next ?? AccountLinks.deviceSettings)
  }

  private func response(
    _ context: Context, next: String?, isMailed: Bool, errors: [String: FieldError], status: Int
  ) throws -> Response {
    let viewer = try context.signedIn()
    let view = DeviceSettingsView(
      bound: try DeviceService(services: services).bound(viewer).map {
        BoundDeviceView(device: $0, when: DateFormatting(context))
      },
      isGuest: viewer.role == .guest, isMailed: isMailed, next: Context.safePath(next),
      errors: errors.texts(context))
    return page.response(view, context, status: .init(code: status))
  }
}

struct DeviceSettingsView: FormContent {
  let bound: BoundDeviceView?
  let isGuest: Bool
  let isMailed: Bool
  /// The page to return to.
  let next: String?
  let errors: [String: String]

  static let fields: [String: Field<DeviceSettingsView>] =
    formFields(
      errors: ["current_password", "code", "recovery_code"],
      [
        "action": .text { _ in AccountLinks.deviceSettings },
        "settings_link": .text { _ in AccountLinks.settings },
        "code_link": .text { _ in AccountLinks.recoveryCode },
        "bound": .optional { $0.bound },
        "none": .flag { $0.bound == nil },
        "elsewhere": .flag { $0.bound != nil && $0.next != nil },
        "next": .optionalText { $0.next },
        "guest": .flag { $0.isGuest },
        "by_code": .flag { !$0.isGuest && $0.isMailed },
        "by_password": .flag { !$0.isGuest && !$0.isMailed },
      ])
}

struct BoundDeviceView: View {
  let device: BoundDevice
  let when: DateFormatting

  static let fields: [String: Field<BoundDeviceView>] = [
    "name": .optionalText { $0.device.name.isEmpty ? nil : $0.device.name },
    "since": .text { $0.when.moment($0.device.since) },
  ]
}
