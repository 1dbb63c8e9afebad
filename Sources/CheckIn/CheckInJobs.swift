import Jobs

/// What the worker does for this room.
enum CheckInJobs {
  static func all(_ services: CheckInServices) -> [JobKind] {
    let scan = CheckInScan(services: services)
    let desk = ContactDesk(services: services)
    return [
      .recurring("checkin.scan", every: CheckInScan.every, isPunctual: true) {
        try scan.run(now: $0)
      },
      JobKind(ContactDesk.introduction) { try desk.introduce($0, now: $1) },
    ]
  }
}
