import Core
import Foundation
import Mail
import Testing

@testable import App
@testable import CheckIn
@testable import Jobs

@Suite("Contacts are introduced")
struct IntroductionTests {
  @Test("A worker that dies before its job is finished introduces no contact twice")
  func twice() throws {
    let instance = try TestInstance()
    instance.browser().begin("Gia", contact: "kai@example.test", "save")
    let kind = try #require(instance.instance.jobs.first { $0.name == ContactService.introduction })
    try instance.database.write {
      try $0.execute("DELETE FROM jobs WHERE kind <> \(ContactService.introduction)")
    }
    let job = try #require(
      try instance.instance.jobStore.claim([kind.name: kind], now: instance.clock.now()))
    let service = ContactService(services: instance.instance.features.checkIn.services)
    // The mail is stored, but the job is not finished: its lease expires, and it runs again.
    _ = try service.introduce(job, now: instance.clock.now())
    instance.clock.advance(seconds: .hours(1))
    _ = try service.introduce(job, now: instance.clock.now())
    try instance.work()
    #expect(
      try instance.count("SELECT count(*) FROM contact_mails WHERE kind = 'introduction'") == 1)
    #expect(try instance.subjects(to: "kai@example.test").count == 1)
  }

  @Test("A contact whose mail bounced is introduced again on request")
  func again() throws {
    let instance = try TestInstance()
    let gia = instance.browser()
    gia.begin("Gia", contact: "kai@example.test", "save")
    try instance.work()
    let services = instance.instance.features.checkIn.services
    let mail = try #require(
      try instance.database.read {
        try $0.value("SELECT mail_id FROM contact_mails", as: ID<QueuedMail>.self)
      })
    try instance.instance.mailQueue.bounced(
      mail, "550 5.1.1 <kai@example.test> unknown", now: instance.clock.now(),
      observers: instance.instance.mailObservers)
    #expect(try instance.count("SELECT count(*) FROM contact_mails WHERE error LIKE '%@%'") == 0)
    try instance.database.write { writer in
      let person = try #require(
        try writer.value("SELECT id FROM users", as: ID<Person>.self))
      let contact = try #require(try services.contacts.all(of: person, in: writer).first)
      #expect(contact.state == .bouncing)
      try ContactService(services: services).introduceAgain(
        contact, now: instance.clock.now(), in: writer)
    }
    #expect(try instance.subjects(to: "kai@example.test").count == 2)
    #expect(
      try instance.count("SELECT count(*) FROM emergency_contacts WHERE state = 'introduced'") == 1)
  }
}
