import Accounts
import Database
import Feed
import Foundation
import Images
import Mail
import Secrets
import Web

/// The features, each given what it needs. A new one gets a line in each list.
struct Features: Sendable {
  let accounts: AccountsModule
  let feed: FeedModule

  init(
    _ configuration: Configuration, _ options: House.Options, site: Site, mailQueue: MailQueue,
    limits: RateLimitStore
  ) throws {
    let workshop = PictureWorkshop(
      executable: options.pictureProgram, arguments: options.pictureArguments,
      maximumChildren: ProcessInfo.processInfo.activeProcessorCount,
      maximumWaiting: max(1, configuration.threads / 4))
    let feed = try FeedModule(
      .init(site: site, workshop: workshop, mediaFolder: configuration.mediaFolder))
    self.feed = feed
    accounts = try AccountsModule(
      .init(
        site: site, mailQueue: mailQueue, limits: limits,
        passwordRules: PasswordRules(
          listPath: "\(configuration.templatesFolder)/passwords/common.txt"),
        hasher: PasswordHasher(
          cost: options.passwordCost, waiting: max(1, configuration.threads / 2)),
        legal: LegalTexts(
          templates: configuration.templatesFolder, termsFile: configuration.termsFile,
          privacyFile: configuration.privacyFile),
        workshop: workshop, mediaFolder: configuration.mediaFolder,
        participants: { [feed.participant] }))
  }

  /// The account itself goes last: what belongs to a person points at them.
  var participants: [any AccountParticipant] { [feed.participant, accounts.participant] }
  /// Who wants to know what became of a mail.
  var mailObservers: [any MailObserver] { [] }
  var doctorChecks: [DoctorCheck] { accounts.doctorChecks + feed.doctorChecks }
  var gauges: [Gauge] { accounts.gauges + feed.gauges }
}
