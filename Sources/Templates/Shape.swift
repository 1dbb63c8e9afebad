/// What the compiler knows of a view type: its identity, its name and its fields.
@usableFromInline
struct Shape: Sendable {
  let identity: ObjectIdentifier
  let name: String
  // Functions, because a view type may contain itself.
  let field: @Sendable (String) -> Access?
  let fieldNames: @Sendable () -> [String]

  init(
    identity: ObjectIdentifier, name: String, field: @escaping @Sendable (String) -> Access?,
    fieldNames: @escaping @Sendable () -> [String]
  ) {
    self.identity = identity
    self.name = name
    self.field = field
    self.fieldNames = fieldNames
  }

  @usableFromInline
  init<V: View>(_ type: V.Type) {
    identity = ObjectIdentifier(type)
    name = String(describing: type)
    field = { V.fields[$0]?.access }
    fieldNames = { Array(V.fields.keys) }
  }
}
