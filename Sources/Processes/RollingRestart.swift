import Glibc

/// Replaces the running programs by the installed versions.
extension Supervisor {
  /// The result of replacing one program.
  private enum Outcome {
    case done
    case failed(String)
    case askedToStop
  }

  /// Replaces stage after stage; false if it was asked to stop. If a newer process doesn't take
  /// over, the older one keeps running, and so do all later ones.
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
            // It may have died halfway through the take-over, which leaves the older one
            // unreachable.
            if !isReady(stage) { children[stage][index].killCurrent() }
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
        return .failed("the new process exited (\(Spawn.code(of: status)))")
      }
      let isStopping = signals.wait(0.02).stops > 0
      if isStopping || monotonicSeconds() > deadline {
        SupervisedChild.kill(group: newer)
        _ = Spawn.wait(for: newer)
        return isStopping ? .askedToStop : .failed("the new process is not ready")
      }
      _ = superviseAll(&children)
    }
    let isStopping = signals.wait(pace.takeoverDelay).stops > 0
    children[stage][index].handOver(to: newer)
    return isStopping ? .askedToStop : .done
  }
}
