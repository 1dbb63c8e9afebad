import Foundation
import Testing

/// Runs the body on this number of threads. The time limit is here, since a limit of the test
/// itself would include waiting for other tests: a thread not done after 60 s hangs on another one.
func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) async {
  let threads = DispatchGroup()
  for number in 0..<count {
    threads.enter()
    Thread.detachNewThread {
      work(number)
      threads.leave()
    }
  }
  let end = await withCheckedContinuation { done in
    Thread.detachNewThread { done.resume(returning: threads.wait(timeout: .now() + 60)) }
  }
  #expect(end == .success, "some wait for each other")
}
