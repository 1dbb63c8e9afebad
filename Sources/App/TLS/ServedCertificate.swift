import Certificates
import Core
import Foundation
import Secrets
import Web

/// The certificate that nginx serves: one file with chain and key in the run folder. nginx reads it
/// for each connection, so a newer one needs no reload (docs/decisions/0022-certificates.md).
struct ServedCertificate {
  /// Names of the file in the run folder.
  static let name = "certificate.pem"
  /// An instance is unhealthy so long before its certificate ends, in s.
  private static let warning: Int64 = .days(20)

  private let configuration: Configuration

  init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  /// Takes over the newest certificate of `PAIRSPOT_TLS` and returns it; nil without TLS. Throws
  /// `Serve.Failure` for files that are no chain and key; the certificate served so far stays.
  @discardableResult
  func install() throws -> ServerCertificate? {
    guard let newest = try newest() else { return nil }
    let path = "\(configuration.runFolder)/\(Self.name)"
    if (try? [UInt8].read(path)) != newest.pem {
      try SecretFiles.replace(newest.pem, name: Self.name, in: configuration.runFolder)
    }
    return newest
  }

  private func newest() throws -> ServerCertificate? {
    switch configuration.tls {
    case .off: return nil
    case .selfSigned: return try SelfSignedCertificate(configuration).make()
    case .files(let chain, let key): return try Self.read(chain: chain, key: key)
    case .acme:
      let client = ACMEClient(configuration)
      guard client.hasCertificate else { return try SelfSignedCertificate(configuration).make() }
      return try Self.read(chain: client.chain, key: client.key)
    }
  }

  private static func read(chain: String, key: String) throws -> ServerCertificate {
    do {
      return try ServerCertificate(chain: .read(chain), key: .read(key))
    } catch let failure as ServerCertificate.Failure {
      throw Serve.Failure("\(chain), \(key): \(failure)")
    } catch {
      throw Serve.Failure("cannot read \(chain) and \(key)")
    }
  }

  /// The certificate that nginx serves now; nil if there is none.
  private func served() -> ServerCertificate? {
    guard let pem = try? [UInt8].read("\(configuration.runFolder)/\(Self.name)") else { return nil }
    return try? ServerCertificate(chain: pem, key: pem)
  }

  /// Whether browsers trust the served certificate for the next weeks; empty unless the instance is
  /// public.
  var healthChecks: [HealthCheck] {
    guard configuration.tls.isPublic else { return [] }
    return [
      HealthCheck("certificate") { now in
        guard let served = served() else { return HealthProblem("health.no_certificate") }
        guard isIssued, served.covers(host: configuration.hostName) else {
          return HealthProblem("health.certificate_host")
        }
        guard served.notAfter < now.adding(seconds: Self.warning) else { return nil }
        return HealthProblem("health.certificate_ends", since: served.notAfter)
      }
    ]
  }

  /// False until an authority has issued the first certificate.
  private var isIssued: Bool {
    guard case .acme = configuration.tls else { return true }
    return ACMEClient(configuration).hasCertificate
  }

  var gauges: [Gauge] {
    guard configuration.tls.isPublic else { return [] }
    return [
      // In s since 1970, so that the monitoring computes how long it is still valid.
      Gauge(
        "pairspot_certificate_end_timestamp_seconds",
        "End of the served certificate in s since 1970; 0 without one."
      ) { _ in
        Int((served()?.notAfter.milliseconds ?? 0) / 1000)
      }
    ]
  }
}
