import Glibc
import ImageProcessing

// `pairspot-pictures` with other limits: with a first argument `--memory=BYTES` it uses a lower
// limit, and with `--limits` it prints the limits it has set.

var arguments = Array(CommandLine.arguments.dropFirst())
var limits: ImageProcessLimits?
if let first = arguments.first, first.hasPrefix("--memory="),
  let bytes = UInt(first.dropFirst("--memory=".count))
{
  limits = ImageProcessLimits(addressSpace: bytes, processorTime: 20)
  arguments.removeFirst()
}
let showsLimits = arguments.first == "--limits"
if showsLimits { arguments.removeFirst() }
let code = ImageProcessorProcess.run(arguments: arguments, limits: limits)
if showsLimits, let file = fopen("/proc/self/limits", "r") {
  var character = fgetc(file)
  while character != EOF {
    putchar(character)
    character = fgetc(file)
  }
}
exit(code)
