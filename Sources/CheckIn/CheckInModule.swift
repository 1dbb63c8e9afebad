import Accounts
import Basics
import Database
import Jobs
import Mail
import Secrets
import Web

/// What this room offers to the house.
public struct CheckInModule: Sendable {
  /// What it needs from the house.
  public struct Needs: Sendable {
    public let site: Site
    public let mailQueue: MailQueue
    public let limits: RateLimitStore
    /// The most that an outage of ours gives back, in s; nil for as long as it was.
    public let mostGrace: Int64?

    public init(site: Site, mailQueue: MailQueue, limits: RateLimitStore, mostGrace: Int64?) {
      self.site = site
      self.mailQueue = mailQueue
      self.limits = limits
      self.mostGrace = mostGrace
    }
  }

  public static let migrations = CheckInSchema.migrations
  public let jobs: [JobKind]
  public let participant: any AccountParticipant
  public let mailObserver: any MailObserver
  public let doctorChecks: [DoctorCheck]
  public let healthChecks: [HealthCheck]
  public let gauges: [Gauge]
  let services: CheckInServices

  /// Compiles the letters of this room; throws what is wrong with their templates.
  public init(_ needs: Needs) throws {
    let services = try CheckInServices(
      site: needs.site, queue: needs.mailQueue, limits: needs.limits, mostGrace: needs.mostGrace)
    self.services = services
    participant = CheckInParticipant(services: services)
    mailObserver = MailFate(services: services)
    jobs = CheckInJobs.all(services)
    doctorChecks = CheckInDoctor.checks
    healthChecks = CheckInHealth.checks(services)
    gauges = CheckInHealth.gauges(services)
  }

  /// The addresses of this room (pages.md); compiles its pages.
  public func routes(guests: Guests) throws -> [Route] {
    let page = try CheckInPage(services, guests: guests)
    return [
      Route(.get, CheckInLinks.page, .anyone, options: .noStore, handler: page.show),
      Route(.post, CheckInLinks.page, .anyone, options: .noStore, handler: page.send),
    ]
  }

  /// Says that requests are being answered: the end of an outage is noted by it.
  public func beat(now: Instant) throws {
    try services.outages.beat(now: now)
  }

  /// Seals and hashes what this room keeps anew for another ring; answers how many values.
  public static func reseal(from old: KeyRing, to new: KeyRing, in writer: Writer) throws -> Int {
    try ContactStore.reseal(from: old, to: new, in: writer)
      + WatchStore.reseal(from: old, to: new, in: writer)
  }
}
