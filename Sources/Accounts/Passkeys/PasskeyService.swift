import Core
import Database
import Secrets
import Web
import WebAuthn

/// Makes, checks and removes passkeys (docs/developer/passkeys.md).
struct PasskeyService {
  /// Limits answers from one address, since each costs a signature.
  static let perAddress = RateLimit("sign-in-passkey", maximum: 20, window: .minutes(1))

  let services: AccountsEnvironment

  private var store: PasskeyStore { services.passkeys }

  // MARK: Options for the browser

  func signInOptions(_ context: Context) throws -> Response {
    let challenge = try PasskeyChallenge.begin(.signIn, context)
    return .json(try context.relyingParty.requestOptions(challenge: challenge.bytes))
  }

  func confirmOptions(_ action: ProtectedAction, _ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let known = try services.site.database.read { try store.all(of: viewer.id, in: $0) }
    let challenge = try PasskeyChallenge.begin(.confirm(action), context)
    return .json(
      try context.relyingParty.requestOptions(
        challenge: challenge.bytes, allowing: known.map(\.record)))
  }

  func creationOptions(_ context: Context) throws -> Response {
    let viewer = try context.signedIn()
    let (known, address) = try services.site.database.read { reader in
      (
        try store.all(of: viewer.id, in: reader),
        try services.people.address(of: viewer.id, in: reader)
      )
    }
    return try creationOptions(
      .add, name: address ?? viewer.avatar.name, displayName: viewer.avatar.name, known: known,
      context)
  }

  /// The options of a passkey for a new account.
  func creationOptions(
    _ purpose: PasskeyChallenge.Purpose, name: String, displayName: String,
    known: [Passkey] = [], _ context: Context
  ) throws -> Response {
    let handle = known.first?.userHandle ?? Token.random().bytes
    let challenge = try PasskeyChallenge.begin(purpose, userHandle: handle, context)
    return .json(
      try context.relyingParty.creationOptions(
        challenge: challenge.bytes,
        user: CredentialUser(handle: handle, name: name, displayName: displayName),
        excluding: known.map(\.record)))
  }

  // MARK: Answers

  /// The passkey that answered and its member, or one who deleted the account; nil if the answer
  /// fails a check. Throws 429.
  func member(
    answering purpose: PasskeyChallenge.Purpose, _ context: Context
  ) throws -> (member: Credentials, passkey: ID<Passkey>)? {
    try services.limits.count(Self.perAddress, context.address, now: context.now)
    let challenge = PasskeyChallenge.find(purpose, context)
    PasskeyChallenge.clear(context)
    guard let challenge else { return nil }
    do {
      let response = try AuthenticationResponse(json: Array(context.form["credential"].utf8))
      let found = try services.site.database.write { writer in
        try check(response, challenge, isUserKnown: purpose != .signIn, context, in: writer)
      }
      guard let found else { return nil }
      if found.hasCounterGoneBack {
        context.note(.passkeyCounterWentBack, of: .person(found.member.id))
      }
      return (found.member, found.passkey)
    } catch let error as WebAuthnError {
      context.noteError("passkey: \(error)")
      return nil
    }
  }

  private func check(
    _ response: AuthenticationResponse, _ challenge: PasskeyChallenge, isUserKnown: Bool,
    _ context: Context, in writer: WriteTransaction
  ) throws -> (member: Credentials, passkey: ID<Passkey>, hasCounterGoneBack: Bool)? {
    guard try store.use(challenge, now: context.now, in: writer),
      let (passkey, member) = try store.find(credential: response.credentialID, in: writer)
    else { return nil }
    let result = try context.relyingParty.authenticate(
      response, challenge: challenge.bytes, credential: passkey.record,
      userHandle: passkey.userHandle, isUserKnown: isUserKnown)
    try store.noteUse(passkey.id, result, now: context.now, in: writer)
    if result.hasCounterGoneBack { try notify(.passkeyCopied, member.id, context, in: writer) }
    return (member, passkey.id, result.hasCounterGoneBack)
  }

  // MARK: Changes

  /// Adds a passkey to the signed-in member; returns false if there are too many or it is known.
  func add(_ new: NewPasskey, _ context: Context) throws -> Bool {
    let viewer = try context.signedIn()
    let isAdded = try services.site.database.write { writer in
      guard try store.add(new, to: viewer.id, now: context.now, in: writer) else { return false }
      try notify(.passkeyAdded, viewer.id, context, in: writer)
      return true
    }
    if isAdded { context.note(.signInWaysChanged, of: .person(viewer.id)) }
    return isAdded
  }

  /// Removes a passkey and ends the other sessions that it began; returns false if it is the last
  /// way to sign in, or there is none.
  func remove(_ id: ID<Passkey>, _ context: Context) throws -> Bool {
    let viewer = try context.signedIn()
    let isRemoved = try services.site.database.write { writer in
      guard try services.signInWays(of: viewer.id, in: writer).mayRemovePasskey,
        try store.remove(id, of: viewer.id, in: writer)
      else { return false }
      try services.sessions.endAll(
        of: viewer.id, begunBy: id, butNot: CurrentSession.own(context)?.key, in: writer)
      try notify(.passkeyRemoved, viewer.id, context, in: writer)
      return true
    }
    if isRemoved { context.note(.signInWaysChanged, of: .person(viewer.id)) }
    return isRemoved
  }

  private func notify(
    _ change: SecondFactorMailer.SecurityChange, _ person: ID<Person>, _ context: Context,
    in writer: WriteTransaction
  ) throws {
    try services.secondFactor.mails.notify(change, person, now: context.now, in: writer)
  }
}

extension AccountsEnvironment {
  var passkeyService: PasskeyService { PasskeyService(services: self) }
}
