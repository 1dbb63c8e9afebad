@testable import FakeAuthenticator
@testable import WebAuthn

/// One check, and a change of a good answer that breaks it alone.
struct BrokenAnswer: Sendable, CustomStringConvertible {
  let description: String
  let error: WebAuthnError
  let change: @Sendable (inout FakeAuthenticator) -> Void

  init(
    _ description: String, _ error: WebAuthnError,
    _ change: @escaping @Sendable (inout FakeAuthenticator) -> Void
  ) {
    self.description = description
    self.error = error
    self.change = change
  }
}

/// The error that a call throws.
func failure<Value>(_ body: () throws -> Value) -> WebAuthnError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? WebAuthnError
  }
}
