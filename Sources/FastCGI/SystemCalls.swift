import Glibc

/// The system's text for an error number.
func errorText(_ code: Int32) -> String {
  guard let text = strerror(code) else { return "error \(code)" }
  return String(cString: text)
}

/// Repeats a system call while a signal interrupts it.
func retryingOnInterrupt(_ call: () -> Int) -> Int {
  var result = call()
  while result < 0 && errno == EINTR { result = call() }
  return result
}

/// Sets how long a blocking read or write on a socket may take.
func setTimeout(_ option: Int32, seconds: Int, on socket: Int32) {
  var limit = timeval(tv_sec: seconds, tv_usec: 0)
  setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
}
