import Templates

/// A page that asks before something that cannot be undone; scripts show it as a dialog.
public struct QuestionPage: Sendable {
  private let page: Page<Question>

  /// Compiles the page. Throws `TemplateError`.
  public init(in site: AppEnvironment) throws {
    page = try Page("layouts/question", in: site)
  }

  /// The response that asks a question.
  public func response(_ question: Question, _ context: Context) -> Response {
    page.response(question, context, title: .named(question.title))
  }
}

/// A question with the form that its answer sends.
public struct Question: View {
  let title: String
  let text: String
  let button: String
  let action: String
  let inputs: [HiddenInput]
  let cancel: String

  /// Creates a question in the viewer's language. The form is sent to `action` with `inputs`; `cancel`
  /// is the page to return to.
  public init(
    title: String, text: String, button: String, action: String, inputs: [(String, String)],
    cancel: String
  ) {
    self.title = title
    self.text = text
    self.button = button
    self.action = action
    self.inputs = inputs.map { HiddenInput(name: $0.0, value: $0.1) }
    self.cancel = cancel
  }

  public static let fields: [String: Field<Question>] = [
    "title": .text { $0.title },
    "text": .text { $0.text },
    "button": .text { $0.button },
    "action": .text { $0.action },
    "inputs": .list { $0.inputs },
    "cancel_link": .text { $0.cancel },
  ]
}

/// A field of a form that is not shown.
struct HiddenInput: View {
  let name: String
  let value: String

  static let fields: [String: Field<HiddenInput>] = [
    "name": .text { $0.name },
    "value": .text { $0.value },
  ]
}
