import Core
import Secrets
import Web
import WebAuthn

/// A passkey that the browser has made and that passed all checks, before it is stored.
struct NewPasskey {
  let record: CredentialRecord
  let userHandle: [UInt8]
  let name: String
  let challenge: PasskeyChallenge

  /// Reads the field `credential`: nil if it is empty. An answer that fails a check adds an error.
  static func brought(
    _ purpose: PasskeyChallenge.Purpose, name: String? = nil, _ context: Context,
    _ errors: inout [String: FieldError]
  ) -> NewPasskey? {
    let answer = context.form["credential"]
    guard !answer.isEmpty else { return nil }
    do throws(WebAuthnError) {
      guard let challenge = PasskeyChallenge.find(purpose, context) else { throw .challenge }
      let record = try context.relyingParty.register(
        RegistrationResponse(json: Array(answer.utf8)), challenge: challenge.bytes)
      let browser = BrowserName(context.request.headers[.userAgent] ?? "").description(context)
      return NewPasskey(
        record: record, userHandle: challenge.userHandle,
        name: name ?? PasskeyStore.nameLimits.beginning(of: browser), challenge: challenge)
    } catch {
      context.noteError("passkey: \(error)")
      errors["credential"] = FieldError("error.passkey_new")
      return nil
    }
  }
}
