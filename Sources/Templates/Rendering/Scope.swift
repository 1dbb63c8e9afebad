/// The state of the compiler at a position: the views whose names are visible, the content of
/// blocks, and the indentation of lines.
struct Scope {
  /// The view around the root, which has a name of its own: `{{page.title}}`.
  private let frame: (name: String, view: VisibleView)?
  /// From the outermost to the innermost.
  private(set) var views: [VisibleView]
  var blocks = BoundBlocks()
  /// White space added before each line.
  var added: [UInt8] = []
  /// White space removed from the beginning of each line.
  var stripped: [UInt8] = []
  /// How often a section replaced a view by one of its own type found in it: a recursive partial
  /// needs one between two calls, or it would never end.
  private(set) var descents = 0

  init(root: Shape, frame: Frame?) {
    self.frame = frame.map { ($0.name, VisibleView(shape: $0.shape, slot: 0, origins: [0])) }
    let slot = frame == nil ? 0 : 1
    views = [VisibleView(shape: root, slot: slot, origins: [slot])]
  }

  /// The frame with this name, unless a view has a field of that name.
  func frame(named name: String) -> VisibleView? {
    guard let frame, frame.name == name, !views.contains(where: { $0.shape.field(name) != nil })
    else { return nil }
    return frame.view
  }

  /// The scope inside a section over `view`'s values of another shape.
  ///
  /// An outer view of that shape is hidden from now on (the inner one has the same names), so its
  /// slot is reused, and the number of scopes is limited however deep a partial recurs.
  func entering(_ shape: Shape, from view: VisibleView) -> (scope: Scope, slot: Int) {
    var scope = self
    var slot = views.count + (frame == nil ? 0 : 1)
    if let hidden = views.firstIndex(where: { $0.shape.identity == shape.identity }) {
      slot = views[hidden].slot
      scope.views.remove(at: hidden)
    }
    if view.origins.contains(slot) {
      scope.descents += 1
    }
    scope.views.append(
      VisibleView(shape: shape, slot: slot, origins: view.origins.union([slot])))
    return (scope, slot)
  }

  /// The white space to write for a line of the template that begins with `whiteSpace`.
  func indentation(of whiteSpace: [UInt8]) -> [UInt8] {
    let common = zip(whiteSpace, stripped).prefix { $0 == $1 }.count
    return added + whiteSpace.dropFirst(common)
  }
}

/// The shape of the view around the root of a template, and the name that leads to its fields.
struct Frame: Sendable {
  let name: String
  let shape: Shape
}

/// A view in scope, and its slot while rendering.
struct VisibleView {
  let shape: Shape
  let slot: Int
  /// The slots of the views that contain it, and its own.
  let origins: Set<Int>
}

/// A block that fills one of a parent, with the blocks that filled the template where it is
/// written.
final class BoundBlock {
  let block: Block
  let blocks: BoundBlocks

  init(_ block: Block, blocks: BoundBlocks) {
    self.block = block
    self.blocks = blocks
  }
}

/// The contents of blocks, by the blocks' names.
struct BoundBlocks {
  private(set) var byName: [String: BoundBlock] = [:]
  /// The same number for the same blocks, 0 for none (`BlockNumbers`).
  private(set) var number = 0

  /// These blocks, and those of the arguments that are not filled yet.
  func adding(_ arguments: [String: Block], _ numbers: inout BlockNumbers) -> BoundBlocks {
    var result = self
    for (name, block) in arguments.sorted(by: { $0.key < $1.key }) where byName[name] == nil {
      result.byName[name] = BoundBlock(block, blocks: self)
      result.number = numbers.number(
        .init(before: result.number, name: name, place: block.name.position, within: number))
    }
    return result
  }
}

/// Numbers for the contents of blocks, which nest and are compared often by the compiler.
struct BlockNumbers {
  struct Addition: Hashable {
    let before: Int
    let name: String
    let place: Position
    let within: Int
  }

  private var known: [Addition: Int] = [:]

  mutating func number(_ addition: Addition) -> Int {
    if let number = known[addition] { return number }
    known[addition] = known.count + 1
    return known.count
  }
}
