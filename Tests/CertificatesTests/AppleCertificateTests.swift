import Core
import Testing

@testable import Certificates

@Suite("Apple's own certificates")
struct AppleCertificateTests {
  private func chain() throws -> CertificateChain {
    try CertificateChain(
      [AppleCertificates.leaf, AppleCertificates.intermediate, AppleCertificates.root],
      root: try Certificate(der: AppleCertificates.root), markers: .appStore)
  }

  @Test("are a chain to a root that signed itself, good as long as its leaf was")
  func good() throws {
    let chain = try chain()
    #expect(chain.root.isSelfSigned && !chain.intermediate.isSelfSigned)
    #expect(chain.intermediate.isAuthority && chain.intermediate.pathLengthConstraint == 0)
    #expect(!chain.leaf.isAuthority && chain.leaf.signsStatements)
    for (text, isGood) in [
      ("2021-08-25T02:50:33Z", false), ("2021-08-25T02:50:34Z", true),
      ("2023-04-12T15:20:46Z", true), ("2023-09-24T02:50:33Z", true),
      ("2023-09-24T02:50:34Z", false),
    ] {
      let moment = try #require(Instant(rfc3339: text))
      let wasGood = (try? chain.check(at: moment)) != nil
      #expect(wasGood == isGood, "\(text)")
    }
  }

  @Test("end when they say so")
  func validity() throws {
    let chain = try chain()
    let said = [chain.leaf, chain.intermediate, chain.root].map {
      "\($0.notBefore.rfc3339) \($0.notAfter.rfc3339)"
    }
    #expect(
      said == [
        "2021-08-25T02:50:34Z 2023-09-24T02:50:33Z",
        "2021-03-17T20:37:10Z 2036-03-19T00:00:00Z",
        "2014-04-30T18:19:06Z 2039-04-30T18:19:06Z",
      ])
  }

  @Test("in another order, or of other marks, are no chain")
  func others() throws {
    let (leaf, middle, root) = (
      AppleCertificates.leaf, AppleCertificates.intermediate, AppleCertificates.root
    )
    let trusted = try Certificate(der: root)
    for list in [[middle, leaf, root], [leaf, root, root], [leaf, leaf, root]] {
      #expect(throws: CertificateError.self) {
        try CertificateChain(list, root: trusted, markers: .appStore)
      }
    }
    #expect(throws: CertificateError.missingMarker) {
      try CertificateChain(
        [leaf, middle, root], root: trusted,
        markers: .init(leaf: "1.2.840.113635.100.6.11.2", intermediate: "1.2.840.113635.100.6.2.1"))
    }
  }
}
