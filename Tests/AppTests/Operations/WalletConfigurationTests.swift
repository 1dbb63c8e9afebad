import Core
import FakeAppStore
import Foundation
import Testing

@testable import App

@Suite("Settings of the wallet")
struct WalletConfigurationTests {
  private func problems(_ changes: [String: String]) -> [String] {
    let environment = [
      "PAIRSPOT_ENV": "development", "PAIRSPOT_SHARE": TestInstance.checkout.path,
      "PAIRSPOT_DATA": "/nowhere",
    ]
    do {
      _ = try Configuration(
        environment: environment.merging(changes) { $1 }, now: TestInstance.start, cores: 2)
      return []
    } catch let wrong as Configuration.Invalid {
      return wrong.problems
    } catch {
      return ["another error: \(error)"]
    }
  }

  /// With this certificate as root.
  private func problems(
    root: [UInt8], _ changes: [String: String] = [:]
  ) throws -> [String] {
    let path = FileManager.default.temporaryDirectory.appending(path: "root-\(UUID()).pem")
    let text = Data(root).base64EncodedString(options: .lineLength64Characters)
    try Data("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8).write(
      to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    return problems(
      [
        "PAIRSPOT_APPLE_ROOT_CERTIFICATE": path.path, "PAIRSPOT_APPLE_BUNDLE_ID": "app.pairspot",
      ].merging(changes) { $1 })
  }

  @Test("A root is one that signed itself; another certificate is named as none")
  func root() throws {
    let apple = try FakeAppStore(now: TestInstance.start)
    #expect(try problems(root: apple.root) == [])
    for other in [apple.intermediate, apple.leaf] {
      let found = try problems(root: other)
      #expect(found.count == 1)
      #expect(found.first?.hasPrefix("PAIRSPOT_APPLE_ROOT_CERTIFICATE: ") == true)
      #expect(found.first?.hasSuffix("is not a root certificate: it is not self-signed") == true)
    }
    let none = try problems(root: [0x30, 0x00])
    #expect(none.count == 1 && none.first?.contains("contains no PEM certificate") == true)
  }

  @Test("Packs that can't be bought are not shown")
  func packs() throws {
    let (products, packs) = ("PAIRSPOT_APPLE_PRODUCTS", "PAIRSPOT_COIN_PACKS")
    let wrong = [
      "PAIRSPOT_COIN_PACKS: PAIRSPOT_APPLE_PRODUCTS has no product with 80 coins"
    ]
    #expect(problems([products: "a=50,b=150", packs: "50=$1,80=$2"]) == wrong)
    #expect(problems([products: "a=50,b=150", packs: "150=$3,50=$1"]) == [])
    // A discontinued product, or two products with the same coins, are allowed.
    #expect(problems([products: "a=50,b=150,c=50", packs: "50=$1"]) == [])
    // Packs are not checked if nothing is sold.
    #expect(problems([packs: "80=$2"]) == [])
    let root = try FakeAppStore(now: TestInstance.start).root
    #expect(try problems(root: root, [packs: "50=$1,80=$2"]) == wrong)
    #expect(try problems(root: root, [products: "a=50"]).count == 1)
    // A value that can't be parsed is the only reported problem.
    #expect(problems([products: "a=50,a=60", packs: "80=$2"]).count == 1)
  }
}
