import Core
import Jobs
import Mail
import Web

/// Every job and its schedule.
enum Timetable {
  static func all(
    _ configuration: Configuration, features: Features, mailQueue: MailQueue, limits: RateLimitStore
  ) -> [JobKind] {
    let observers = features.mailObservers
    return features.accounts.jobs + features.feed.jobs + features.checkIn.jobs
      + features.album.jobs + features.trainings.jobs + features.workouts.jobs
      + features.groups.jobs + features.messages.jobs + features.moments.jobs
      + features.moderation.jobs + features.notices.jobs
      + CertificateJobs.all(configuration) + [
        JobKind(MailQueue.jobKind, lease: .minutes(5)) {
          try mailQueue.deliver($0, now: $1, observers: observers)
        },
        .recurring("mail.purge", every: .hours(6)) { try mailQueue.purge(now: $0) },
        .recurring("web.purge-limits", every: .hours(1)) { try limits.purge(now: $0) },
      ]
  }
}
