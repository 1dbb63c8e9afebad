import Foundation
import Testing

/// Does something on so many threads. Their time is counted here, since a limit of the test's own would
/// count its wait behind all others as well: who isn't through after 60 s waits for another of them.
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
