/// A name that templates may use, bound to a property of the view type `V`.
///
/// The static functions are inlinable so that the closures are compiled where `V` is known.
public struct Field<V>: Sendable {
  @usableFromInline var access: Access

  @usableFromInline
  init(access: Access) {
    self.access = access
  }

  /// A text: `{{name}}` escaped; as a section it is shown if not empty, and is `{{.}}` inside.
  @inlinable @inline(__always)
  public static func text(_ get: @escaping @Sendable (V) -> String) -> Field {
    var access = Access(kind: .text)
    access.write = { $1.append(escaping: get($0.assumingMemoryBound(to: V.self).pointee)) }
    access.writeInText = access.write
    access.test = { !get($0.assumingMemoryBound(to: V.self).pointee).isEmpty }
    access.word = { get($0.assumingMemoryBound(to: V.self).pointee) }
    access.enter = { pointer, body in
      let text = get(pointer.assumingMemoryBound(to: V.self).pointee)
      if !text.isEmpty {
        withUnsafePointer(to: text) { body(UnsafeRawPointer($0)) }
      }
    }
    access.shape = Shape(String.self)
    return Field(access: access)
  }

  /// A text that may be absent: nil writes nothing and, like an empty text, hides a section.
  @inlinable @inline(__always)
  public static func optionalText(_ get: @escaping @Sendable (V) -> String?) -> Field {
    .text { get($0) ?? "" }
  }

  /// A whole number: `{{name}}` in plain digits, grouped inside a text of a catalogue; as a section
  /// it is shown if not zero, and is `{{.}}` inside.
  @inlinable @inline(__always)
  public static func integer(_ get: @escaping @Sendable (V) -> Int) -> Field {
    var access = Access(kind: .integer)
    access.write = { $1.append(get($0.assumingMemoryBound(to: V.self).pointee)) }
    access.writeInText = { $1.append(grouping: get($0.assumingMemoryBound(to: V.self).pointee)) }
    access.test = { get($0.assumingMemoryBound(to: V.self).pointee) != 0 }
    access.number = { get($0.assumingMemoryBound(to: V.self).pointee) }
    access.enter = { pointer, body in
      let number = get(pointer.assumingMemoryBound(to: V.self).pointee)
      if number != 0 {
        withUnsafePointer(to: number) { body(UnsafeRawPointer($0)) }
      }
    }
    access.shape = Shape(Int.self)
    return Field(access: access)
  }

  /// A Boolean: for sections and inverted sections only.
  @inlinable @inline(__always)
  public static func flag(_ get: @escaping @Sendable (V) -> Bool) -> Field {
    var access = Access(kind: .flag)
    access.test = { get($0.assumingMemoryBound(to: V.self).pointee) }
    return Field(access: access)
  }

  /// A list of views: its section is shown once for each element, its inverted section if empty.
  @inlinable @inline(__always)
  public static func list<E: View>(_ get: @escaping @Sendable (V) -> [E]) -> Field {
    list(get, of: Shape(E.self))
  }

  /// A view inside the view: its section is shown once; dotted names refer to its fields.
  @inlinable @inline(__always)
  public static func child<C: View>(_ get: @escaping @Sendable (V) -> C) -> Field {
    child(get, of: Shape(C.self))
  }

  /// A view that may be absent: its section is shown if present, its inverted section if absent;
  /// dotted names refer to its fields and show nothing if absent.
  @inlinable @inline(__always)
  public static func optional<C: View>(_ get: @escaping @Sendable (V) -> C?) -> Field {
    optional(get, of: Shape(C.self))
  }

  /// Trusted HTML, written as it is by `{{{name}}}` or `{{&name}}`; as a section it is shown if not
  /// empty.
  @inlinable @inline(__always)
  public static func markup(_ get: @escaping @Sendable (V) -> Markup) -> Field {
    var access = Access(kind: .markup)
    access.writeRaw = { $1.append(get($0.assumingMemoryBound(to: V.self).pointee)) }
    access.test = { !get($0.assumingMemoryBound(to: V.self).pointee).isEmpty }
    return Field(access: access)
  }

  /// Chooses one of the named partials: `{{>*name}}`. All of them are compiled; any other name,
  /// and the empty one, shows nothing.
  @inlinable @inline(__always)
  public static func partial(
    among names: [String], _ get: @escaping @Sendable (V) -> String
  ) -> Field {
    var access = Access(kind: .partial)
    access.word = { get($0.assumingMemoryBound(to: V.self).pointee) }
    access.test = { !get($0.assumingMemoryBound(to: V.self).pointee).isEmpty }
    access.choices = names
    return Field(access: access)
  }
}

extension Field {
  @inlinable @inline(__always)
  static func list<E>(_ get: @escaping @Sendable (V) -> [E], of shape: Shape) -> Field {
    var access = Access(kind: .list)
    access.test = { !get($0.assumingMemoryBound(to: V.self).pointee).isEmpty }
    access.enter = { pointer, body in
      get(pointer.assumingMemoryBound(to: V.self).pointee).withUnsafeBufferPointer { elements in
        guard var element = elements.baseAddress else { return }
        for _ in 0..<elements.count {
          body(UnsafeRawPointer(element))
          element += 1
        }
      }
    }
    access.shape = shape
    return Field(access: access)
  }

  @inlinable @inline(__always)
  static func child<C>(_ get: @escaping @Sendable (V) -> C, of shape: Shape) -> Field {
    var access = Access(kind: .child)
    access.test = { _ in true }
    access.enter = { pointer, body in
      withUnsafePointer(to: get(pointer.assumingMemoryBound(to: V.self).pointee)) {
        body(UnsafeRawPointer($0))
      }
    }
    access.shape = shape
    return Field(access: access)
  }

  @inlinable @inline(__always)
  static func optional<C>(_ get: @escaping @Sendable (V) -> C?, of shape: Shape) -> Field {
    var access = Access(kind: .optional)
    access.test = { get($0.assumingMemoryBound(to: V.self).pointee) != nil }
    access.enter = { pointer, body in
      if let value = get(pointer.assumingMemoryBound(to: V.self).pointee) {
        withUnsafePointer(to: value) { body(UnsafeRawPointer($0)) }
      }
    }
    access.shape = shape
    return Field(access: access)
  }
}
