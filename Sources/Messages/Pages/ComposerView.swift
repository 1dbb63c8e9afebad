import Core
import Templates
import Web

/// The form of a new message, empty or as it was sent.
struct ComposerView: FormContent {
  let form: MessageForm
  let action: String
  /// The page without a quoted message.
  let plainLink: String
  let quote: QuoteView?
  /// Whether pictures and a voice note may be sent: not with a request.
  let mayAddFiles: Bool
  let mayAddVoice: Bool
  let errors: [String: String]

  init(
    _ form: MessageForm, action: String, plainLink: String, quote: QuoteView?,
    mayAddFiles: Bool, takesVoice: Bool, errors: [String: FieldError], _ context: Context
  ) {
    self.form = form
    self.action = action
    self.plainLink = plainLink
    self.quote = quote
    self.mayAddFiles = mayAddFiles
    mayAddVoice = mayAddFiles && takesVoice
    self.errors = errors.texts(context)
  }

  static let fields: [String: Field<ComposerView>] = formFields(
    errors: ["text", "pictures", "voice"],
    [
      "action": .text { $0.action },
      "client_id": .text { $0.form.clientID },
      "quoted": .optionalText { $0.quote == nil ? nil : $0.form.quoted?.description },
      "quote": .optional { $0.quote },
      "plain_link": .text { $0.plainLink },
      "text": .text { $0.form.text },
      "may_add_pictures": .flag { $0.mayAddFiles },
      "may_add_voice": .flag { $0.mayAddVoice },
    ])
}
