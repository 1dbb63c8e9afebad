import Foundation
import Testing

@testable import FastCGI

@Suite struct PlainCGITests {
  @Test("Without a content length there is no body, though standard input stays open")
  func noLength() throws {
    let pipes = Pipes()
    let exchange = FastCGIExchange(PlainChannel(input: pipes.input, output: pipes.output))
    #expect(try RunningServer.readAll(exchange).isEmpty)
  }

  @Test("Output arrives, in order and complete")
  func writing() throws {
    let pipes = Pipes()
    let channel = PlainChannel(input: pipes.input, output: pipes.output)
    let exchange = FastCGIExchange(channel)
    try exchange.write(Array("Status: 204\r\n".utf8))
    try exchange.write(Array("\r\n".utf8))
    try channel.flush()
    #expect(pipes.written(15) == "Status: 204\r\n\r\n")
  }

  @Test("A variable's first equals sign parts name and value")
  func splitting() throws {
    let variable = try #require(splitVariable("COOKIE=a=b"))
    #expect(variable.name == "COOKIE")
    #expect(variable.value == "a=b")
    #expect(splitVariable("NOTHING") == nil)
  }

  private final class Pipes {
    private let toHandler = Pipe()
    private let fromHandler = Pipe()
    var input: Int32 { toHandler.fileHandleForReading.fileDescriptor }
    var output: Int32 { fromHandler.fileHandleForWriting.fileDescriptor }

    func written(_ count: Int) -> String {
      let data = fromHandler.fileHandleForReading.readData(ofLength: count)
      return String(decoding: data, as: UTF8.self)
    }
  }
}
