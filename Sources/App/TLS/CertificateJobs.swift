import Core
import Jobs

/// The worker's job for the certificate of https.
enum CertificateJobs {
  static func all(_ configuration: Configuration) -> [JobKind] {
    let name = "tls.certificate"
    let served = ServedCertificate(configuration)
    return switch configuration.tls {
    // Kept, so that a mode that was turned off leaves no job behind that no worker knows.
    case .off, .selfSigned: [.recurring(name, every: .days(1)) { _ in }]
    case .files: [.recurring(name, every: .minutes(1)) { _ in _ = try served.install() }]
    case .acme(let settings):
      [
        // Authorities limit failed attempts: at most 5 an hour at Let's Encrypt.
        .recurring(name, every: .hours(1), lease: 2 * ACMEClient.timeout) { _ in
          try ACMEClient(configuration).renew(settings)
          try served.install()
        }
      ]
    }
  }
}
