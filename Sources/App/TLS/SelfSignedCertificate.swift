import Certificates
import Foundation
import Glibc
import Processes

/// A self-signed certificate, made by openssl: for `make run TLS=1`, and until an authority has
/// issued one.
struct SelfSignedCertificate {
  private let folder: String
  private let host: String

  init(_ configuration: Configuration) {
    folder = configuration.secretsFolder
    host = configuration.hostName
  }

  /// The certificate for the instance's host, made if there is none.
  func make() throws -> ServerCertificate {
    let (chain, key) = ("\(folder)/own-certificate.pem", "\(folder)/own-key.pem")
    if let made = try? ServerCertificate(chain: .read(chain), key: .read(key)),
      made.covers(host: host)
    {
      return made
    }
    let name = ListenAddress(text: host) == nil ? "DNS:\(host)" : "IP:\(host)"
    let result = try ChildProcess.run(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-days", "825", "-subj", "/CN=localhost", "-addext",
        "subjectAltName=DNS:localhost,IP:127.0.0.1,\(name)", "-keyout", key, "-out", chain,
      ], timeout: 30)
    guard result.status == 0 else {
      throw Serve.Failure(
        "openssl failed to create a certificate: \(String(decoding: result.errors, as: UTF8.self))")
    }
    chmod(key, 0o600)
    return try ServerCertificate(chain: .read(chain), key: .read(key))
  }
}

extension [UInt8] {
  /// The content of a file. Throws file errors.
  static func read(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
