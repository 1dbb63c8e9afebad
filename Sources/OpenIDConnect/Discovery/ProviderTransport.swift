import Foundation
import HTTPClient

/// Sends requests to a provider.
public protocol ProviderTransport: Sendable {
  /// Sends one request. Throws `OpenIDError.unreachable`.
  func send(_ call: HTTPCall) throws(OpenIDError) -> HTTPAnswer
}

/// Sends requests over the network: without redirects, within limits of time and size, and to public
/// addresses only.
///
/// A host is resolved before each request, which then connects to the checked addresses only, so that
/// a name that changes in between can't lead into the private network.
public struct NetworkTransport: ProviderTransport {
  /// The time limit of one request, in s.
  static let timeout: Double = 10
  /// The maximum size of an answer, in bytes.
  static let bodyLimit = 256 << 10

  private let allowsPrivateNetwork: Bool
  private let certificates: String?
  private let resolve: @Sendable (String) -> [String]

  /// `allowsPrivateNetwork` permits private addresses, and plain http to them; `certificates` is a
  /// PEM file of authorities to trust instead of the system's.
  public init(
    allowsPrivateNetwork: Bool = false, certificates: String? = nil,
    resolve: @escaping @Sendable (String) -> [String] = PublicAddress.resolve
  ) {
    self.allowsPrivateNetwork = allowsPrivateNetwork
    self.certificates = certificates
    self.resolve = resolve
  }

  public func send(_ call: HTTPCall) throws(OpenIDError) -> HTTPAnswer {
    let addresses = try addresses(of: call.url)
    let client = HTTPClient(
      timeout: Self.timeout, bodyLimit: Self.bodyLimit, certificates: certificates,
      addresses: addresses)
    do throws(HTTPClientError) {
      return try client.send(call)
    } catch {
      throw .unreachable("\(Self.place(call.url)): \(error)")
    }
  }

  /// The addresses to connect to; empty for an address that is a number already.
  func addresses(of url: String) throws(OpenIDError) -> [String] {
    guard let address = ProviderAddress(url, allowsPlain: allowsPrivateNetwork) else {
      throw .unreachable("not an address that may be fetched")
    }
    let found = resolve(address.host)
    guard !found.isEmpty else { throw .unreachable("\(address.host) does not resolve") }
    if found.contains(where: { !PublicAddress.isPublic($0) }), !allowsPrivateNetwork {
      throw .unreachable("\(address.host) is in a private network")
    }
    if address.isPlain, found.contains(where: PublicAddress.isPublic) {
      throw .unreachable("\(address.host) is public, but its address is not https")
    }
    return found == [address.host] ? [] : found
  }

  /// The address without its query, for messages.
  private static func place(_ url: String) -> Substring { url.prefix { $0 != "?" } }
}
