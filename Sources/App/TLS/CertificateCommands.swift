import Core
import Web

/// Manages the certificate of https from the command line.
public struct CertificateCommands {
  private let configuration: Configuration

  public init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  /// Serves the newest certificate. Throws `Serve.Failure`.
  public func install(printLine: (String) -> Void) throws {
    guard let certificate = try ServedCertificate(configuration).install() else {
      throw Serve.Failure("PAIRSPOT_TLS is off")
    }
    printLine("the certificate is valid until \(certificate.notAfter.rfc3339)")
    if !certificate.covers(host: configuration.hostName) {
      printLine("it is not for \(configuration.hostName): browsers will reject it")
    }
  }

  /// Gets or renews the certificate by ACME and serves it. Throws `Serve.Failure`.
  public func renew(printLine: (String) -> Void) throws {
    guard case .acme(let settings) = configuration.tls else {
      throw Serve.Failure("PAIRSPOT_TLS is not acme")
    }
    try ACMEClient(configuration).renew(settings)
    try install(printLine: printLine)
  }
}
