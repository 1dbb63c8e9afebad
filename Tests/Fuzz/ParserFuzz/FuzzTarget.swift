/// A parser, given bytes of a stranger. It may refuse them; it may not trap, read beyond its
/// memory, or break what it promises of its result.
struct FuzzTarget: Sendable {
  let name: String
  let run: @Sendable ([UInt8]) -> Void

  /// In the order in which `make fuzz` runs them.
  static let all = webTargets + fileTargets + mailTargets + tokenTargets

  /// Ends the process where a promise is broken; libFuzzer keeps the input.
  static func check(_ holds: Bool, _ promise: String) {
    precondition(holds, promise)
  }
}
