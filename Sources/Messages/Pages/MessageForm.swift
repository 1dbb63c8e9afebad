import Core
import Secrets
import Web

/// The submitted form of a new message.
struct MessageForm {
  /// The identifier that makes a repeated sending one message.
  private(set) var clientID: String
  let text: String
  let quoted: ID<Message>?
  private let pictures: [NewMessagePicture]
  private let voice: NewMessageVoice?
  private let isTooMuchTogether: Bool

  init(_ form: Form) {
    let given = form["client_id"].asOneLine
    clientID =
      given.isEmpty || !MessageRules.clientIDLimits.allow(given) ? Self.newClientID() : given
    text = form["text"].asParagraphs
    quoted = ID<Message>(form["quoted"])
    let descriptions = form.all("descriptions")
    pictures = form.files.filter { $0.fieldName == "pictures" }.enumerated().map { place, file in
      NewMessagePicture(
        path: file.path, description: place < descriptions.count ? descriptions[place] : "",
        isTooLarge: file.tooLarge)
    }
    voice = form.files.first { $0.fieldName == "voice" }.map {
      NewMessageVoice(path: $0.path, isTooLarge: $0.tooLarge)
    }
    isTooMuchTogether = form.filesAreTooLargeTogether
  }

  /// The empty form.
  init(quoted: ID<Message>? = nil) {
    clientID = Self.newClientID()
    text = ""
    self.quoted = quoted
    pictures = []
    voice = nil
    isTooMuchTogether = false
  }

  var message: NewMessage {
    NewMessage(
      clientID: clientID, text: text, quoted: quoted, pictures: pictures, voice: voice,
      isTooMuchTogether: isTooMuchTogether)
  }

  /// The form to be shown after a problem: what was sent before is another message.
  func shown(after problem: Problem) -> MessageForm {
    guard problem.status == .conflict else { return self }
    var form = self
    form.clientID = Self.newClientID()
    return form
  }

  private static func newClientID() -> String { Base64URL.text(RandomBytes.make(16)) }
}

extension Problem {
  /// The errors to show beside the fields of a message; nil for problems that need a page of their
  /// own.
  var messageErrors: [String: FieldError]? {
    if status == .tooManyRequests { return ["text": FieldError("error.messages_many")] }
    guard !fields.isEmpty else { return nil }
    guard let quoted = fields["quoted"], fields["text"] == nil else { return fields }
    return ["text": quoted]
  }
}
