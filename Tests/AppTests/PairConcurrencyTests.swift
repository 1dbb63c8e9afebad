import Foundation
import Testing

@testable import App

@Suite("Pairing and parting at the same time")
struct PairConcurrencyTests {
  /// Sends one form from each browser at once; answers the statuses in their order.
  private func atOnce(
    _ forms: [(browser: Browser, target: String, fields: KeyValuePairs<String, String>)]
  ) -> [Int] {
    let taps = forms.map { form in
      let browser = form.browser.copy()
      browser.get("/about")
      return (tap: Tap(browser), target: form.target, fields: form.fields)
    }
    let all = Sent(taps)
    DispatchQueue.concurrentPerform(iterations: taps.count) { all.send($0) }
    return taps.map { $0.tap.status ?? 0 }
  }

  // Each tap is used by one thread at a time.
  private final class Sent: @unchecked Sendable {
    private let taps: [(tap: Tap, target: String, fields: KeyValuePairs<String, String>)]

    init(_ taps: [(tap: Tap, target: String, fields: KeyValuePairs<String, String>)]) {
      self.taps = taps
    }

    func send(_ index: Int) { taps[index].tap.post(taps[index].target, taps[index].fields) }
  }

  private func token(_ house: TestHouse, to name: String) throws -> String {
    String(try house.invitation(to: name).dropFirst("/pair/accept?token=".count))
  }

  private func checkNobodyIsInTwo(_ house: TestHouse) throws {
    #expect(try house.problems() == [])
    #expect(
      try house.count(
        """
        SELECT count(*) FROM (SELECT user_id FROM couple_members WHERE left_at IS NULL
          GROUP BY user_id HAVING count(*) > 1)
        """) == 0)
    #expect(
      try house.count(
        """
        SELECT count(*) FROM (SELECT couple_id FROM couple_members WHERE left_at IS NULL
          GROUP BY couple_id HAVING count(*) > 2)
        """) == 0)
  }

  @Test("Accepting twice at once makes one couple")
  func twice() throws {
    let house = try TestHouse()
    for name in ["ann", "ben"] { try house.alone(name) }
    let ben = try house.signedIn("ben")
    try house.signedIn("ann").invite("ben@example.test")
    let token = try token(house, to: "ben")
    let statuses = atOnce((1...6).map { _ in (ben, "/pair/accept", ["token": token]) })
    #expect(statuses.filter { $0 == 303 }.count == 1)
    #expect(statuses.allSatisfy { [303, 409, 410].contains($0) })
    #expect(try house.couples() == ["Ann & Ben": "active"])
    #expect(try house.mails(to: "ann@example.test").count == 1)
    try checkNobodyIsInTwo(house)
  }

  @Test("Two without an account can't come in by one link")
  func joiningTwice() throws {
    let house = try TestHouse()
    try house.alone("ann")
    try house.signedIn("ann").invite("new@example.test")
    let token = try token(house, to: "new")
    let statuses = atOnce(
      (1...4).map { number in
        (
          house.browser(), "/pair/accept",
          [
            "token": token, "display_name": "N\(number)", "password": TestHouse.password,
            "accept": "1",
          ]
        )
      })
    #expect(statuses.filter { $0 == 303 }.count >= 1)
    #expect(try house.count("SELECT count(*) FROM users") == 2)
    #expect(try house.count("SELECT count(*) FROM couples") == 1)
    try checkNobodyIsInTwo(house)
  }

  @Test("Accepting while the inviter pairs with somebody else: one of them is too late")
  func inviterElsewhere() throws {
    let house = try TestHouse()
    for name in ["ann", "ben", "cy"] { try house.alone(name) }
    let (ann, ben) = (try house.signedIn("ann"), try house.signedIn("ben"))
    for round in 1...5 {
      try house.signedIn("cy").invite("ann@example.test")
      ann.invite("ben@example.test")
      let statuses = atOnce([
        (ben, "/pair/accept", ["token": try token(house, to: "ben")]),
        (ann, "/pair/accept", ["token": try token(house, to: "ann")]),
      ])
      #expect(statuses.filter { $0 == 303 }.count == 1, "\(statuses)")
      #expect(
        try house.count("SELECT count(*) FROM couples WHERE status = 'active'") == 1)
      try checkNobodyIsInTwo(house)
      ann.part()
      house.clock.advance(seconds: 31 * 86_400)
      try house.work()
      #expect(try house.count("SELECT count(*) FROM couples WHERE status = 'frozen'") == round)
    }
  }

  @Test("Invitations that cross pair the two at the first acceptance")
  func crossing() throws {
    let house = try TestHouse()
    for name in ["ann", "ben"] { try house.alone(name) }
    let (ann, ben) = (try house.signedIn("ann"), try house.signedIn("ben"))
    ann.invite("ben@example.test")
    ben.invite("ann@example.test")
    let statuses = atOnce([
      (ben, "/pair/accept", ["token": try token(house, to: "ben")]),
      (ann, "/pair/accept", ["token": try token(house, to: "ann")]),
    ])
    #expect(statuses.contains(303))
    #expect(try house.count("SELECT count(*) FROM couples") == 1)
    #expect(try house.count("SELECT count(*) FROM pair_invitations") == 0)
    try checkNobodyIsInTwo(house)
  }

  @Test("Both parting at once is one parting; both asking to undo at once is undoing")
  func parting() throws {
    let house = try TestHouse()
    try house.couple()
    let both = [try house.signedIn("ann"), try house.signedIn("ben")]
    let parted = atOnce(
      (both + both).map { ($0, "/settings/part", ["current_password": TestHouse.password]) })
    #expect(parted.allSatisfy { $0 == 303 })
    #expect(try house.couples() == ["Ann & Ben": "frozen"])
    #expect(try house.mails(to: "ann@example.test").count == 1)
    let undone = atOnce((both + both).map { ($0, "/settings/part", ["undo": "1"]) })
    #expect(undone.allSatisfy { $0 == 303 })
    #expect(try house.couples() == ["Ann & Ben": "active"])
    #expect(try house.mails(to: "ben@example.test").count == 3)
    try checkNobodyIsInTwo(house)
  }

  @Test("Nothing is posted into a couple that parts meanwhile")
  func posting() throws {
    let house = try TestHouse()
    try house.couple()
    let (ann, ben) = (try house.signedIn("ann"), try house.signedIn("ben"))
    let posts = (1...6).map { number in
      (
        ben, "/posts",
        ["nonce": UUID().uuidString, "content": "Words \(number)", "visibility": "public"]
          as KeyValuePairs<String, String>
      )
    }
    let statuses = atOnce(
      [(ann, "/settings/part", ["current_password": TestHouse.password])] + posts)
    #expect(statuses.first == 303)
    let made = statuses.dropFirst().filter { $0 == 303 }.count
    #expect(statuses.dropFirst().allSatisfy { [303, 403].contains($0) })
    #expect(try house.count("SELECT count(*) FROM posts") == made)
  }
}
