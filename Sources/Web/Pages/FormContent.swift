import Templates

/// The content of a page with a form that is shown again with its errors.
public protocol FormContent: View {
  /// The messages by the fields' names.
  var errors: [String: String] { get }
}

extension FormContent {
  /// The fields of a form's template: the errors by name (`email_error`), their summary (`errors`)
  /// and others.
  ///
  /// - Parameter names: The names of the form's fields in the order of the page.
  public static func formFields(
    errors names: [String], _ others: [String: Field<Self>]
  ) -> [String: Field<Self>] {
    var fields = others
    for name in names {
      fields["\(name)_error"] = .optionalText { $0.errors[name] }
    }
    fields["errors"] = .optional { ErrorsView($0.errors, order: names) }
    return fields
  }
}

/// The error summary above a form, marked `error-summary`.
public struct ErrorsView: View {
  public struct Item: View {
    /// Fields that the summary names by their labels, so that it doesn't repeat the message beside
    /// the field.
    private static let named = ["email", "password", "current_password", "recovery_code", "code"]

    let field: String
    let message: String

    public static let fields: [String: Field<Item>] = [
      "field": .text { $0.field },
      "email": .flag { $0.field == "email" },
      "password": .flag { $0.field == "password" },
      "current_password": .flag { $0.field == "current_password" },
      "recovery_code": .flag { $0.field == "recovery_code" },
      "code": .flag { $0.field == "code" },
      "message": .optionalText { named.contains($0.field) ? nil : $0.message },
    ]
  }

  let items: [Item]

  /// Nil if there are no errors. `order` is the order of the fields on the page.
  public init?(_ errors: [String: String], order: [String]) {
    guard !errors.isEmpty else { return nil }
    items = order.compactMap { field in
      errors[field].map { Item(field: field, message: $0) }
    }
  }

  public static let fields: [String: Field<ErrorsView>] = [
    "count": .integer { $0.items.count },
    "items": .list { $0.items },
  ]
}
