import Core

/// A device on which a user signed in before with the current password. Its failures have their own
/// limit, so that attempts from elsewhere cannot lock its owner out
/// (docs/developer/accounts.md#limits).
enum TrustedDevice {
  /// A browser, by an authenticated cookie.
  case browser(ID<Person>)
  /// An app, by the identifier that it chose itself.
  case app(ID<Person>, ID<Device>)

  /// The key under which its failures are counted. The two kinds have separate limits.
  var subject: String {
    switch self {
    case .browser(let person): "device \(person)"
    case .app(let person, let device): "app \(person) \(device)"
    }
  }

  /// Whether other clients cannot claim to be this device: an app's identifier is not secret.
  var isSecret: Bool {
    switch self {
    case .browser: true
    case .app: false
    }
  }
}
