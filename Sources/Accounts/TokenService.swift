import Basics
import Database
import Foundation
import HTTPTypes
import Secrets
import SignedTokens
import Web

/// What an app signs in with: a short-lived token for its calls and one to get the next pair.
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

/// Sign-ins of apps: starting one, going on, ending it (api.md, "Auth").
struct TokenService: Sendable {
  /// How long an access token lasts, in s.
  static let accessLifetime: Int64 = .minutes(15)
  /// How long a refresh token lasts, in s.
  static let refreshLifetime: Int64 = .days(30)
  /// How long the same old token gets the same new pair again, in s: an app whose calls crossed,
  /// or whose answer got lost, stays signed in.
  static let grace: Int64 = 10
  private static let purpose = "refresh-successor"

  let database: Database
  let families: FamilyStore
  let devices: DeviceStore
  private let signed: SignedToken
  private let issuer: String
  private let audience: String

  /// Tokens are issued by this instance for its API, and good nowhere else.
  init(database: Database, devices: DeviceStore, keys: TokenKeys, baseURL: String) {
    self.database = database
    self.devices = devices
    families = FamilyStore(database: database)
    issuer = baseURL
    audience = "\(baseURL)/api/v1"
    signed = SignedToken(keys: keys, issuer: issuer, audience: audience)
  }

  /// Where an app signs in from.
  struct Origin {
    let device: ID<Device>?
    /// Its User-Agent.
    let app: String
  }

  // MARK: Access

  /// Who calls with this access token. Throws 401 `invalid_token` or `token_expired`.
  func caller(
    _ token: String, now: Instant
  ) throws -> (viewer: Viewer, family: ID<TokenFamily>) {
    let claims: AccessClaims
    do throws(SignedTokenProblem) {
      claims = try signed.verify(token, now: now)
    } catch {
      throw error == .expired ? Problem.tokenExpired : Problem.invalidToken
    }
    guard let person = claims.person, let family = claims.family,
      let viewer = try database.read({
        try families.viewer(family, of: person, now: now, in: $0)
      })
    else { throw Problem.invalidToken }
    return (viewer, family)
  }

  // MARK: Starting

  /// Signs somebody in who has shown all there is to show. Throws 403 `device_already_bound`.
  func start(
    _ person: ID<Person>, from origin: Origin, now: Instant, in writer: Writer
  ) throws -> TokenPair {
    try bind(origin.device, of: person, app: origin.app, now: now, in: writer)
    let family = ID<TokenFamily>(now: now)
    let token = Token.random()
    let end = now.adding(seconds: Self.refreshLifetime)
    try families.start(
      family, of: person, device: origin.device, app: origin.app, until: end, now: now, in: writer)
    try families.add(token, to: family, until: end, in: writer)
    return try pair(token, family, person, now: now, in: writer)
  }

  private func bind(
    _ device: ID<Device>?, of person: ID<Person>, app: String, now: Instant, in writer: Writer
  ) throws {
    guard let device else { return }
    let isBound =
      try devices.bound(person, in: writer.reader).map { $0.device == device }
      ?? devices.bind(
        device, name: String(app.asOneLine.prefix(DeviceStore.nameMost)), of: person, now: now,
        in: writer)
    guard isBound else { throw Problem.deviceAlreadyBound }
  }

  // MARK: Going on

  private enum Refreshed {
    case pair(TokenPair)
    case refused(Problem)
  }

  /// The next pair for a refresh token, or the same again within the grace. An old token later, or
  /// from another device, ends the whole sign-in: somebody has a copy. Throws 401 and 403
  /// `device_already_bound`.
  func refresh(
    _ token: Token, from origin: Origin, now: Instant
  ) throws -> TokenPair {
    // What is refused may have ended a sign-in, which has to be kept: nothing is thrown inside.
    let outcome = try database.write { try refreshed(token, from: origin, now: now, in: $0) }
    switch outcome {
    case .pair(let pair): return pair
    case .refused(let problem): throw problem
    }
  }

  private func refreshed(
    _ token: Token, from origin: Origin, now: Instant, in writer: Writer
  ) throws -> Refreshed {
    guard let stored = try families.find(token, in: writer.reader) else {
      return .refused(.invalidToken)
    }
    let isSameDevice =
      origin.device == nil || stored.device == nil || origin.device == stored.device
    if let usedAt = stored.usedAt {
      if isSameDevice, let pair = successor(of: token, stored, usedAt: usedAt, now: now) {
        return .pair(pair)
      }
      try families.end(stored.family, of: stored.person, in: writer)
      return .refused(.invalidToken)
    }
    guard stored.expiresAt > now else { return .refused(.tokenExpired) }
    guard isSameDevice else { return .refused(.deviceAlreadyBound) }
    let device = origin.device ?? stored.device
    do {
      try bind(device, of: stored.person, app: origin.app, now: now, in: writer)
    } catch let problem as Problem {
      return .refused(problem)
    }
    let next = Token.random()
    let end = now.adding(seconds: Self.refreshLifetime)
    try families.add(next, to: stored.family, until: end, in: writer)
    let pair = try pair(next, stored.family, stored.person, now: now, in: writer)
    try families.use(
      token, of: stored.family, device: device,
      for: try token.seal(Array(try JSONEncoder().encode(pair)), purpose: Self.purpose),
      until: end, now: now, in: writer)
    return .pair(pair)
  }

  /// The pair that an old token was exchanged for, while it may be asked for again.
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

  /// Ends a sign-in, and releases its device if that is still the bound one. `device` is what the
  /// app says it is.
  func end(
    _ family: ID<TokenFamily>, of person: ID<Person>, device: ID<Device>?, in writer: Writer
  ) throws {
    let named = try families.device(of: family, in: writer.reader)
    for device in Set([device, named].compactMap(\.self)) {
      try devices.release(device, of: person, in: writer)
    }
    try families.end(family, of: person, in: writer)
  }

  /// The living sign-in of a refresh token, used or not.
  func owner(
    of token: Token, in reader: Reader
  ) throws -> (family: ID<TokenFamily>, person: ID<Person>)? {
    try families.find(token, in: reader).map { ($0.family, $0.person) }
  }

  func purge(now: Instant) throws {
    try families.purge(now: now, repeatable: Self.grace)
    try devices.purge(now: now)
  }

  // MARK: Making

  private func pair(
    _ token: Token, _ family: ID<TokenFamily>, _ person: ID<Person>, now: Instant,
    in writer: Writer
  ) throws -> TokenPair {
    let place = try families.place(of: person, in: writer.reader)
    let seconds = now.milliseconds / 1000
    let claims = AccessClaims(
      iss: issuer, aud: audience, iat: seconds, exp: seconds + Self.accessLifetime,
      sub: person.description, coupleID: place.couple?.description,
      role: PartnerRole.name(side: place.side), sid: family.description)
    return TokenPair(
      access: try signed.sign(claims), refresh: token.text, issuedAt: now.milliseconds)
  }
}

extension Problem {
  static let invalidToken = Problem(.unauthorized, "invalid_token")
  static let tokenExpired = Problem(
    .unauthorized, "token_expired", textKey: "api_auth.token_expired")
  static let invalidCredentials = Problem(
    .unauthorized, "invalid_credentials", textKey: "api_auth.invalid_credentials")
  static let secondFactorRequired = Problem(
    .unauthorized, "second_factor_required", textKey: "api_auth.second_factor_required")
  static let deviceAlreadyBound = Problem(
    .forbidden, "device_already_bound", textKey: "api_auth.device_already_bound")
  static let reauthenticationRequired = Problem(
    .forbidden, "reauthentication_required", textKey: "api_auth.reauthentication_required")
  static let linkExpired = Problem(.gone, "link_expired", textKey: "api_auth.link_expired")
}
