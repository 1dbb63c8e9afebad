import Core
import Foundation
import HTTPClient

/// Asks the running instance on this machine for its health, for `pairspot healthcheck` in a
/// container or a service (docs/operator/monitoring.md#health-check).
public struct HealthQuery {
  /// The time in s that an answer may take.
  static let timeout: Double = 10

  private let configuration: Configuration

  public init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  /// The reason why the instance is not well; nil if it is.
  public func problem() -> String? { Self.problem(of: answer()) }

  /// The reason why the handlers do not answer; nil if they do, whatever the state of mail, disk or
  /// worker is: a restart would mend none of these.
  public func silence() -> String? { Self.silence(of: answer()) }

  static func problem(of answer: Result<HTTPAnswer, HTTPClientError>) -> String? {
    switch answer {
    case .failure(let error): "\(error)"
    case .success(let answer) where answer.status == 200: nil
    case .success(let answer): text(of: answer)
    }
  }

  static func silence(of answer: Result<HTTPAnswer, HTTPClientError>) -> String? {
    switch answer {
    // nginx answered; `problem()` is about the certificate.
    case .failure(.untrusted): nil
    case .failure(let error): "\(error)"
    case .success(let answer): isFromHandlers(answer) ? nil : text(of: answer)
    }
  }

  /// nginx alone would answer a page or another object.
  private static func isFromHandlers(_ answer: HTTPAnswer) -> Bool {
    answer.body.starts(with: Array("{\"ok\":".utf8))
  }

  private static func text(of answer: HTTPAnswer) -> String {
    let text = isFromHandlers(answer) ? ": \(String(decoding: answer.body, as: UTF8.self))" : ""
    return "/healthz answered \(answer.status)\(text)"
  }

  private func answer() -> Result<HTTPAnswer, HTTPClientError> {
    guard let address = Self.address(of: configuration.listenAddresses) else {
      return .failure(.unusable("it listens nowhere"))
    }
    let own = address.isIPv6 ? "[\(address.text)]" : address.text
    let host = configuration.tls == .off ? own : configuration.hostName
    let scheme = configuration.tls == .off ? "http" : "https"
    let client = HTTPClient(
      timeout: Self.timeout,
      // A self-signed certificate is served until an authority has issued one.
      certificates: configuration.tls == .off
        ? nil : "\(configuration.runFolder)/\(ServedCertificate.name)",
      addresses: configuration.tls == .off || ListenAddress(text: host) != nil ? [] : [address.text]
    )
    return Result { () throws(HTTPClientError) in
      try client.send(
        HTTPCall(
          "GET", "\(scheme)://\(host):\(configuration.port)/healthz",
          headers: [("Host", configuration.host)]))
    }
  }

  /// The address at which this machine reaches the instance: one of loopback, if it listens there.
  static func address(of addresses: [ListenAddress]) -> ListenAddress? {
    zip(ListenAddress.loopback, ListenAddress.all).first { own, any in
      addresses.contains(own) || addresses.contains(any)
    }?.0 ?? addresses.first
  }
}
