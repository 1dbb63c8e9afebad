import Glibc

/// libFuzzer's own main loop (`FuzzerInterface.h` of LLVM's compiler-rt).
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The target of this process, from `PAIRSPOT_FUZZ_TARGET`.
private let target: FuzzTarget = {
  let name = getenv("PAIRSPOT_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let found = FuzzTarget.all.first(where: { $0.name == name }) else {
    for one in FuzzTarget.all { puts(one.name) }
    exit(name.isEmpty ? 0 : 64)
  }
  return found
}()

_ = target
var argumentCount = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(
  runDriver(&argumentCount, &arguments) { start, count in
    target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
  })
