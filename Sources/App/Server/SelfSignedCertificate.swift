import Foundation
import Glibc
import Processes

/// A self-signed certificate for `make run TLS=1`, made once by openssl.
struct SelfSignedCertificate {
  private let folder: String

  init(_ configuration: Configuration) {
    folder = configuration.secretsFolder
  }

  func make() throws -> NginxConfiguration.Certificate {
    let certificate = NginxConfiguration.Certificate(
      chain: "\(folder)/own-certificate.pem", key: "\(folder)/own-key.pem")
    if FileManager.default.fileExists(atPath: certificate.chain) { return certificate }
    let result = try ChildProcess.run(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "825", "-subj", "/CN=localhost", "-addext",
        "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", certificate.key, "-out",
        certificate.chain,
      ], timeout: 30)
    guard result.status == 0 else {
      throw Serve.Failure(
        "openssl failed to create a certificate: \(String(decoding: result.errors, as: UTF8.self))")
    }
    chmod(certificate.key, 0o600)
    return certificate
  }
}
