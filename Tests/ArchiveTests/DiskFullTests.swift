import Archive
import Core
import Foundation
import Testing

@Suite("An archive on a full disk")
struct DiskFullTests {
  @Test("A refused write is recognised by its error number")
  func numbers() {
    for code in [ENOSPC, EDQUOT] { #expect(ZipError.system("write it", code).isFull) }
    #expect(!ZipError.missing("it").isFull && !ZipError.system("write it", EIO).isFull)
  }
}
