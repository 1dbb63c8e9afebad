import HTTPTypes

/// Every error code of the table in docs/api/README.md, with its status.
public enum APIErrorCode: String, Sendable, CaseIterable {
  case invalidJSON = "invalid_json"
  case duplicateSession = "duplicate_session"
  case invalidToken = "invalid_token"
  case tokenExpired = "token_expired"
  case invalidCredentials = "invalid_credentials"
  case secondFactorRequired = "second_factor_required"
  case insufficientCoins = "insufficient_coins"
  case forbidden
  case deviceAlreadyBound = "device_already_bound"
  case emailNotVerified = "email_not_verified"
  case suspended
  case removedFromGroup = "removed_from_group"
  case registrationClosed = "registration_closed"
  case reauthenticationRequired = "reauthentication_required"
  case csrf
  case notFound = "not_found"
  case conflict
  case groupFull = "group_full"
  case transactionClaimed = "transaction_claimed"
  case sharingOff = "sharing_off"
  case limitReached = "limit_reached"
  case inviteExpired = "invite_expired"
  case groupClosed = "group_closed"
  case linkExpired = "link_expired"
  case payloadTooLarge = "payload_too_large"
  case uriTooLong = "uri_too_long"
  case unsupportedFormat = "unsupported_format"
  case validationError = "validation_error"
  case notToday = "not_today"
  case batchTooLarge = "batch_too_large"
  case invalidReceipt = "invalid_receipt"
  case notAcceptablePicture = "not_acceptable_picture"
  case rateLimited = "rate_limited"
  case headerTooLong = "header_too_long"
  case `internal`
  case unavailable

  public var status: HTTPResponse.Status {
    switch self {
    case .invalidJSON, .duplicateSession: .badRequest
    case .invalidToken, .tokenExpired, .invalidCredentials, .secondFactorRequired: .unauthorized
    case .insufficientCoins: HTTPResponse.Status(code: 402, reasonPhrase: "Payment Required")
    case .forbidden, .deviceAlreadyBound, .emailNotVerified, .suspended, .removedFromGroup,
      .registrationClosed, .reauthenticationRequired, .csrf:
      .forbidden
    case .notFound: .notFound
    case .conflict, .groupFull, .transactionClaimed, .sharingOff, .limitReached: .conflict
    case .inviteExpired, .groupClosed, .linkExpired: .gone
    case .payloadTooLarge: .contentTooLarge
    case .uriTooLong: .uriTooLong
    case .unsupportedFormat: .unsupportedMediaType
    case .validationError, .notToday, .batchTooLarge, .invalidReceipt, .notAcceptablePicture:
      .unprocessableContent
    case .rateLimited: .tooManyRequests
    case .headerTooLong: .requestHeaderFieldsTooLarge
    case .internal: .internalServerError
    case .unavailable: .serviceUnavailable
    }
  }

  /// The code and status of a problem that pages name differently, or give a status that the API
  /// does not use.
  init?(ofPages code: String) {
    switch code {
    case Problem.tooLarge.code: self = .payloadTooLarge
    case Problem.badRequest.code: self = .invalidJSON
    case Problem.tooManyFields.code, Problem.fieldTooLong.code: self = .validationError
    case Problem.busy().code, Problem.uncertain.code, "disk_full": self = .unavailable
    default: return nil
    }
  }
}

extension Problem {
  /// A problem of the API's table, with a text of its own under `api.error.<code>`.
  public init(
    _ code: APIErrorCode, fields: [String: FieldError] = [:], retryAfter: Int? = nil
  ) {
    self.init(code.status, code.rawValue, fields: fields, retryAfter: retryAfter)
  }

  /// 422 with the errors by field.
  public static func invalid(_ fields: [String: FieldError]) -> Problem {
    Problem(.validationError, fields: fields)
  }
}
