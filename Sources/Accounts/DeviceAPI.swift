import Basics
import Web

/// `/api/v1/devices/binding`: the one device on which a person's workouts are recorded
/// (product.md, decision 7).
struct DeviceAPI {
  private let services: AccountServices

  init(_ services: AccountServices) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .get, "/devices/binding", .atLeast(.guest),
        Operation("The bound device", .workouts, note: "All null where none is bound."),
        handler: show),
      .api(
        .put, "/devices/binding", .atLeast(.guest),
        Operation(
          "Bind a device", .workouts,
          note: "Fine where none is bound, or this one: its name is then the new one.",
          errors: [.deviceAlreadyBound]), handler: bind),
      .api(
        .delete, "/devices/binding", .atLeast(.guest),
        Operation(
          "Release the bound device", .workouts, note: "Asks again who is there.",
          errors: [.reauthenticationRequired, .rateLimited, .unavailable]), handler: release),
    ]
  }

  struct Binding: JSONRecord {
    let device: BoundDevice?

    static let jsonName = "DeviceBinding"
    static let jsonFields: [JSONField<Self>] = [
      JSONField("device_id") { $0.device?.device },
      JSONField("bound_since") { $0.device?.since },
      JSONField("name", example: "Mei’s phone") {
        $0.device.flatMap { $0.name.isEmpty ? nil : $0.name }
      },
    ]
  }

  struct NewBinding: JSONInput {
    var device = ID<Device>.random()
    var name = ""

    static let jsonFields: [InputField<Self>] = [
      .required("device_id") { $0.device = $1 },
      .required(
        "name", note: "1 to \(DeviceStore.nameMost) characters.",
        bounds: InputBounds.filled, example: "Mei’s phone"
      ) { $0.name = $1 },
    ]
  }

  @Sendable private func show(_ context: Context) throws -> Binding {
    let viewer = try context.signedIn()
    return Binding(
      device: try services.site.database.read { try services.devices.bound(viewer.id, in: $0) })
  }

  @Sendable private func bind(_ input: NewBinding, _ context: Context) throws -> Binding {
    let viewer = try context.signedIn()
    var errors: [String: FieldError] = [:]
    let name = AccountRules.name(
      input.name, most: DeviceStore.nameMost, field: "device_name", &errors)
    if let error = errors["device_name"] { throw Problem.invalid(["name": error]) }
    return try services.site.database.write { writer in
      let isNew = try services.devices.bound(viewer.id, in: writer.reader) == nil
      guard
        try services.devices.bind(
          input.device, name: name, of: viewer.id, now: context.now, in: writer)
      else { throw Problem(.deviceAlreadyBound) }
      if let family = context.tokenFamily {
        try services.tokens.families.name(
          input.device, of: family, binds: isNew, in: writer)
      }
      return Binding(device: try services.devices.bound(viewer.id, in: writer.reader))
    }
  }

  @Sendable private func release(_ input: AskedAgain, _ context: Context) throws -> Done {
    let viewer = try context.signedIn()
    try input.check(viewer, services, now: context.now)
    try services.site.database.write { writer in
      guard let bound = try services.devices.bound(viewer.id, in: writer.reader) else { return }
      try services.devices.release(bound.device, of: viewer.id, in: writer)
      let recipient = try services.people.recipient(
        viewer.id, language: context.language, in: writer)
      guard let recipient else { return }
      try services.appMails.released(bound.name, to: recipient, now: context.now, in: writer)
    }
    return Done()
  }
}
