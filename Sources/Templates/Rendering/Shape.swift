/// The compiler's knowledge of a view type: its identity, its name and its fields.
@usableFromInline
struct Shape: Sendable {
  let identity: ObjectIdentifier
  // Functions, because a view type may contain itself; the name is only for error messages.
  private let describe: @Sendable () -> String
  let field: @Sendable (String) -> Access?
  let fieldNames: @Sendable () -> [String]

  var name: String { describe() }

  init(
    identity: ObjectIdentifier, name: @escaping @autoclosure @Sendable () -> String,
    field: @escaping @Sendable (String) -> Access?,
    fieldNames: @escaping @Sendable () -> [String]
  ) {
    self.identity = identity
    describe = name
    self.field = field
    self.fieldNames = fieldNames
  }

  @usableFromInline
  init<V: View>(_ type: V.Type) {
    identity = ObjectIdentifier(type)
    describe = { String(describing: V.self) }
    field = { V.fields[$0]?.access }
    fieldNames = { Array(V.fields.keys) }
  }
}
