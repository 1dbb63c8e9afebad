import Core
import HTTPClient
import Synchronization

/// A provider's discovery document and keys, fetched when they are needed and kept for as long as
/// the provider says.
final class ProviderMetadata: Sendable {
  /// How long an answer is kept, in s, whatever the provider says.
  static let lifetimes: ClosedRange<Int64> = .minutes(1) ... .hours(24)
  /// How long an answer is kept when the provider says nothing, in s.
  static let usualLifetime: Int64 = .hours(1)
  /// How long after a fetch no other one is tried, in s: after a failure, and for a key id that the
  /// newest keys don't have either. Otherwise tokens with invented ids would cause a fetch each.
  static let pause: Int64 = 10

  private struct Kept<Value: Sendable>: Sendable {
    let value: Value
    let fetchedAt: Instant
    let endsAt: Instant
  }

  private struct State {
    var document: Kept<DiscoveryDocument>?
    var keys: Kept<JSONWebKeySet>?
    var failure: (error: OpenIDError, endsAt: Instant)?
  }

  private let provider: OpenIDProvider
  private let transport: any ProviderTransport
  private let state = Mutex(State())
  /// Held while something is fetched: others that need it wait for the same answer.
  private let fetching = Mutex(())

  init(provider: OpenIDProvider, transport: any ProviderTransport) {
    self.provider = provider
    self.transport = transport
  }

  /// The discovery document. Throws `OpenIDError`.
  func document(now: Instant) throws -> DiscoveryDocument {
    if let found = keptDocument(now) { return found }
    return try fetching.withLock { _ in
      if let found = keptDocument(now) { return found }
      let (body, endsAt) = try fetch(provider.discoveryAddress, now: now)
      return try remembering(now: now) { () throws(OpenIDError) in
        let document = try Self.discovery { () throws(DiscoveryError) in
          try DiscoveryDocument(body, of: provider)
        }
        state.withLock {
          $0.document = Kept(value: document, fetchedAt: now, endsAt: endsAt)
          // The address of the keys may have changed.
          $0.keys = nil
        }
        return document
      }
    }
  }

  /// The key for a token's header; nil if the provider has none. Fetches the keys again if the id is
  /// unknown, at most once for each token (OpenID Connect Core 1.0, section 10.1.1). Throws
  /// `OpenIDError`.
  func key(_ id: String?, _ algorithm: SigningAlgorithm, now: Instant) throws -> ProviderKey? {
    let address = try document(now: now).keySetAddress
    let kept = try keys(at: address, now: now) { $0.endsAt > now }
    if let key = kept.value.key(id, algorithm) { return key }
    guard id != nil, kept.fetchedAt.adding(seconds: Self.pause) <= now else { return nil }
    let newer = try keys(at: address, now: now) { $0.fetchedAt > kept.fetchedAt }
    return newer.value.key(id, algorithm)
  }

  /// Fetches the document and the keys, whether they are kept or not, for a check of the
  /// configuration. Throws `OpenIDError`.
  func refresh(now: Instant) throws -> DiscoveryDocument {
    state.withLock { $0 = State() }
    let document = try document(now: now)
    _ = try keys(at: document.keySetAddress, now: now) { _ in true }
    return document
  }

  private func keptDocument(_ now: Instant) -> DiscoveryDocument? {
    state.withLock { $0.document.flatMap { $0.endsAt > now ? $0.value : nil } }
  }

  /// The kept keys if they satisfy a condition, or those that the provider has now.
  private func keys(
    at address: String, now: Instant, where isUsable: (Kept<JSONWebKeySet>) -> Bool
  ) throws -> Kept<JSONWebKeySet> {
    let kept = { self.state.withLock { $0.keys } }
    if let found = kept(), isUsable(found) { return found }
    return try fetching.withLock { _ in
      if let found = kept(), isUsable(found) { return found }
      let (body, endsAt) = try fetch(address, now: now)
      return try remembering(now: now) { () throws(OpenIDError) in
        let set = try Self.discovery { () throws(DiscoveryError) in try JSONWebKeySet(body) }
        let found = Kept(value: set, fetchedAt: now, endsAt: endsAt)
        state.withLock { $0.keys = found }
        return found
      }
    }
  }

  /// Fetches an address, unless a fetch has just failed.
  private func fetch(
    _ address: String, now: Instant
  ) throws(OpenIDError) -> (body: [UInt8], endsAt: Instant) {
    if let failure = state.withLock({ $0.failure }), failure.endsAt > now { throw failure.error }
    return try remembering(now: now) { () throws(OpenIDError) in
      let answer = try transport.send(
        HTTPCall("GET", address, headers: [("Accept", "application/json")]))
      guard answer.status == 200 else { throw .discovery(.status(answer.status)) }
      let lifetime = min(
        max(answer.freshness ?? Self.usualLifetime, Self.lifetimes.lowerBound),
        Self.lifetimes.upperBound)
      return (answer.body, now.adding(seconds: lifetime))
    }
  }

  /// Keeps an error for the next callers.
  private func remembering<Value>(
    now: Instant, _ body: () throws(OpenIDError) -> Value
  ) throws(OpenIDError) -> Value {
    do throws(OpenIDError) {
      return try body()
    } catch {
      state.withLock { $0.failure = (error, now.adding(seconds: Self.pause)) }
      throw error
    }
  }

  private static func discovery<Value>(
    _ body: () throws(DiscoveryError) -> Value
  ) throws(OpenIDError) -> Value {
    do throws(DiscoveryError) {
      return try body()
    } catch {
      throw .discovery(error)
    }
  }
}
