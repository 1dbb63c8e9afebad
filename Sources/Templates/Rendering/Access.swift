/// A field with its view type erased: the operations on the value that a raw pointer to the view
/// leads to.
///
/// The closures are made where the view type is known (see `Field`), so rendering needs neither
/// reflection nor existential values. A nil closure means that the field cannot be used that way.
@usableFromInline
struct Access: Sendable {
  @usableFromInline typealias Write = @Sendable (UnsafeRawPointer, inout Output) -> Void
  @usableFromInline typealias Test = @Sendable (UnsafeRawPointer) -> Bool
  @usableFromInline typealias Number = @Sendable (UnsafeRawPointer) -> Int
  @usableFromInline typealias Word = @Sendable (UnsafeRawPointer) -> String
  @usableFromInline typealias Body = (UnsafeRawPointer) -> Void
  /// Calls the body once for each value found (a list's elements, or at most one).
  @usableFromInline typealias Enter = @Sendable (UnsafeRawPointer, Body) -> Void

  @usableFromInline
  enum Kind: String, Sendable {
    case text, integer, flag, list, child, optional, markup, partial
  }

  @usableFromInline var kind: Kind
  /// Writes the value escaped.
  @usableFromInline var write: Write?
  /// Writes the value as it is.
  @usableFromInline var writeRaw: Write?
  /// Writes the value for use inside a text of a catalogue: numbers are grouped.
  @usableFromInline var writeInText: Write?
  /// Whether a section is shown.
  @usableFromInline var test: Test?
  @usableFromInline var enter: Enter?
  /// The shape of the views that `enter` finds.
  @usableFromInline var shape: Shape?
  @usableFromInline var number: Number?
  @usableFromInline var word: Word?
  /// The partials among which `word` chooses.
  @usableFromInline var choices: [String] = []

  @usableFromInline
  init(kind: Kind) {
    self.kind = kind
  }
}

extension Access {
  /// Writes a text as it is, for templates that are not HTML.
  var writePlain: Write? {
    guard kind == .text, let word else { return nil }
    return { $1.append(raw: word($0)) }
  }

  /// The field `inner` of the single value that this field leads to, for dotted names. An absent
  /// value shows nothing and counts as false.
  func followed(by inner: Access) -> Access? {
    guard let enter, kind == .child || kind == .optional else { return nil }
    var access = inner
    access.write = inner.write.map { Self.through(enter, $0) }
    access.writeRaw = inner.writeRaw.map { Self.through(enter, $0) }
    access.writeInText = inner.writeInText.map { Self.through(enter, $0) }
    access.test = inner.test.map { Self.value(enter, absent: false, $0) }
    access.number = inner.number.map { Self.value(enter, absent: 0, $0) }
    access.word = inner.word.map { Self.value(enter, absent: "", $0) }
    if let next = inner.enter {
      access.enter = { pointer, body in enter(pointer) { next($0, body) } }
    }
    return access
  }

  private static func through(_ enter: @escaping Enter, _ write: @escaping Write) -> Write {
    { pointer, output in enter(pointer) { write($0, &output) } }
  }

  private static func value<T: Sendable>(
    _ enter: @escaping Enter, absent: T, _ get: @escaping @Sendable (UnsafeRawPointer) -> T
  ) -> @Sendable (UnsafeRawPointer) -> T {
    { pointer in
      var found = absent
      enter(pointer) { found = get($0) }
      return found
    }
  }
}
