import Foundation
import Testing

@testable import App

@Suite("Pairing and parting at the same time")
struct PairConcurrencyTests {
  /// Sends one form from each browser at the same time; returns the statuses in order.
  private func atOnce(
    _ forms: [(browser: TestClient, target: String, fields: KeyValuePairs<String, String>)]
  ) -> [Int] {
    let taps = forms.map { form in
      let browser = form.browser.copy()
      browser.get("/about")
      return (tap: ParallelClient(browser), target: form.target, fields: form.fields)
    }
    let all = Sent(taps)
    DispatchQueue.concurrentPerform(iterations: taps.count) { all.send($0) }
    return taps.map { $0.tap.status ?? 0 }
  }

  // Each client is used by one thread at a time.
  private final class Sent: @unchecked Sendable {
    private let taps: [(tap: ParallelClient, target: String, fields: KeyValuePairs<String, String>)]

    init(_ taps: [(tap: ParallelClient, target: String, fields: KeyValuePairs<String, String>)]) {
      self.taps = taps
    }

    func send(_ index: Int) { taps[index].tap.post(taps[index].target, taps[index].fields) }
  }

  private func token(_ instance: TestInstance, to name: String) throws -> String {
    String(try instance.invitation(to: name).dropFirst("/pair/accept?token=".count))
  }

  private func checkNoUserIsInTwo(_ instance: TestInstance) throws {
    #expect(try instance.problems() == [])
    #expect(
      try instance.count(
        """
        SELECT count(*) FROM (SELECT user_id FROM couple_members WHERE left_at IS NULL
          GROUP BY user_id HAVING count(*) > 1) AS counted
        """) == 0)
    #expect(
      try instance.count(
        """
        SELECT count(*) FROM (SELECT couple_id FROM couple_members WHERE left_at IS NULL
          GROUP BY couple_id HAVING count(*) > 2) AS counted
        """) == 0)
  }

  @Test("Accepting twice at once makes one couple")
  func twice() throws {
    let instance = try TestInstance()
    for name in ["ann", "ben"] { try instance.alone(name) }
    let ben = try instance.signedIn("ben")
    try instance.signedIn("ann").invite("ben@example.test")
    let token = try token(instance, to: "ben")
    let statuses = atOnce((1...6).map { _ in (ben, "/pair/accept", ["token": token]) })
    #expect(statuses.filter { $0 == 303 }.count == 1)
    #expect(statuses.allSatisfy { [303, 409, 410].contains($0) })
    #expect(try instance.couples() == ["Ann & Ben": "active"])
    #expect(try instance.mails(to: "ann@example.test").count == 1)
    try checkNoUserIsInTwo(instance)
  }

  @Test("Two without an account can't come in by one link")
  func joiningTwice() throws {
    let instance = try TestInstance()
    try instance.alone("ann")
    try instance.signedIn("ann").invite("new@example.test")
    let token = try token(instance, to: "new")
    let statuses = atOnce(
      (1...4).map { number in
        (
          instance.browser(), "/pair/accept",
          [
            "token": token, "display_name": "N\(number)", "password": TestInstance.password,
            "accept": "1",
          ]
        )
      })
    #expect(statuses.filter { $0 == 303 }.count >= 1)
    #expect(try instance.count("SELECT count(*) FROM users") == 2)
    #expect(try instance.count("SELECT count(*) FROM couples") == 1)
    try checkNoUserIsInTwo(instance)
  }

  @Test("Accepting while the inviter pairs with another member: one of them is too late")
  func inviterElsewhere() throws {
    let instance = try TestInstance()
    for name in ["ann", "ben", "cy"] { try instance.alone(name) }
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    for round in 1...5 {
      try instance.signedIn("cy").invite("ann@example.test")
      ann.invite("ben@example.test")
      let statuses = atOnce([
        (ben, "/pair/accept", ["token": try token(instance, to: "ben")]),
        (ann, "/pair/accept", ["token": try token(instance, to: "ann")]),
      ])
      #expect(statuses.filter { $0 == 303 }.count == 1, "\(statuses)")
      #expect(
        try instance.count("SELECT count(*) FROM couples WHERE status = 'active'") == 1)
      try checkNoUserIsInTwo(instance)
      ann.part()
      instance.clock.advance(seconds: 31 * 86_400)
      try instance.work()
      #expect(try instance.count("SELECT count(*) FROM couples WHERE status = 'frozen'") == round)
    }
  }

  @Test("Invitations that cross pair the two at the first acceptance")
  func crossing() throws {
    let instance = try TestInstance()
    for name in ["ann", "ben"] { try instance.alone(name) }
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    ann.invite("ben@example.test")
    ben.invite("ann@example.test")
    let statuses = atOnce([
      (ben, "/pair/accept", ["token": try token(instance, to: "ben")]),
      (ann, "/pair/accept", ["token": try token(instance, to: "ann")]),
    ])
    #expect(statuses.contains(303))
    #expect(try instance.count("SELECT count(*) FROM couples") == 1)
    #expect(try instance.count("SELECT count(*) FROM pair_invitations") == 0)
    try checkNoUserIsInTwo(instance)
  }

  @Test("Both parting at once is one parting; both asking to undo at once is undoing")
  func parting() throws {
    let instance = try TestInstance()
    try instance.couple()
    let both = [try instance.signedIn("ann"), try instance.signedIn("ben")]
    let parted = atOnce(
      (both + both).map { ($0, "/settings/part", ["current_password": TestInstance.password]) })
    #expect(parted.allSatisfy { $0 == 303 })
    #expect(try instance.couples() == ["Ann & Ben": "frozen"])
    #expect(try instance.mails(to: "ann@example.test").count == 1)
    let undone = atOnce((both + both).map { ($0, "/settings/part", ["undo": "1"]) })
    #expect(undone.allSatisfy { $0 == 303 })
    #expect(try instance.couples() == ["Ann & Ben": "active"])
    #expect(try instance.mails(to: "ben@example.test").count == 3)
    try checkNoUserIsInTwo(instance)
  }

  @Test("Nothing is posted into a couple that separates at the same time")
  func posting() throws {
    let instance = try TestInstance()
    try instance.couple()
    let (ann, ben) = (try instance.signedIn("ann"), try instance.signedIn("ben"))
    let posts = (1...6).map { number in
      (
        ben, "/posts",
        ["nonce": UUID().uuidString, "content": "Words \(number)", "visibility": "public"]
          as KeyValuePairs<String, String>
      )
    }
    let statuses = atOnce(
      [(ann, "/settings/part", ["current_password": TestInstance.password])] + posts)
    #expect(statuses.first == 303)
    let made = statuses.dropFirst().filter { $0 == 303 }.count
    #expect(statuses.dropFirst().allSatisfy { [303, 403].contains($0) })
    #expect(try instance.count("SELECT count(*) FROM posts") == made)
  }
}
