/// A parser of untrusted bytes. It may reject them; it may not trap, read out of bounds, or break
/// the guarantees of its result.
struct FuzzTarget: Sendable {
  let name: String
  let run: @Sendable ([UInt8]) -> Void

  /// In the order of `make fuzz`.
  static let all = webTargets + fileTargets + mailTargets + tokenTargets + signInTargets

  /// Ends the process if a guarantee is broken; libFuzzer keeps the input.
  static func check(_ holds: Bool, _ promise: String) {
    precondition(holds, promise)
  }
}
