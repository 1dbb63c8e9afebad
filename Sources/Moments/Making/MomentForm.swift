import Core
import Secrets
import Web

/// The submitted form of a new moment.
struct MomentForm {
  /// The identifier that makes a repeated sending one moment.
  let nonce: String
  let words: String
  let audience: Moment.Audience
  /// The uploaded picture or film; nil for none.
  let file: UploadedFile?

  init(_ form: Form) {
    nonce = FieldLimits.nonce.beginning(of: form["nonce"])
    words = form["words"].asOneLine
    audience = Moment.Audience(rawValue: form["audience"]) ?? .followers
    file = form.files.first { $0.fieldName == "file" }
  }

  /// The fields of an API call, which has a key of its own against repetition.
  init(apiForm form: Form) {
    nonce = ""
    words = form["words"].asOneLine
    audience = Moment.Audience(rawValue: form["audience"]) ?? .followers
    file = form.files.first { $0.fieldName == "file" }
  }

  /// A moment that is made without a form, for demonstration data.
  init(words: String, audience: Moment.Audience) {
    nonce = ""
    self.words = words
    self.audience = audience
    file = nil
  }

  /// A hash that distinguishes submissions: words, choice, and the bytes of the file.
  func hash() throws -> [UInt8] {
    let content = try file.map { $0.tooLarge ? "" : Hex.text(try Digests.sha256(file: $0.path)) }
    let parts = [words, audience.rawValue, content ?? ""]
    return Digests.sha256(parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
  }
}
