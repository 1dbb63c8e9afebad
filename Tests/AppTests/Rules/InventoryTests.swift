import Foundation
import Testing
import Web

@testable import App

@Suite("SECURITY.md and the inventory of components match the sources")
struct InventoryTests {
  private struct Inventory: Decodable {
    struct Component: Decodable {
      let name: String
      let version: String
      let purl: String
    }

    let bomFormat: String
    let specVersion: String
    let components: [Component]
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: TestInstance.checkout.appending(path: path), encoding: .utf8)
  }

  @Test("The inventory lists every package of Package.swift and of Debian, and no other of Debian")
  func components() throws {
    let inventory = try JSONDecoder().decode(
      Inventory.self, from: Data(try text("sbom.cdx.json").utf8))
    #expect(inventory.bomFormat == "CycloneDX" && inventory.specVersion == "1.6")
    let swift = try text("Package.swift").matches(of: /\.package\(url: "[^"]+\/([^"\/]+?)(\.git)?"/)
    let listed = Set(inventory.components.map(\.name))
    #expect(swift.count >= 5)
    for package in swift { #expect(listed.contains(String(package.output.1))) }
    let script = try text("deploy/scripts/packages.sh")
    let run = try #require(script.firstMatch(of: /run_packages=\(([^)]*)\)/)).output.1
    let debian = inventory.components.filter { $0.purl.hasPrefix("pkg:deb/") }.map(\.name)
    #expect(Set(debian) == Set(run.split(whereSeparator: \.isWhitespace).map(String.init)))
    for component in inventory.components {
      #expect(!component.version.isEmpty && component.purl.contains("@\(component.version)"))
    }
  }

  @Test("SECURITY.md names every security event")
  func events() throws {
    let words = try text("SECURITY.md")
    for event in SecurityEvent.allCases { #expect(words.contains("`\(event.rawValue)`")) }
  }
}
