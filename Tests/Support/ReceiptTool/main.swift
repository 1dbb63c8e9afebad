import Core
// Signs like the App Store, for the end-to-end tests:
//   receipt-tool make FOLDER    makes keys and certificates; root.pem is the one to configure
//   receipt-tool sign FOLDER    a line of JSON in, a signed one out, until the input ends
import FakeAppStore
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: receipt-tool make|sign FOLDER\n".utf8))
  exit(64)
}
let folder = URL(filePath: arguments[2])
let keys = folder.appending(path: "stand-in.json")
switch arguments[1] {
case "make":
  let made = try FakeAppStore(now: Instant(date: Date()))
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  try made.kept().write(to: keys)
  try Data(made.rootPEM.utf8).write(to: folder.appending(path: "root.pem"))
default:
  let apple = try FakeAppStore(kept: Data(contentsOf: keys))
  while let line = readLine() { print(try apple.sign(line)) }
}
