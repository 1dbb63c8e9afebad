import Templates

/// An option of a list or a radio button.
public struct ChoiceView: View {
  let value: String
  let name: String
  let hint: String
  let isChosen: Bool

  public init(value: String, name: String, hint: String = "", isChosen: Bool) {
    self.value = value
    self.name = name
    self.hint = hint
    self.isChosen = isChosen
  }

  public static let fields: [String: Field<ChoiceView>] = [
    "value": .text { $0.value },
    "name": .text { $0.name },
    "hint": .text { $0.hint },
    "chosen": .flag { $0.isChosen },
  ]
}
