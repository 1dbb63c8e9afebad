import Jobs

/// What the worker does for this room.
enum CheckInJobs {
  static func all(
    _ services: CheckInServices, ping: (@Sendable () throws -> Void)?
  ) -> [JobKind] {
    let scan = CheckInScan(services: services)
    let desk = ContactDesk(services: services)
    return [
      .recurring(CheckInScan.job, every: CheckInScan.every, isPunctual: true) {
        try scan.run(now: $0)
        do {
          try ping?()
        } catch {
          services.site.logger.warning("the watcher of the scan: \(error)")
        }
      },
      JobKind(ContactDesk.introduction) { try desk.introduce($0, now: $1) },
    ]
  }
}
