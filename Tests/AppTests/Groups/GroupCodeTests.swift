import Core
import Testing
import Web

@testable import App

@Suite("Codes of groups can't be guessed")
struct GroupCodeTests {
  @Test("Guessing from a thousand networks ends too, and links still lead in")
  func manyNetworks() throws {
    let instance = try TestInstance(limits: true)
    let lea = try instance.guest("Lea")
    let group = try lea.makeGroup()
    let code = try lea.code(of: group)
    let link = try lea.link(of: group)
    var statuses: [Int] = []
    for network in 0..<64 {
      let stranger = instance.browser()
      stranger.peer = "2001:db8:\(String(network / 8, radix: 16)):\(network)::1"
      for number in 0..<10 {
        statuses.append(stranger.get("/join?code=AAAAA\(2 + number % 8)").status)
      }
    }
    #expect(statuses.count { $0 == 404 } == 600)
    #expect(statuses.last == 429)
    let friend = instance.browser()
    friend.peer = "192.0.2.7"
    // Above the limit, right and wrong codes get the same answer.
    #expect(friend.get("/join?code=\(TestClient.encoded(code))").status == 429)
    #expect(friend.get(link).shows("Join Harvest Walk?"))
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    #expect(sam.get("/join?code=\(TestClient.encoded(code))").shows("Join Harvest Walk?"))
    instance.clock.advance(seconds: 3601)
    #expect(friend.get("/join?code=\(TestClient.encoded(code))").status == 200)
  }

  @Test("Guessing by one member from many addresses is limited as well")
  func guessingMember() throws {
    let instance = try TestInstance(limits: true)
    try instance.alone("sam")
    let sam = try instance.signedIn("sam")
    let statuses = (1...12).map { number in
      sam.peer = "192.0.2.\(number)"
      return sam.get("/join?code=AAAAAA").status
    }
    #expect(statuses == Array(repeating: 404, count: 10) + [429, 429])
  }

  @Test("Links and squares hold a longer code than the one that is typed, until it is renewed")
  func linkCodes() throws {
    let instance = try TestInstance()
    let lea = try instance.guest("Lea")
    let group = try lea.makeGroup()
    let link = try lea.link(of: group)
    let code = try #require(link.firstMatch(of: /code=([A-Z2-9]+)&/)).output.1
    #expect(code.count == 26)
    let fay = try instance.guest("Fay")
    #expect(fay.get(link).shows("Join Harvest Walk?"))
    #expect(fay.get("/join?code=\(code.lowercased())").shows("Join Harvest Walk?"))
    #expect(fay.join(String(code)).location == group.page)
    lea.post(group.invite, ["button": "renew"])
    #expect(try instance.guest("Tom").get(link).status == 404)
    #expect(try lea.link(of: group) != link)
  }

  @Test("The sheet says how many people there are, and in hours how long the code works")
  func sheet() throws {
    let instance = try TestInstance()
    let lea = try instance.guest("Lea")
    let group = try lea.makeGroup()
    let fresh = lea.get(group.invite)
    #expect(fresh.shows("Expires in 24 h<") && fresh.shows("led by Lea · 1 person<"))
    instance.clock.advance(seconds: 23 * 3600 + 20 * 60)
    #expect(lea.get(group.invite).shows("Expires in 40 min<"))
  }

  @Test("A link that was made before there were longer codes works until it expires")
  func earlierLinks() throws {
    let instance = try TestInstance()
    let lea = try instance.guest("Lea")
    let group = try lea.makeGroup()
    try instance.database.write { try $0.execute("UPDATE invite_codes SET link_code = NULL") }
    let link = try lea.link(of: group)
    #expect(link.contains("code=\(try lea.code(of: group).replacing(" ", with: ""))&"))
    #expect(try instance.guest("Fay").get(link).shows("Join Harvest Walk?"))
  }
}
