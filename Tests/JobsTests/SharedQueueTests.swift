import Core
import Database
import Dispatch
import PostgreSQLServer
import Synchronization
import Testing

@testable import Jobs

@Suite("A queue that the workers of several nodes share")
struct SharedQueueTests {
  @Test("Each job is claimed once", arguments: TestEngine.allCases)
  func once(engine: TestEngine) throws {
    let now = Instant(milliseconds: 1_772_409_600_000)
    let place = try engine.place()
    let nodes = [try engine.open(place), try engine.open(place)]
    try nodes[0].migrate(JobSchema.migrations)
    try nodes[0].write { writer in
      for _ in 1...40 { try JobStore.add("a", runAt: now, now: now, in: writer) }
    }
    let claimed = Mutex<[ID<Job>]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      let store = JobStore(database: nodes[number % nodes.count])
      while true {
        do {
          guard let job = try store.claim([:], now: now) else { return }
          claimed.withLock { $0.append(job.id) }
        } catch StorageError.busy {
          continue
        } catch {
          Issue.record(error)
          return
        }
      }
    }
    let ids = claimed.withLock { $0 }
    #expect(ids.count == 40 && Set(ids).count == 40)
  }
}
