import Core

/// A device on which somebody was in before, with the password that still holds: its failures are
/// counted for itself, so that a stranger's don't keep its owner out
/// (docs/developer/accounts.md#limits).
enum TrustedDevice {
  /// A browser, by a cookie that only we make.
  case browser(ID<Person>)
  /// An app, by the identifier that it gave itself.
  case app(ID<Person>, ID<Device>)

  /// What its failures are counted under. Neither kind uses up the other's tries.
  var subject: String {
    switch self {
    case .browser(let person): "device \(person)"
    case .app(let person, let device): "app \(person) \(device)"
    }
  }

  /// Whether nobody else can say to be it: an app's identifier is no secret.
  var isSecret: Bool {
    switch self {
    case .browser: true
    case .app: false
    }
  }
}
