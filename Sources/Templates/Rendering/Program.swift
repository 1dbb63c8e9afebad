/// A template compiled for a view type and a language.
final class Program: Sendable {
  private let steps: [Step]
  private let literals: [UInt8]
  /// The ranges of steps of the main list, which is the first, and of the recursive partials.
  private let procedures: [Range<Int>]
  private let slots: Int
  /// The keys of the texts it holds.
  let textKeys: Set<String>

  init(
    procedures: [[Step]], literals: [UInt8], slots: Int, textKeys: Set<String>
  ) {
    var steps: [Step] = []
    var ranges: [Range<Int>] = []
    for procedure in procedures {
      ranges.append(steps.count..<steps.count + procedure.count)
      steps += procedure
    }
    self.steps = steps
    self.literals = literals
    self.procedures = ranges
    self.slots = slots
    self.textKeys = textKeys
  }

  /// Appends the rendering of the view that the pointer leads to. It and its frame must be of the
  /// types that the program was compiled for.
  func render(
    _ view: UnsafeRawPointer, in frame: UnsafeRawPointer? = nil, into output: inout Output
  ) {
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: slots) { frames in
      steps.withUnsafeBufferPointer { steps in
        literals.withUnsafeBufferPointer { literals in
          procedures.withUnsafeBufferPointer { procedures in
            frames.initialize(repeating: view)
            if let frame { frames[0] = frame }
            guard let frames = frames.baseAddress, let steps = steps.baseAddress,
              let literals = literals.baseAddress, let procedures = procedures.baseAddress
            else { return }
            let run = Run(
              steps: steps, literals: literals, procedures: procedures, frames: frames)
            run(procedures[0], &output)
          }
        }
      }
    }
  }
}

/// One rendering: pointers into the program, and the view of each slot.
private struct Run {
  let steps: UnsafePointer<Step>
  let literals: UnsafePointer<UInt8>
  let procedures: UnsafePointer<Range<Int>>
  let frames: UnsafeMutablePointer<UnsafeRawPointer>

  func callAsFunction(_ range: Range<Int>, _ output: inout Output) {
    var index = range.lowerBound
    while index < range.upperBound {
      switch steps[index] {
      case .literal(let offset, let count):
        output.append(literals + offset, count: count)
      case .write(let slot, let write):
        write(frames[slot], &output)
      case .skip(let count):
        index += count
      case .skipIf(let slot, let test, let count):
        if test(frames[slot]) { index += count }
      case .skipUnless(let slot, let test, let count):
        if !test(frames[slot]) { index += count }
      case .enter(let slot, let enter, let inner, let count):
        let body = index + 1..<index + 1 + count
        let outer = frames[inner]
        enter(frames[slot]) { value in
          frames[inner] = value
          self(body, &output)
        }
        frames[inner] = outer
        index += count
      case .call(let procedure):
        self(procedures[procedure], &output)
      }
      index += 1
    }
  }
}
