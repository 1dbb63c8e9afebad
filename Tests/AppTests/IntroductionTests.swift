import Basics
import Foundation
import Mail
import Testing

@testable import App
@testable import CheckIn
@testable import Jobs

@Suite("Contacts are introduced")
struct IntroductionTests {
  @Test("A worker that dies before its job is over introduces nobody twice")
  func twice() throws {
    let house = try TestHouse()
    house.browser().begin("Gia", contact: "kai@example.test", "save")
    let kind = try #require(house.house.jobs.first { $0.name == ContactDesk.introduction })
    try house.database.write {
      try $0.execute("DELETE FROM jobs WHERE kind <> ?", ContactDesk.introduction)
    }
    let job = try #require(
      try house.house.jobStore.claim([kind.name: kind], now: house.clock.now()))
    let desk = ContactDesk(services: house.house.features.checkIn.services)
    // The mail is kept, the end of the job is not: the lease runs out, and it would come again.
    _ = try desk.introduce(job, now: house.clock.now())
    house.clock.advance(seconds: .hours(1))
    _ = try desk.introduce(job, now: house.clock.now())
    try house.work()
    #expect(
      try house.count("SELECT count(*) FROM contact_mails WHERE kind = 'introduction'") == 1)
    #expect(try house.subjects(to: "kai@example.test").count == 1)
  }

  @Test("Whose mail came back is introduced anew when the person asks for it")
  func again() throws {
    let house = try TestHouse()
    let gia = house.browser()
    gia.begin("Gia", contact: "kai@example.test", "save")
    try house.work()
    let services = house.house.features.checkIn.services
    let mail = try #require(
      try house.database.read {
        try $0.first("SELECT mail_id FROM contact_mails") { try $0.id(0, QueuedMail.self) }
      })
    try house.house.mailQueue.bounced(
      mail, "550 5.1.1 <kai@example.test> unknown", now: house.clock.now(),
      observers: house.house.mailObservers)
    #expect(try house.count("SELECT count(*) FROM contact_mails WHERE error LIKE '%@%'") == 0)
    try house.database.write { writer in
      let person = try #require(
        try writer.first("SELECT id FROM users") { try $0.id(0, Person.self) })
      let contact = try #require(try services.contacts.all(of: person, in: writer.reader).first)
      #expect(contact.state == .bouncing)
      try ContactDesk(services: services).introduceAgain(
        contact, now: house.clock.now(), in: writer)
    }
    #expect(try house.subjects(to: "kai@example.test").count == 2)
    #expect(
      try house.count("SELECT count(*) FROM emergency_contacts WHERE state = 'introduced'") == 1)
  }
}
