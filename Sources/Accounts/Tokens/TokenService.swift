import Core
import Database
import Foundation
import HTTPTypes
import Secrets
import SignedTokens
import Web

/// An app's tokens: a short-lived access token, and a refresh token for the next pair.
struct TokenPair: Codable, Equatable, Sendable {
  let access: String
  let refresh: String
  let issuedAt: Int64

  /// How long the access token lasts from `now`, in s.
  func expiresIn(now: Instant) -> Int64 {
    let age = now.seconds(since: Instant(milliseconds: issuedAt))
    return max(0, TokenService.accessLifetime - max(0, age))
  }
}

/// Sign-ins of apps: starting, refreshing and ending them (docs/api/authentication.md).
struct TokenService: Sendable {
  /// How long an access token is valid, in s.
  static let accessLifetime: Int64 = .minutes(15)
  /// How long a refresh token is valid, in s; never past the end of its sign-in.
  static let refreshLifetime: Int64 = .days(30)
  /// How long a used refresh token returns the same new pair again, in s: an app with concurrent
  /// calls or a lost response stays signed in.
  static let grace: Int64 = 10
  private static let purpose = "refresh-successor"

  let database: Database
  let families: RefreshTokenStore
  let devices: DeviceStore
  let profiles: ProfileStore
  private let signed: SignedToken
  private let issuer: String
  private let audience: String

  /// Tokens have this instance as issuer and its API as audience.
  init(database: Database, devices: DeviceStore, keys: TokenKeys, baseURL: String) {
    self.database = database
    self.devices = devices
    families = RefreshTokenStore(database: database)
    profiles = ProfileStore(database: database, baseURL: baseURL)
    issuer = baseURL
    audience = "\(baseURL)/api/v1"
    signed = SignedToken(keys: keys, issuer: issuer, audience: audience)
  }

  /// The client of a sign-in.
  struct Origin {
    let device: ID<Device>?
    /// Its User-Agent.
    let app: String
    var session = SessionOrigin.other
  }

  // MARK: Access tokens

  /// The grant of an access token. Throws 401 `invalid_token` or `token_expired`.
  func caller(_ token: String, now: Instant) throws -> AccessGrant {
    let claims: AccessClaims
    do throws(SignedTokenError) {
      claims = try signed.verify(token, now: now)
    } catch {
      throw error == .expired ? Problem(.tokenExpired) : Problem(.invalidToken)
    }
    guard let person = claims.person, let family = claims.family,
      let viewer = try database.read({
        try families.viewer(family, of: person, now: now, in: $0)
      })
    else { throw Problem(.invalidToken) }
    return AccessGrant(viewer: viewer, family: family)
  }

  // MARK: Starting

  /// Starts a sign-in after all credentials were verified. Throws 403 `device_already_bound`.
  func start(
    _ person: ID<Person>, from origin: Origin, now: Instant, in writer: WriteTransaction
  ) throws -> TokenPair {
    if let device = origin.device {
      try bind(device, of: person, app: origin.app, now: now, in: writer)
    }
    let family = ID<TokenFamily>(now: now)
    let token = Token.random()
    let end = now.adding(seconds: Self.refreshLifetime)
    try families.start(
      family, of: person, device: origin.device, app: origin.app, origin: origin.session,
      until: end, now: now, in: writer)
    try families.add(token, to: family, until: end, in: writer)
    return try pair(token, family, person, now: now, in: writer)
  }

  /// Binds a device if none is bound; returns whether it did. Throws 403 `device_already_bound`.
  @discardableResult
  private func bind(
    _ device: ID<Device>, of person: ID<Person>, app: String, now: Instant,
    in writer: WriteTransaction
  ) throws -> Bool {
    if let bound = try devices.bound(person, in: writer) {
      guard bound.device == device else { throw Problem(.deviceAlreadyBound) }
      return false
    }
    return try devices.bind(
      device, name: DeviceStore.nameLimits.beginning(of: app.asOneLine), of: person, now: now,
      in: writer)
  }

  // MARK: Refreshing

  private enum Refreshed {
    case pair(TokenPair)
    case refused(Problem)
    case reused(by: ID<Person>)
  }

  /// The next pair for a refresh token, or the same pair again within the grace period. A used
  /// token after the grace period or from another device ends the whole sign-in, since it may be
  /// stolen. Throws 401 and 403 `device_already_bound`. `noteReuse` receives the user of the ended
  /// sign-in.
  func refresh(
    _ token: Token, from origin: Origin, now: Instant,
    noteReuse: (ID<Person>) -> Void = { _ in }
  ) throws -> TokenPair {
    // A refusal may end a sign-in, which must be committed, so nothing is thrown inside.
    let outcome = try database.write { try refreshed(token, from: origin, now: now, in: $0) }
    switch outcome {
    case .pair(let pair): return pair
    case .refused(let problem): throw problem
    case .reused(let person):
      noteReuse(person)
      throw Problem(.invalidToken)
    }
  }

  private func refreshed(
    _ token: Token, from origin: Origin, now: Instant, in writer: WriteTransaction
  ) throws -> Refreshed {
    guard let stored = try families.find(token, in: writer) else {
      return .refused(Problem(.invalidToken))
    }
    let isSameDevice =
      origin.device == nil || stored.device == nil || origin.device == stored.device
    if let usedAt = stored.usedAt {
      if isSameDevice, let pair = successor(of: token, stored, usedAt: usedAt, now: now) {
        return .pair(pair)
      }
      try families.end(stored.family, of: stored.person, in: writer)
      return .reused(by: stored.person)
    }
    guard stored.expiresAt > now else { return .refused(Problem(.tokenExpired)) }
    guard isSameDevice else { return .refused(Problem(.deviceAlreadyBound)) }
    if let problem = try place(stored, origin, now: now, in: writer) { return .refused(problem) }
    let next = Token.random()
    let sliding = now.adding(seconds: Self.refreshLifetime)
    let end = stored.familyEnd.map { min($0, sliding) } ?? sliding
    guard end > now else { return .refused(Problem(.tokenExpired)) }
    try families.add(next, to: stored.family, until: end, in: writer)
    let pair = try pair(next, stored.family, stored.person, now: now, in: writer)
    try families.use(
      token, of: stored.family,
      for: try token.seal(Array(try JSONEncoder().encode(pair)), purpose: Self.purpose),
      until: end, now: now, in: writer)
    return .pair(pair)
  }

  /// Stores the device of a sign-in that names one for the first time, and binds it if none is
  /// bound. A device that is known already is not bound again, or the next refresh would undo its
  /// release. Returns an error if another device is bound.
  private func place(
    _ stored: StoredRefresh, _ origin: Origin, now: Instant, in writer: WriteTransaction
  ) throws -> Problem? {
    if let device = stored.device {
      let bound = try devices.bound(stored.person, in: writer)
      return bound == nil || bound?.device == device ? nil : Problem(.deviceAlreadyBound)
    }
    guard let device = origin.device else { return nil }
    do {
      let binds = try bind(device, of: stored.person, app: origin.app, now: now, in: writer)
      try families.name(device, of: stored.family, binds: binds, in: writer)
      return nil
    } catch let problem as Problem {
      return problem
    }
  }

  /// The pair for which a used token was exchanged, within the grace period.
  private func successor(
    of token: Token, _ stored: StoredRefresh, usedAt: Instant, now: Instant
  ) -> TokenPair? {
    guard now.milliseconds - usedAt.milliseconds <= Self.grace * 1000,
      let sealed = stored.successor,
      let opened = token.open(sealed, purpose: Self.purpose)
    else { return nil }
    return try? JSONDecoder().decode(TokenPair.self, from: Data(opened))
  }

  // MARK: Ending

  /// Ends a sign-in and releases the device that it bound, if that device is still bound and is the
  /// one that the app names.
  func end(
    _ family: ID<TokenFamily>, of person: ID<Person>, device said: ID<Device>?,
    in writer: WriteTransaction
  ) throws {
    if let device = try families.releasable(family, in: writer),
      said == nil || said == device
    {
      try devices.release(device, of: person, in: writer)
    }
    try families.end(family, of: person, in: writer)
  }

  /// The sign-in of a refresh token, used or not.
  func owner(
    of token: Token, in reader: ReadTransaction
  ) throws -> (family: ID<TokenFamily>, person: ID<Person>)? {
    try families.find(token, in: reader).map { ($0.family, $0.person) }
  }

  func purge(now: Instant) throws {
    try families.purge(now: now, repeatable: Self.grace)
    try devices.purge(now: now)
  }

  // MARK: Creating

  private func pair(
    _ token: Token, _ family: ID<TokenFamily>, _ person: ID<Person>, now: Instant,
    in writer: WriteTransaction
  ) throws -> TokenPair {
    let profile = try profiles.profile(of: person, role: .member, in: writer)
    let seconds = now.milliseconds / 1000
    let claims = AccessClaims(
      iss: issuer, aud: audience, iat: seconds, exp: seconds + Self.accessLifetime,
      sub: person.description, coupleID: profile?.coupleID?.description,
      role: profile?.side?.rawValue, sid: family.description)
    return TokenPair(
      access: try signed.sign(claims), refresh: token.text, issuedAt: now.milliseconds)
  }
}

/// Authenticates access tokens; `Web` calls it for each API request.
public struct AccountTokenAuthenticator: AccessTokenAuthenticator {
  private let tokens: TokenService

  /// `baseURL` is that of this instance: its tokens are valid for it alone.
  public init(database: Database, keys: KeyRing, tokenKeys: TokenKeys, baseURL: String) {
    tokens = TokenService(
      database: database, devices: DeviceStore(database: database, keys: keys), keys: tokenKeys,
      baseURL: baseURL)
  }

  public func find(_ token: String, now: Instant) throws -> AccessGrant {
    try tokens.caller(token, now: now)
  }
}
