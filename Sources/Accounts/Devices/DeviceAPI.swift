import Core
import Secrets
import Web

/// `/api/v1/devices/binding`: the one device on which a user's workouts are recorded
/// (docs/developer/product.md#device-binding).
struct DeviceAPI {
  private let services: AccountsEnvironment

  init(_ services: AccountsEnvironment) {
    self.services = services
  }

  var routes: [Route] {
    [
      .api(
        .get, "/devices/binding", .atLeast(.guest),
        Operation(
          "Get the bound device", .workouts, note: "All fields are null if no device is bound."),
        handler: show),
      .api(
        .put, "/devices/binding", .atLeast(.guest),
        Operation(
          "Bind a device", .workouts,
          note:
            "Succeeds if no device is bound, or if this device is bound; its name is then updated.",
          errors: [.deviceAlreadyBound]), options: [.noStore, .idempotent], handler: bind),
      .api(
        .delete, "/devices/binding", .atLeast(.guest),
        Operation(
          "Release the bound device", .workouts, note: "Requires reauthentication.",
          errors: [.reauthenticationRequired, .rateLimited, .unavailable]), handler: release),
      .api(
        .post, "/devices/unbind", .anyone,
        Operation(
          "Release a device that was signed out", .workouts,
          note: """
            For clients that were signed out while offline; needs no session. Releases only the \
            binding that this token was issued for; 204 even if it was already released.
            """), options: .withoutViewer, handler: unbind),
    ]
  }

  struct BindingResponse: JSONResponse {
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

  /// A binding in the response to the client that created it.
  struct BoundDeviceResponse: JSONResponse {
    let binding: BindingResponse
    let unbinding: Token?

    static let jsonName = "BoundDevice"
    static let jsonFields: [JSONField<Self>] =
      BindingResponse.jsonFields.map { $0.of { $0.binding } } + [
        JSONField(
          "unbind_token",
          note:
            "For `POST /devices/unbind`. Returned only once; null if the device was already bound.",
          example: TextFieldLimits.tokenExample
        ) { $0.unbinding?.text }
      ]
  }

  struct UnbindRequest: JSONRequest {
    var device = ID<Device>.random()
    var token = ""

    static let jsonName = "Unbinding"
    static let jsonFields: [InputField<Self>] = [
      .required("device_id") { $0.device = $1 },
      .required(
        "unbind_token", note: "The token from `PUT /devices/binding`.",
        bounds: TextFieldLimits.token,
        example: TextFieldLimits.tokenExample
      ) { $0.token = $1 },
    ]
  }

  struct BindRequest: JSONRequest {
    var device = ID<Device>.random()
    var name = ""

    static let jsonName = "NewBinding"
    static let jsonFields: [InputField<Self>] = [
      .required("device_id") { $0.device = $1 },
      .required(
        "name", note: "1 to \(DeviceStore.nameLimits.characters) characters.",
        bounds: TextFieldLimits.filled, example: "Mei’s phone"
      ) { $0.name = $1 },
    ]
  }

  @Sendable private func show(_ context: Context) throws -> BindingResponse {
    BindingResponse(device: try DeviceService(services: services).bound(context.signedIn()))
  }

  @Sendable private func bind(_ input: BindRequest, _ context: Context) throws
    -> BoundDeviceResponse
  {
    let viewer = try context.signedIn()
    var errors: [String: FieldError] = [:]
    let name = AccountRules.name(
      input.name, limits: DeviceStore.nameLimits, field: "device_name", &errors)
    if let error = errors["device_name"] { throw Problem.invalid(["name": error]) }
    return try context.answering({ try bind(input, name: name, of: viewer, context) }, { $0 })
  }

  private func bind(
    _ input: BindRequest, name: String?, of viewer: Viewer, _ context: Context
  ) throws -> BoundDeviceResponse {
    try services.site.database.write { writer in
      let isNew = try services.devices.bound(viewer.id, in: writer) == nil
      let unbinding = Token.random()
      guard
        try services.devices.bind(
          input.device, name: name, of: viewer.id, unbinding: unbinding, now: context.now,
          in: writer)
      else { throw Problem(.deviceAlreadyBound) }
      if let family = context.tokenFamily {
        try services.tokens.families.name(
          input.device, of: family, binds: isNew, in: writer)
      }
      return BoundDeviceResponse(
        binding: BindingResponse(device: try services.devices.bound(viewer.id, in: writer)),
        unbinding: isNew ? unbinding : nil)
    }
  }

  @Sendable private func release(_ input: ReauthenticationRequest, _ context: Context) throws
    -> NoContent
  {
    let viewer = try context.signedIn()
    try input.check(for: .releaseDevice, services, context)
    try DeviceService(services: services).release(viewer, context)
    return NoContent()
  }

  @Sendable private func unbind(_ input: UnbindRequest, _ context: Context) throws -> NoContent {
    guard let token = Token(input.token) else {
      throw Problem.invalid(["unbind_token": FieldError("api.field_token")])
    }
    try services.site.database.write {
      try services.devices.unbind(input.device, token, in: $0)
    }
    return NoContent()
  }
}
