import Core
import Foundation
import Testing

@testable import App
@testable import CheckIn

@Suite("/api/v1/checkin/contacts/{id}/channels and exercise")
struct ChannelAPITests {
  private static let file = """
    [{"name": "sms", "label": {"en": "SMS", "zh-Hant": "簡訊", "zh-Hans": "短信"},
      "url": "json://sms.example/{to}", "to": "\\\\+[0-9]{8,15}", "example": "+886912345678",
      "cost": {"en": "Free of charge"}}]
    """

  private func instance(_ sender: RecordingSender) throws -> TestInstance {
    try TestInstance(channels: (try ChannelOffers(json: Data(Self.file.utf8)), sender))
  }

  private func send(_ instance: TestInstance) throws {
    try instance.instance.features.checkIn.channelDispatcher.sendDue()
  }

  @Test("A channel is added, proven by its code, listed and removed")
  func channel() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    let contact = "/checkin/contacts/\(try instance.contact("ming").id)"
    let empty = mei.call(.get, "\(contact)/channels").json
    #expect((empty["channels"] as? [Any])?.isEmpty == true)
    let offer = (empty["offers"] as? [[String: Any]])?.first
    #expect(offer?["name"] as? String == "sms" && offer?["cost"] as? String == "Free of charge")
    #expect(
      mei.call(.post, "\(contact)/channels", #"{"offer":"fax","recipient":"1"}"#).status == 422)
    let added = mei.call(
      .post, "\(contact)/channels", #"{"offer":"sms","recipient":"+886912345678"}"#)
    #expect(added.status == 201 && added.json["state"] as? String == "unproven")
    let path = "\(contact)/channels/\(try #require(added.json["id"] as? String))"
    try send(instance)
    #expect(mei.call(.post, "\(path)/code").status == 204)
    try send(instance)
    let text = try #require(sender.sent.last).body
    let code = try #require(text.firstMatch(of: /Code: ([A-Z]{6})\./)).output.1
    #expect(mei.call(.post, "\(path)/proof", #"{"code":"WRONGX"}"#).status == 422)
    let proven = mei.call(.post, "\(path)/proof", "{\"code\":\"\(code)\"}")
    #expect(proven.status == 200 && proven.json["state"] as? String == "works")
    #expect(mei.call(.delete, path).status == 204 && mei.call(.delete, path).status == 404)
  }

  @Test("An exercise goes to one contact; one who can't be reached is 404")
  func exercise() throws {
    let instance = try instance(RecordingSender())
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    let path = "/checkin/contacts/\(try instance.contact("ming").id)/exercise"
    #expect(mei.call(.post, path).status == 204)
    try instance.work()
    #expect(
      try instance.mails(to: "ming@example.test").contains { $0.subject.contains("xercise") })
    try instance.database.write {
      try $0.execute("UPDATE emergency_contacts SET state = 'refused'")
    }
    #expect(mei.call(.post, path).status == 404)
  }

  @Test("Contacts and channels of other users are 404")
  func others() throws {
    let sender = RecordingSender()
    let instance = try instance(sender)
    try instance.watched(by: ["ming"])
    let mei = try instance.signedIn("mei")
    let contact = "/checkin/contacts/\(try instance.contact("ming").id)"
    let added = mei.call(
      .post, "\(contact)/channels", #"{"offer":"sms","recipient":"+886912345678"}"#)
    let channel = "\(contact)/channels/\(try #require(added.json["id"] as? String))"
    let sam = try instance.checkedInMember()
    #expect(sam.call(.get, "\(contact)/channels").status == 404)
    #expect(
      sam.call(.post, "\(contact)/channels", #"{"offer":"sms","recipient":"+886912345679"}"#)
        .status == 404)
    #expect(sam.call(.post, "\(channel)/code").status == 404)
    #expect(sam.call(.post, "\(channel)/proof", #"{"code":"ABCDEF"}"#).status == 404)
    #expect(sam.call(.delete, channel).status == 404)
    #expect(sam.call(.post, "\(contact)/exercise").status == 404)
    // Nor does a contact of one's own lead to another's channel.
    let own = "/checkin/contacts/\(try instance.contact("kai").id)"
    let id = try #require(added.json["id"] as? String)
    #expect(sam.call(.delete, "\(own)/channels/\(id)").status == 404)
  }
}
