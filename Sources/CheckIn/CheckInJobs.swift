import Jobs

/// Thrown while the scan waits for the heartbeat of the handlers.
private struct HandlersNotReadyError: Error, CustomStringConvertible {
  let description = "no current heartbeat of the handlers yet"
}

/// The worker's jobs of this module.
enum CheckInJobs {
  static func all(
    _ services: CheckInEnvironment, ping: (@Sendable () throws -> Void)?
  ) -> [JobKind] {
    let scan = CheckInScan(services: services)
    let service = ContactService(services: services)
    return [
      .recurring(CheckInScan.job, every: CheckInScan.every, isPunctual: true) {
        // At a start the handlers may beat a moment later; the error makes the job run again soon.
        guard try scan.run(now: $0) else { throw HandlersNotReadyError() }
        do {
          try ping?()
        } catch {
          services.site.logger.warning("check of the scan: \(error)")
        }
      },
      JobKind(ContactService.introduction) { try service.introduce($0, now: $1) },
      .recurring("checkin.purge-contacts", every: .hours(6)) { try service.purge(now: $0) },
      .recurring("checkin.remove-record-files", every: .hours(1)) { _ in
        services.recordFiles.removeOld()
      },
    ]
  }
}
