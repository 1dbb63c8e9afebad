import Glibc

/// Replaces what runs by what is on the disk now.
extension Supervisor {
  /// What became of one program.
  private enum Outcome {
    case done
    case failed(String)
    case askedToStop
  }

  /// Replaces stage after stage; false when it was asked to stop meanwhile. Where a newer process
  /// doesn't take over, the older one goes on, and so does all that comes after it.
  func renew(_ children: inout [[SupervisedChild]]) -> Bool {
    for stage in children.indices {
      for index in children[stage].indices {
        let program = children[stage][index].program
        switch program.renewal {
        case .restart: children[stage][index].restart()
        case .keep: continue
        case .beside(let arguments, let hasTakenOver):
          children[stage][index].isBeingReplaced = true
          let outcome = replace(&children, stage, index, arguments, hasTakenOver)
          children[stage][index].isBeingReplaced = false
          switch outcome {
          case .done: continue
          case .askedToStop: return false
          case .failed(let reason):
            // It may have died when it had half taken over, and nobody reaches the older one.
            if !isReady(stage) { children[stage][index].killPresent() }
            report(.notRenewed(name: program.name, reason: reason))
            return true
          }
        }
      }
    }
    report(.renewed)
    return true
  }

  private func replace(
    _ children: inout [[SupervisedChild]], _ stage: Int, _ index: Int, _ arguments: [String],
    _ hasTakenOver: @Sendable (Int32) -> Bool
  ) -> Outcome {
    let program = children[stage][index].program
    let newer: pid_t
    do {
      newer = try program.start(with: arguments)
    } catch {
      return .failed("\(error)")
    }
    report(.started(name: program.name, process: newer))
    let deadline = monotonicSeconds() + pace.readiness
    while !hasTakenOver(newer) {
      var status: Int32 = 0
      if waitpid(newer, &status, WNOHANG) != 0 {
        SupervisedChild.kill(group: newer)
        return .failed("the newer one ended (\(Spawn.code(of: status)))")
      }
      let isStopping = signals.wait(0.02).stops > 0
      if isStopping || monotonicSeconds() > deadline {
        SupervisedChild.kill(group: newer)
        _ = Spawn.wait(for: newer)
        return isStopping ? .askedToStop : .failed("the newer one isn't ready")
      }
      _ = tendAll(&children)
    }
    let isStopping = signals.wait(pace.settling).stops > 0
    children[stage][index].handOver(to: newer)
    return isStopping ? .askedToStop : .done
  }
}
