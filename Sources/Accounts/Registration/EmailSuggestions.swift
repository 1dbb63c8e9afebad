import Mail
import Templates
import Web

/// Corrected addresses that a form offers as buttons beside its errors. Without JavaScript the
/// button sends the form, which comes back with the address filled in.
enum EmailSuggestions {
  /// The name of the buttons; their value is the field.
  static let button = "use_suggestion"

  /// The suggestions of errors, by field.
  static func all(_ errors: [String: FieldError]) -> [String: String] {
    errors.compactMapValues { $0.parameters["suggestion"] }
  }

  /// The form with the suggested address in the field whose button was pressed; nil if none was.
  static func used(by form: Form, in fields: [String]) -> FormFields? {
    guard let field = fields.first(where: { $0 == form[button] }) else { return nil }
    var errors: [String: FieldError] = [:]
    _ = AccountRules.address(form[field], field: field, &errors)
    return all(errors)[field].map { form.entered.with(field, $0) }
  }
}

/// The button with the corrected address of a field.
struct EmailSuggestionView: View {
  let field: String
  let suggestion: String

  init?(_ suggestions: [String: String], _ field: String) {
    guard let suggestion = suggestions[field] else { return nil }
    self.field = field
    self.suggestion = suggestion
  }

  static let fields: [String: Field<EmailSuggestionView>] = [
    "field": .text { $0.field },
    "suggestion": .text { $0.suggestion },
  ]
}
