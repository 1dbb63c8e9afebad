import Core
import Database

/// The ways in which a member can sign in. The last one can't be removed.
struct SignInWays {
  let hasPassword: Bool
  /// Issuers of linked providers that are configured.
  let issuers: Set<String>
  let passkeys: Int

  var mayRemovePasskey: Bool { hasPassword || !issuers.isEmpty || passkeys > 1 }

  func mayUnlink(_ issuer: String) -> Bool {
    hasPassword || passkeys > 0 || issuers.contains { $0 != issuer }
  }
}

extension AccountsEnvironment {
  func signInWays(of person: ID<Person>, in reader: ReadTransaction) throws -> SignInWays {
    let usable = Set(providers.map(\.issuer))
    return SignInWays(
      hasPassword: try people.passwordHash(of: person, in: reader) != nil,
      issuers: usable.intersection(try identities.all(of: person, in: reader).map(\.issuer)),
      passkeys: try passkeys.count(of: person, in: reader))
  }
}
