import Core
import Database
import Foundation
import Secrets
import Testing
import Web

@testable import Accounts
@testable import App

extension TestInstance {
  var tokens: TokenService { instance.features.accounts.services.tokens }

  /// Signs a user in with an app.
  func app(
    _ person: ID<Person>, device: ID<Device>? = nil, name: String = "PairSpot/1.0"
  ) throws -> TokenPair {
    try database.write {
      try tokens.start(person, from: .init(device: device, app: name), now: clock.now(), in: $0)
    }
  }

  func refresh(
    _ token: String, device: ID<Device>? = nil, at now: Instant? = nil
  ) throws -> TokenPair {
    try tokens.refresh(
      #require(Token(token)), from: .init(device: device, app: "PairSpot/1.0"),
      now: now ?? clock.now())
  }

  /// The code of the thrown problem; nil if nothing is thrown.
  func code(_ body: () throws -> some Any) throws -> String? {
    do {
      _ = try body()
      return nil
    } catch let problem as Problem {
      return problem.code
    }
  }

  /// Result of an access token: "fine", or the code of the problem.
  func access(_ pair: TokenPair) throws -> String {
    try code { try tokens.caller(pair.access, now: clock.now()) } ?? "fine"
  }
}
