import Core
import Secrets

/// The events of the security log.
public enum SecurityEvent: String, Sendable, CaseIterable {
  case signInSucceeded = "sign_in_succeeded"
  case signInFailed = "sign_in_failed"
  case secondFactorAccepted = "second_factor_accepted"
  case secondFactorFailed = "second_factor_failed"
  case recoveryCodeUsed = "recovery_code_used"
  case secondFactorChanged = "second_factor_changed"
  case reauthenticationFailed = "reauthentication_failed"
  case resetAsked = "reset_asked"
  case resetUsed = "reset_used"
  case passwordChanged = "password_changed"
  /// A provider was linked or unlinked, or a passkey added or removed.
  case signInWaysChanged = "sign_in_ways_changed"
  /// A sign of a copied passkey: its counter did not grow.
  case passkeyCounterWentBack = "passkey_count_went_back"
  case sessionsEnded = "sessions_ended"
  /// A refresh token that was used before: it has been copied.
  case refreshTokenReused = "refresh_token_reused"
  case roleChanged = "role_changed"
  case csrfRefused = "csrf_refused"
  case staffRouteRefused = "staff_route_refused"
  /// A webhook or receipt with an invalid signature.
  case signatureRefused = "signature_refused"
  case limitReached = "limit_reached"

  /// The name of its counter in `/metrics`.
  var counterName: String { "pairspot_security_\(rawValue)_total" }
}

/// The account that an event is about. In the log it is a keyed hash.
public enum SecuritySubject: Sendable {
  case person(ID<Person>)
  /// A typed address, which may belong to no account.
  case email(String)
}

/// One JSON line a security event, marked by `"log":"security"`. No personal data: accounts and
/// network addresses are keyed hashes. Each event is also counted for `/metrics`.
public struct SecurityLog: Sendable {
  private let descriptor: Int32
  private let key: [UInt8]
  private let metrics: Metrics

  /// Writes to a descriptor opened for appending; -1 writes nothing.
  public init(descriptor: Int32, keys: KeyRing, metrics: Metrics) {
    self.descriptor = descriptor
    key = keys.derivedKey(purpose: "log")
    self.metrics = metrics
  }

  /// The source of an event: a request with its route and status, or a command.
  public struct Origin: Sendable {
    let id: String
    let route: String
    let status: Int?
    let address: String?

    init(id: String, route: String, status: Int, address: String?) {
      self.id = id
      self.route = route
      self.status = status
      self.address = address
    }

    /// A command of an operator.
    public init(command: String) {
      id = ""
      route = command
      status = nil
      address = nil
    }
  }

  public func write(
    _ event: SecurityEvent, of subject: SecuritySubject?, at instant: Instant, _ origin: Origin
  ) {
    metrics.count(event.counterName)
    guard descriptor >= 0 else { return }
    var line = "{\"log\":\"security\",\"event\":\"\(event.rawValue)\""
    line += ",\"at\":\(instant.milliseconds),\"route\":\(JSONStringWriter.quoted(origin.route))"
    if !origin.id.isEmpty { line += ",\"id\":\(JSONStringWriter.quoted(origin.id))" }
    if let status = origin.status { line += ",\"status\":\(status)" }
    switch subject {
    // The same hash as in the lines of requests.
    case .person(let person): line += ",\"account\":\"\(hash(person.bytes))\""
    case .email(let address):
      line += ",\"account\":\"\(hash(Array("email \(address.lowercased())".utf8)))\""
    case nil: break
    }
    if let address = origin.address {
      line += ",\"address\":\"\(hash(Array("address \(address)".utf8)))\""
    }
    LogLine.write(line + "}\n", to: descriptor)
  }

  /// One counter per event, starting at 0, so that the first event is an increase.
  public static func counters(of metrics: Metrics) -> [Counter] {
    SecurityEvent.allCases.map { event in
      Counter(event.counterName, "Security events of this kind (SECURITY.md).") {
        metrics.value(of: event.counterName)
      }
    }
  }

  private func hash(_ bytes: [UInt8]) -> String {
    Hex.text(Digests.hmac(bytes, key: key).prefix(6))
  }
}
