// A server in a process of its own, for the tests of taking over: answers with its process id until
// it is asked to end. `listener-tool SOCKET [--take-over]`
import FastCGI
import Foundation
import Glibc

var set = sigset_t()
sigemptyset(&set)
sigaddset(&set, SIGTERM)
pthread_sigmask(SIG_BLOCK, &set, nil)

do {
  let server = try FastCGIServer(
    socketPath: CommandLine.arguments[1], threads: 2,
    takesOver: CommandLine.arguments.contains("--take-over"))
  let awaited = set
  Thread.detachNewThread {
    var (awaited, number) = (awaited, Int32(0))
    sigwait(&awaited, &number)
    server.stop()
  }
  server.run { exchange in
    try? exchange.write(Array("Status: 200\r\n\r\n\(getpid())".utf8))
  }
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
